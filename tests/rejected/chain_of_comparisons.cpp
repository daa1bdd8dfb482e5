// error: a comparison gives an Exp<bool>, which has no order: write 0 < x && x < 1 in place of 0 < x < 1
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<bool> inside(fg::Exp<float> x) {
  return 0.0f < x < 1.0f;
}
