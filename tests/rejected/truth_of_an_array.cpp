// error: a staged array has no truth value: fg::all(c) or fg::any(c) make an Exp<bool> of an array
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<int> f(fg::Vec<int> x, fg::Vec<int> y) {
  if (x == y) return 1;
  return 0;
}
