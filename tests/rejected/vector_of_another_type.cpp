// error: the argument is no array of this parameter's element type and rank
#include <fulgurite/fulgurite.h>

#include <vector>

namespace fg = fulgurite;

fg::Exp<float> total(fg::Vec<float> x) {
  return fg::sum(x);
}
float call(const std::vector<double>& x) {
  return fg::compile(total)(x);
}
