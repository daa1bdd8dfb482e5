// error: a loop's state and its next one have one type
// or: an Exp of one type does not become one of another silently: write fg::cast<T>(x)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f(fg::Vec<float> x) {
  return fg::iterate(3, [](fg::Vec<float> v, fg::Exp<int> k) { return std::tuple{v, fg::sum(v)}; }, x, 0);
}
