// error: fg::iterate or fg::while_loop in place of for and while
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<float> total(fg::Vec<float> x) {
  fg::Exp<float> sum = 0;
  for (int i = 0; i < x.size(); ++i) sum += x[i];
  return sum;
}
