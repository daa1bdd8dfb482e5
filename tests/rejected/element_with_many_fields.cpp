// error: an element has at most 16 fields: nest some of them
#include <fulgurite/fulgurite.h>

struct Many {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
};
fulgurite::Exp<Many> same(fulgurite::Exp<Many> x) {
  return x;
}
