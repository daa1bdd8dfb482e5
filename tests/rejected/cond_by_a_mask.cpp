// error: fg::select(c, x, y) chooses element by element
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto positive(fg::Vec<float> x) {
  return fg::cond(x > 0.0f, x, -x);
}
