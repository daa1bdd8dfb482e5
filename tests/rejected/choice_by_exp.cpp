// error: use fg::cond(c, a, b) or fg::select(c, a, b) in place of if, ?: and switch
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<float> larger(fg::Exp<float> a, fg::Exp<float> b) {
  return a > b ? a : b;
}
