// error: map takes the function first: write fg::map(f, xs)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto twice(fg::Vec<float> x) {
  return fg::map(x, [](fg::Exp<float> e) { return e + e; });
}
