// error: assign
#include <fulgurite/fulgurite.h>

void change(fulgurite::Array<float> x) {
  x[0] = 1.0f;
}
