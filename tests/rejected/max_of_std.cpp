// error: std::max does not know staged values: write fg::max
#include <fulgurite/fulgurite.h>

#include <algorithm>

namespace fg = fulgurite;

fg::Exp<int> larger(fg::Exp<int> a, fg::Exp<int> b) {
  return std::max(a, b);
}
