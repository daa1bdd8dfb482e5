// Solves Poisson's equation by repeated relaxation and draws the field: ./poisson field.npy rhs.npy STEPS
// picture.png One program, compiled once, called in a loop; results fed back are not copied.
#include "jacobi.h"
#include "png.h"

#include <fulgurite/npy.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace fg = fulgurite;

int main(int argc, char** argv) try {
  if (argc != 5) {
    std::fprintf(stderr, "usage: poisson FIELD.npy RHS.npy STEPS PICTURE.png\n");
    return 2;
  }
  auto field = fg::read_npy<float, 2>(argv[1]);
  auto rhs = fg::read_npy<float, 2>(argv[2]);
  const long steps = std::strtol(argv[3], nullptr, 10);
  auto relax = fg::compile(jacobi::relax);
  auto change = fg::compile(
      [](fg::Mat<float> before, fg::Mat<float> after) { return fg::max(fg::abs(after - before)); });

  const auto start = std::chrono::steady_clock::now();
  float last = 0;
  for (long step = 0; step < steps; ++step) {
    auto next = relax(field, rhs);
    if (step + 1 == steps) last = change(field, next);
    field = next;
  }
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  std::printf("%ld steps of %lld x %lld points, %.1f us a step, last change %g\n", steps,
              static_cast<long long>(field.shape()[0]), static_cast<long long>(field.shape()[1]),
              spent.count() / static_cast<double>(steps), static_cast<double>(last));
  write_png(argv[4], field);
  return 0;
} catch (const fg::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
