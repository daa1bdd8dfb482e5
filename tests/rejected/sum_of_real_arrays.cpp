// error: operators work on staged arrays, in a program: fg::run(
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f(fg::Array<float> a, fg::Array<float> b) {
  return a + b;
}
