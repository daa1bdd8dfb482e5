// error: element_of returns an element, not an array
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto parts(fg::Vec<int> xs) {
  return fg::expand([](fg::Exp<int> x) { return x; }, [&](fg::Exp<int>, fg::Exp<fg::i64>) { return xs; }, xs);
}
