// error: a ragged array is made of two vectors: write fg::segments(offsets, values)
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Ragged<int> nothing(fg::Vec<int>) {
  fg::Ragged<int> rows;
  return rows;
}
