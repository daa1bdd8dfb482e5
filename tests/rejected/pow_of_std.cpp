// error: std::pow does not know staged values: write fg::pow
#include <fulgurite/fulgurite.h>

#include <cmath>

namespace fg = fulgurite;

fg::Vec<float> squares(fg::Vec<float> x) {
  return std::pow(x, 2);
}
