// error: the branches of cond have one type
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f(fg::Exp<bool> c, fg::Vec<int> x, fg::Vec<float> y) {
  return fg::cond(c, x, y);
}
