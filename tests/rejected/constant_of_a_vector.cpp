// error: constant takes an fg::Array: write fg::constant(fg::Array<float>(v)) for a std::vector v
#include <fulgurite/fulgurite.h>

#include <vector>

namespace fg = fulgurite;

fg::Vec<float> f(const std::vector<float>& weights, fg::Vec<float> x) {
  return x * fg::constant(weights);
}
