// error: an operator does not combine rows of unequal lengths with an array: write r - fg::broadcast(v, r)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto centred(fg::Ragged<float> rows) {
  return rows - fg::mean(rows, fg::axis(1));
}
