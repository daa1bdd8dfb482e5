// A program that compiles a kernel: the library, its plug-in and its headers are there and fit together. Exit
// status 0: the result is right.
#include <fulgurite/fulgurite.h>
#include <fulgurite/version.h>

#include <cstdio>
#include <vector>

namespace fg = fulgurite;

fg::Exp<float> rmse(fg::Vec<float> x, fg::Vec<float> y) {
  auto d = x - y;
  return fg::sqrt(fg::sum(d * d) / fg::cast<float>(x.size()));
}

int main() {
  const std::vector<float> x{1, 2, 3, 4}, y{1, 2, 3, 8};
  const float found = fg::compile(rmse, {.engine = fg::Engine::cpu})(x, y);
  std::printf("Fulgurite %s: rmse %g\n", fg::version.text, static_cast<double>(found));
  return found == 2 ? 0 : 1;
}
