// error: the function is not defined for operands of these types
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto roots(fg::Ragged<int> rows) {
  return fg::sqrt(rows);
}
