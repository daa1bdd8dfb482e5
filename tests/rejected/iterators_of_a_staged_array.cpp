// error: a staged array has no elements while the program is traced: write fg::map(f, x)
#include <fulgurite/fulgurite.h>

#include <numeric>

namespace fg = fulgurite;

auto total(fg::Vec<float> x) {
  return std::accumulate(x.begin(), x.end(), 0.0f);
}
