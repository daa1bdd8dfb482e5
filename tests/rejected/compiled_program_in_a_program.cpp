// error: a compiled program takes real arrays, and this one is staged: call the C++ function that was
// compiled
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<float> total(fg::Vec<float> x) {
  return fg::sum(x);
}
fg::Vec<float> shares(fg::Vec<float> x) {
  auto f = fg::compile(total);
  return x / f(x);
}
