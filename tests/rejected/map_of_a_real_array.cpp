// error: map takes staged arrays after the function: give std::vectors to a program
#include <fulgurite/fulgurite.h>

#include <vector>

namespace fg = fulgurite;

auto twice(const std::vector<float>& x) {
  return fg::map([](fg::Exp<float> e) { return e + e; }, x);
}
