// error: an Exp of one type does not become one of another silently: write fg::cast<T>(x)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<int> size(fg::Vec<float> x) {
  fg::Exp<int> n = x.size();
  return n;
}
