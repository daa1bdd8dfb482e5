// error: reduce takes the function first: write fg::reduce(op, neutral, xs)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f(fg::Vec<int> x) {
  return fg::reduce(x, 0, fg::plus);
}
