// error: the operands of an operator have one rank: to combine each row of a matrix with a vector, write
// fg::map(
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Mat<float> centred(fg::Mat<float> m, fg::Vec<float> means) {
  return m - means;
}
