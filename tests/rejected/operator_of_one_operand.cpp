// error: the operator takes two Exp of the array's element type
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f(fg::Vec<int> x) {
  return fg::reduce([](fg::Exp<int> a) { return a; }, 0, x);
}
