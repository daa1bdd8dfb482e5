// error: an element has no bit-fields
#include <fulgurite/fulgurite.h>

struct Packed {
  int a : 3;
  int b : 29;
};
fulgurite::Exp<Packed> same(fulgurite::Exp<Packed> x) {
  return x;
}
