// error: a loop's state and its next one have one type
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f(fg::Vec<float> x) {
  return fg::iterate(3, [](fg::Vec<float> v, fg::Exp<int> k) { return std::tuple{v, fg::sum(v)}; }, x, 0);
}
