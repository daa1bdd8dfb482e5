// error: the function given to map takes one staged argument for each array
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto sums(fg::Vec<float> x, fg::Vec<float> y) {
  return fg::map([](fg::Exp<float> e) { return e + e; }, x, y);
}
