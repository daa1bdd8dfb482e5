// A program that opens a bundle and calls its `rmse`: prints the result, how many microseconds after the
// start of main() it was there, and whether the compiler was loaded for it.
#include <fulgurite/bundle.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace fg = fulgurite;

int main(int, char** argv) {
  const auto start = std::chrono::steady_clock::now();
  const auto rmse = fg::open(argv[1]).get<float(fg::Array<float>, fg::Array<float>)>("rmse");
  const std::vector<float> a{1, 2, 3, 4}, b{1, 2, 3, 8};
  const float error = rmse(a, b);
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  std::ifstream file("/proc/self/maps");
  const std::string maps{std::istreambuf_iterator<char>(file), {}};
  const bool has_compiler = maps.find("LLVM") != maps.npos || maps.find("clang") != maps.npos;
  std::printf("%g %.0f us %s\n", static_cast<double>(error), taken.count(),
              has_compiler ? "with a compiler" : "without a compiler");
}
