// error: a pointer does not say how many elements there are: give the program fg::view(pointer, {n})
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<float> total(fg::Vec<float> x) {
  return fg::sum(x);
}
float call(const float* x) {
  return fg::compile(total)(x);
}
