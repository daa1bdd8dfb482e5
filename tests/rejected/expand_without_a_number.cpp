// error: element_of takes an Exp of the array's element type, and an Exp<fg::i64> that counts from 0
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto parts(fg::Vec<int> xs) {
  return fg::expand([](fg::Exp<int> x) { return x; }, [](fg::Exp<int> x) { return x; }, xs);
}
