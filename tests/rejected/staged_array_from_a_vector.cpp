// error: a staged array does not hold the elements of a std::vector: make it a parameter of the program, or
// write fg::constant(fg::Array<T>(v))
#include <fulgurite/fulgurite.h>

#include <vector>

namespace fg = fulgurite;

fg::Vec<float> f(const std::vector<float>& weights) {
  return fg::Vec<float>(weights);
}
