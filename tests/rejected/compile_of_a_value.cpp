// error: a program is a function, or a lambda or function object whose parameter types are written out (no
// auto)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f(fg::Vec<float> x) {
  return fg::compile(fg::sum(x));
}
