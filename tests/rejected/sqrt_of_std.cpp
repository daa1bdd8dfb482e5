// error: std::sqrt does not know staged values: write fg::sqrt
#include <fulgurite/fulgurite.h>

#include <cmath>

namespace fg = fulgurite;

fg::Exp<float> length(fg::Exp<float> x) {
  return std::sqrt(x * x);
}
