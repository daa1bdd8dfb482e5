// error: a staged array has no elements while the program is traced: write fg::map(f, x)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Exp<float> total(fg::Vec<float> x) {
  fg::Exp<float> sum = 0;
  for (auto e : x) sum += e;
  return sum;
}
