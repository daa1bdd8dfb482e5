// error: an Exp is staged, it has no value while the program is traced
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<int> f(fg::Exp<int> n) {
  return n ? 1 : 0;
}
