// error: a staged array is the result of an operation: begin with fg::replicate(n, 0.0f)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Vec<float> f(fg::Vec<float> x) {
  fg::Vec<float> y;
  y = x + x;
  return y;
}
