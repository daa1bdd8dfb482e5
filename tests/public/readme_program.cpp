// The program at the head of README.md, with the includes that it has there and no others: lint/guide.py
// compares them.
#include <fulgurite/fulgurite.h>

#include <cstdio>
#include <vector>

namespace fg = fulgurite;
using fg::Exp, fg::Vec;

Exp<float> rmse(Vec<float> x, Vec<float> y) {
  auto d = x - y;  // a name is shared, not recomputed
  return fg::sqrt(fg::sum(d * d) / fg::cast<float>(x.size()));
}

int main() {
  auto f = fg::compile(rmse);  // traced and optimised once; kernels cached on disk
  std::vector<float> x{1, 2, 3, 4}, y{1, 2, 3, 8};
  // This is one kernel, which reads x and y once and writes nothing but the result.
  std::printf("rmse %g\n", static_cast<double>(f(x, y)));
}
