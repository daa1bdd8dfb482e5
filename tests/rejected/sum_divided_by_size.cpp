// error: the operands of an operator have one element type, and none is converted silently: write
// fg::cast<T>(x), as in fg::sum(x) / fg::cast<float>(x.size())
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<float> mean(fg::Vec<float> x) {
  return fg::sum(x) / x.size();
}
