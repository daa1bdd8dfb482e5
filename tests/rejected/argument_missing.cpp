// error: a compiled program is called with one argument for each parameter of the function
#include <fulgurite/fulgurite.h>

#include <vector>

namespace fg = fulgurite;

fg::Exp<float> dot(fg::Vec<float> x, fg::Vec<float> y) {
  return fg::sum(x * y);
}
float call(const std::vector<float>& x) {
  return fg::compile(dot)(x);
}
