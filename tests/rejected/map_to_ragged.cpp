// error: a function given to map or generate returns no Ragged
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto nested(fg::Vec<int> xs, fg::Ragged<int> rows) {
  return fg::map([&](fg::Exp<int>) { return rows; }, xs);
}
