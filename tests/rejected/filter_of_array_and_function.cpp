// error: filter takes the function first: write fg::filter(f, xs)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f(fg::Vec<int> x) {
  return fg::filter(x, [](fg::Exp<int> e) { return e > 0; });
}
