// From which sizes on results are stored past the caches of a CPU.
#include "agree.h"
#include "kernel/print.h"

namespace fulgurite::testing_lower {
namespace {

std::string kernels_of(const std::string& text) {
  Options options = strict();
  options.engine = Engine::cpu;
  const pipeline::Report report = pipeline::compile(soac::parse(text, "test.soac"), options);
  std::string kernels;
  for (const kernel::Kernel& k : report.lowered.kernels) kernels += kernel::print(k);
  return kernels;
}

TEST(Streaming, ResultsOfTwoCallsCount) {
  const std::string kernels = kernels_of(R"(program "map" (x: f32[n]) {
    y: f32[n] = map (i < n) { x[i] + 1f }
    return y
  })");
  EXPECT_NE(kernels.find("= n * 12\n"), std::string::npos) << kernels;
}

TEST(Streaming, OfFiltersHalfOfTheElementsCount) {
  const std::string kernels = kernels_of(R"(program "kept" (x: f32[n]) {
    m: i64, o: i64[2], y: f32[m] = redomap (i < n) { select(x[i] < 0f, 0, 1), x[i] } partition 1 of 1
    return m, o, y
  })");
  EXPECT_NE(kernels.find("= n * 8\n"), std::string::npos) << kernels;
}

}  // namespace
}  // namespace fulgurite::testing_lower
