// error: fg::gather(x, indices) for an array of indices, fg::filter(f, x) for a mask
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto positive(fg::Vec<float> x) {
  return x[x > 0.0f];
}
