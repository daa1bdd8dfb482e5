// error: fg::count(c) says how many elements of an array of bool are true
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto positive(fg::Vec<float> x) {
  return fg::sum(x > 0.0f);
}
