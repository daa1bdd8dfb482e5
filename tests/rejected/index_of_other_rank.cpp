// error: return a std::tuple with an index for each axis
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Vec<int> f(fg::Mat<int> m) {
  return fg::backpermute(m.size(0), [](fg::Exp<fg::i64> i) { return i; }, m);
}
