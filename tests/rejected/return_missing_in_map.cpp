// error: the function returns nothing: write `return` before its last expression
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto twice(fg::Vec<float> x) {
  return fg::map([](fg::Exp<float> e) { e + e; }, x);
}
