// The prelude's math functions: their error against the C library in a wider format, and that a lane's bits
// do not depend on the lane count. f32: every 16411th of all bit patterns; f64: random numbers of all sizes.
// docs/math.md has the errors over all f32.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include "compiled_prelude.h"

namespace fulgurite::emit::testing {
namespace {

template <class Wide>
struct Function {
  const char* stem;
  Wide (*one)(Wide);
  Wide (*two)(Wide, Wide);
  double bound32, bound64;  // ULP
};

template <class Wide>
std::vector<Function<Wide>> functions() {
  using W = Wide;
  return {{"exp", [](W x) -> W { return std::exp(x); }, nullptr, 1.1, 1.1},
          {"exp2", [](W x) -> W { return std::exp2(x); }, nullptr, 1.1, 1.2},
          {"exp10", [](W x) -> W { return sizeof(W) == 8 ? ::exp10(x) : ::exp10l(x); }, nullptr, 1.3, 1.5},
          {"expm1", [](W x) -> W { return std::expm1(x); }, nullptr, 1.2, 1.3},
          {"log", [](W x) -> W { return std::log(x); }, nullptr, 1, 1},
          {"log2", [](W x) -> W { return std::log2(x); }, nullptr, 1.4, 1.4},
          {"log10", [](W x) -> W { return std::log10(x); }, nullptr, 1.2, 1.2},
          {"log1p", [](W x) -> W { return std::log1p(x); }, nullptr, 0.501, 1.1},
          {"sin", [](W x) -> W { return std::sin(x); }, nullptr, 1.6, 1},
          {"cos", [](W x) -> W { return std::cos(x); }, nullptr, 1.6, 1},
          {"tan", [](W x) -> W { return std::tan(x); }, nullptr, 0.501, 1.5},
          {"asin", [](W x) -> W { return std::asin(x); }, nullptr, 0.501, 1.2},
          {"acos", [](W x) -> W { return std::acos(x); }, nullptr, 0.501, 1.2},
          {"atan", [](W x) -> W { return std::atan(x); }, nullptr, 0.501, 1.1},
          {"sinh", [](W x) -> W { return std::sinh(x); }, nullptr, 0.501, 1.7},
          {"cosh", [](W x) -> W { return std::cosh(x); }, nullptr, 0.501, 1.3},
          {"tanh", [](W x) -> W { return std::tanh(x); }, nullptr, 1.4, 1.6},
          {"asinh", [](W x) -> W { return std::asinh(x); }, nullptr, 0.501, 1.1},
          {"acosh", [](W x) -> W { return std::acosh(x); }, nullptr, 0.501, 1.1},
          {"atanh", [](W x) -> W { return std::atanh(x); }, nullptr, 0.501, 1},
          {"erf", [](W x) -> W { return std::erf(x); }, nullptr, 1.9, 1.7},
          {"erfc", [](W x) -> W { return std::erfc(x); }, nullptr, 0.6, 2},
          {"cbrt", [](W x) -> W { return std::cbrt(x); }, nullptr, 0.501, 1.1},
          {"rsqrt", [](W x) -> W { return 1 / std::sqrt(x); }, nullptr, 1.5, 1.5},
          {"pow", nullptr, [](W x, W y) -> W { return std::pow(x, y); }, 0.501, 1.1},
          {"atan2", nullptr, [](W x, W y) -> W { return std::atan2(x, y); }, 0.501, 1.6},
          {"hypot", nullptr, [](W x, W y) -> W { return std::hypot(x, y); }, 0.501, 1.3}};
}

// The error of `got` in units in the last place of T at `exact`; where one is a NaN, an infinity or a zero of
// other sign and the other is not: infinite.
template <class T, class Wide>
double error_in_ulp(T got, Wide exact) {
  using Limits = std::numeric_limits<T>;
  T nearest = static_cast<T>(exact);
  if (nearest != nearest || got != got) return nearest != nearest && got != got ? 0 : Limits::infinity();
  if (nearest == 0 && got == 0) return std::signbit(nearest) == std::signbit(got) ? 0 : Limits::infinity();
  // An infinity counts as the least number that overflows.
  long double border = std::ldexp(1.0L, Limits::max_exponent);
  long double a = std::isinf(got) ? std::copysign(border, static_cast<long double>(got)) : got;
  long double b = std::isinf(nearest) ? std::copysign(border, static_cast<long double>(exact))
                                      : static_cast<long double>(exact);
  if (a == b) return 0;
  int exponent = b == 0 ? Limits::min_exponent : std::max(std::ilogb(b) + 1, Limits::min_exponent);
  return static_cast<double>(std::fabs(a - b) / std::ldexp(1.0L, exponent - Limits::digits));
}

template <class T>
struct Inputs {
  std::vector<T> a, b;
};

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  return {T(0),
          T(-0.0),
          T(1),
          T(-1),
          T(0.5),
          T(-0.5),
          T(2),
          T(-2),
          T(3),
          T(-3),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN(),
          Limits::denorm_min(),
          -Limits::denorm_min(),
          Limits::min(),
          -Limits::min(),
          Limits::max(),
          Limits::lowest(),
          T(88.7),
          T(-103.9),
          T(709.7),
          T(-745),
          T(1e9),
          T(-1e9)};
}

template <class T>
void fill_up(Inputs<T>& inputs) {
  while (inputs.a.size() % 64 != 0) {
    inputs.a.push_back(inputs.a[0]);
    inputs.b.push_back(inputs.b[0]);
  }
}

template <class T>
Inputs<T> inputs(bool all_patterns) {
  Inputs<T> found;
  for (T x : special_values<T>())
    for (T y : special_values<T>()) found.a.push_back(x), found.b.push_back(y);
  if (all_patterns) {
    for (std::uint64_t i = 0; i < std::uint64_t{1} << 32; i += 16411) {
      std::uint32_t bits = static_cast<std::uint32_t>(i);
      float x;
      std::memcpy(&x, &bits, 4);
      found.a.push_back(static_cast<T>(x)), found.b.push_back(0);
    }
  } else {
    std::mt19937_64 random(5);
    auto uniform = [&](double low, double high) {
      return static_cast<T>(low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53);
    };
    auto any = [&] {
      std::uint64_t bits = random() >> (64 - 8 * sizeof(T));
      T x;
      std::memcpy(&x, &bits, sizeof(T));
      return x;
    };
    for (int i = 0; i < 8000; ++i) {
      T near_one =
          1 + std::ldexp(uniform(-1, 1), -static_cast<int>(random() % std::numeric_limits<T>::digits));
      T small = std::ldexp(uniform(-2, 2), -static_cast<int>(random() % 40));
      found.a.insert(found.a.end(), {any(), uniform(-2, 2), uniform(-100, 100), uniform(-750, 750), small,
                                     near_one, uniform(0, 10), uniform(0, 30)});
      found.b.insert(found.b.end(), {any(), uniform(-2, 2), uniform(-100, 100), uniform(-10, 10),
                                     uniform(-2, 2), uniform(-1000, 1000), uniform(-50, 50), small});
    }
  }
  fill_up(found);
  return found;
}

template <class T, class Wide>
void test_accuracy(const std::string& cpu) {
  const std::string kind = sizeof(T) == 4 ? "f32" : "f64";
  const int widest = sizeof(T) == 4 ? 16 : 8;
  Inputs<T> one = inputs<T>(sizeof(T) == 4), two = inputs<T>(false);
  // The widest lanes' results are measured; those of other lane counts have their bits.
  const auto others = [&](std::size_t turn) {
    std::vector<int> lanes = lane_counts_at(cpu, turn);
    std::erase(lanes, widest);
    std::erase(lanes, 64);
    return lanes;
  };
  const std::vector<Function<Wide>> tested = functions<Wide>();
  std::string text;
  for (std::size_t turn = 0; turn < tested.size(); ++turn) {
    const int arguments = tested[turn].one ? 1 : 2;
    text += elementwise(tested[turn].stem, kind, "", widest, arguments);
    for (int lanes : others(turn)) text += elementwise(tested[turn].stem, kind, "", lanes, arguments);
  }
  Compiled compiled(text, cpu);
  for (std::size_t turn = 0; turn < tested.size(); ++turn) {
    const Function<Wide>& f = tested[turn];
    const Inputs<T>& in = f.one ? one : two;
    auto run = [&](int lanes, std::size_t n) {
      std::vector<T> result(n);
      compiled.find<void(const T*, const T*, T*, std::int64_t)>(
          fmt::format("{}_{}_x{}", f.stem, kind, lanes))(in.a.data(), in.b.data(), result.data(),
                                                         static_cast<std::int64_t>(n));
      return result;
    };
    std::vector<T> result = run(widest, in.a.size());
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      double error = error_in_ulp<T, Wide>(result[i], f.one ? f.one(in.a[i]) : f.two(in.a[i], in.b[i]));
      if (error > worst) worst = error, at = i;
    }
    EXPECT_LE(worst, sizeof(T) == 4 ? f.bound32 : f.bound64)
        << cpu << " " << f.stem << " " << kind << " of " << in.a[at] << ", " << in.b[at];
    ::testing::Test::RecordProperty(fmt::format("{}_{}_{}", f.stem, kind, cpu), fmt::format("{:.3f}", worst));
    for (int lanes : others(turn)) {
      std::vector<T> other = run(lanes, std::min<std::size_t>(result.size(), 65536));
      for (std::size_t i = 0; i < other.size(); ++i)
        ASSERT_TRUE(std::memcmp(&other[i], &result[i], sizeof(T)) == 0 ||
                    (other[i] != other[i] && result[i] != result[i]))
            << cpu << " " << f.stem << " " << kind << " x" << lanes << " of " << in.a[i] << ", " << in.b[i]
            << ": " << other[i] << ", x" << widest << ": " << result[i];
    }
  }
}

