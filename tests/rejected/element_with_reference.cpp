// error: an element has no references and no const fields
#include <fulgurite/fulgurite.h>

struct Refers {
  int a;
  const int& b;
};
fulgurite::Exp<Refers> same(fulgurite::Exp<Refers> x) {
  return x;
}
