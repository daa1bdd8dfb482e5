// error: a staged array is the result of an operation: write fg::replicate(n, 0.0f)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Vec<float> f(fg::Vec<float> x) {
  fg::Vec<float> y(x.size());
  return x + y;
}
