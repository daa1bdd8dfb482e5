// error: map gives the function single elements of a matrix, an Exp each: write fg::map(f, fg::rows(m))
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Vec<float> sums(fg::Mat<float> m) {
  return fg::map([](fg::Vec<float> row) { return fg::sum(row); }, m);
}
