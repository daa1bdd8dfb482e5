// error: an element has no base classes: make the base a field
#include <fulgurite/fulgurite.h>

struct Base {
  int a;
};
struct Derived : Base {
  int b;
};
fulgurite::Exp<Derived> same(fulgurite::Exp<Derived> x) {
  return x;
}