// Every f32 argument of the functions of one argument, on the best level that this machine has; prints the
// table of docs/math.md.
TEST(MathAccuracy, LargeEveryF32) {
  const std::string cpu = levels().back();
  std::string text;
  for (const auto& f : functions<double>())
    if (f.one) text += elementwise(f.stem, "f32", "", 16, 1);
  Compiled compiled(text, cpu);
  std::vector<float> in(65536), out(in.size());
  for (const auto& f : functions<double>()) {
    if (!f.one) continue;
    auto* run = compiled.find<void(const float*, const float*, float*, std::int64_t)>(
        fmt::format("{}_f32_x16", f.stem));
    double worst = 0;
    float at = 0;
    for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += in.size()) {
      for (std::size_t i = 0; i < in.size(); ++i) {
        std::uint32_t bits = static_cast<std::uint32_t>(first + i);
        std::memcpy(&in[i], &bits, 4);
      }
      run(in.data(), in.data(), out.data(), static_cast<std::int64_t>(in.size()));
      for (std::size_t i = 0; i < in.size(); ++i) {
        double error = error_in_ulp<float, double>(out[i], f.one(in[i]));
        if (error > worst) worst = error, at = in[i];
      }
    }
    fmt::print("{:8} {:.3f} ULP at {:a}\n", f.stem, worst, at);
    EXPECT_LE(worst, f.bound32) << cpu << " " << f.stem << " of " << at;
  }
}

TEST(MathAccuracy, SlowF32) {
  for (const std::string& cpu : levels()) test_accuracy<float, double>(cpu);
}
TEST(MathAccuracy, SlowF64) {
  for (const std::string& cpu : levels()) test_accuracy<double, long double>(cpu);
}

}  // namespace
}  // namespace fulgurite::emit::testing
