// error: the operands of an operator have one element type
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto sum(fg::Ragged<int> a, fg::Ragged<float> b) {
  return a + b;
}
