// Sums of a kernel of the kernel language take products as those of array programs do.
#include <fulgurite/fulgurite.h>

#include <cmath>

#include "everywhere.h"

namespace fulgurite::test {
namespace {

namespace k = kernel;
using k::Pull;

constexpr int n = 64;

std::vector<float> floats(int seed) {
  std::vector<float> xs;
  for (int x : numbers(2 * n, 1009)) xs.push_back(static_cast<float>(x + seed) / 1013.0F - 0.4F);
  return xs;
}

auto differences() {
  return k::kernel("differences", k::block<float>(n), k::block<float>(n), [](Pull<float> a, Pull<float> b) {
    return k::zip_with([](Exp<float> x, Exp<float> y) { return x * y - (x * 2.0F) * (y * 0.5F); }, a, b);
  });
}

auto steps() {
  return k::kernel("steps", k::block<float>(n), k::block<float>(n), [](Pull<float> a, Pull<float> b) {
    const auto first = k::sync(k::zip_with([](Exp<float> x, Exp<float> y) { return x * y + y; }, a, b));
    return k::zip_with([](Exp<float> x, Exp<float> y) { return x - y * 3.0F; }, first, b);
  });
}

float expected_step(float x, float y) {
  const float first = std::fma(x, y, y);
  return std::fma(y, -3.0F, first);
}

bool has_fma() {
  static const bool has = [] {
    const float e = 0x1p-12F;
    return compile([](Vec<float> a, Vec<float> c) { return a * a + c; })(
               std::vector<float>{1 + e}, std::vector<float>{-(1 + 2 * e)})[0] != 0;
  }();
  return has;
}

TEST(KernelContraction, DifferencesOfEqualProductsAreZero) {
  on_every_engine(
      [](const auto& result) {
        for (float x : result.to_vector()) ASSERT_EQ(x, 0.0F);
      },
      differences(), floats(1), floats(2));
}

TEST(KernelContraction, SumsRoundOnceAloneAndInProgramsButNotUnderStrict) {
  if (!has_fma()) GTEST_SKIP() << "this hardware has no fused multiply-add";
  const std::vector<float> x = floats(1), y = floats(2);
  on_every_engine(
      [&](const auto& result) {
        for (std::size_t i = 0; i < x.size(); ++i)
          ASSERT_EQ(result[static_cast<std::int64_t>(i)], expected_step(x[i], y[i])) << i;
      },
      steps(), x, y);
  const auto kernel = steps();
  const auto program = [kernel](Vec<float> a, Vec<float> b) { return k::call(kernel, a, b); };
  for (const Engine engine : {Engine::cpu, Engine::interpreter, Engine::emulator}) {
    const auto fast = compile(program, {.engine = engine})(x, y);
    const auto strict = compile(program, {.engine = engine, .precision = Precision::strict})(x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      ASSERT_EQ(fast[at], expected_step(x[i], y[i])) << i;
      volatile float product = x[i] * y[i], three = y[i] * 3.0F, first = product + y[i];
      ASSERT_EQ(strict[at], first - three) << i;
    }
  }
}

}  // namespace
}  // namespace fulgurite::test
