// error: an axis is named: write fg::sum(m, fg::axis(0))
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Vec<float> sums(fg::Mat<float> m) {
  return fg::sum(m, 0);
}
