// error: an fg::Array has no staged index: fg::constant(array)[i]
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f(const fg::Array<float>& table) {
  return fg::generate(4, [&](fg::Exp<fg::i64> i) { return table[i]; });
}
