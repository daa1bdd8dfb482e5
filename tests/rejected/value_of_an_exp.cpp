// error: an Exp is staged, it has no value while the program is traced: fg::cast<T>(x) converts it
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<float> f(fg::Exp<int> n) {
  return static_cast<float>(n);
}
