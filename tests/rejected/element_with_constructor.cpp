// error: a struct without constructors
#include <fulgurite/fulgurite.h>

struct Made {
  int a;
  Made(int x) : a(x) {}
};
fulgurite::Exp<Made> same(fulgurite::Exp<Made> x) {
  return x;
}
