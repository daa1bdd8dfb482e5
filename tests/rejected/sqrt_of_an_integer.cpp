// error: for fg::sqrt and other functions of real numbers float or double: fg::cast<float>(x) converts
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto root(fg::Exp<int> x) {
  return fg::sqrt(x);
}
