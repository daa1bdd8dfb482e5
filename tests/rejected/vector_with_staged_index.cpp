// error: no match for
// or: no viable overloaded
// write: fg::constant(fg::Array<float>(table))[i], for an element of an array of the host that the program
// chooses
#include <fulgurite/fulgurite.h>

#include <vector>

namespace fg = fulgurite;

auto f(const std::vector<float>& table) {
  return fg::generate(4, [&](fg::Exp<fg::i64> i) { return table[i]; });
}
