// error: map takes the function first: write fg::map(f, xs)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto sums(fg::Vec<float> x, fg::Vec<float> y) {
  return fg::map(x, y);
}
