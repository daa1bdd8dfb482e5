// error: an Exp<bool> is staged, it has no value while the program is traced: use fg::cond(c, a, b) or
// fg::select(c, a, b)
#include <fulgurite/fulgurite.h>
namespace fg = fulgurite;

fg::Exp<float> mean(fg::Vec<float> x) {
  if (x.size() == 0) return 0.0f;
  return fg::sum(x) / fg::cast<float>(x.size());
}
