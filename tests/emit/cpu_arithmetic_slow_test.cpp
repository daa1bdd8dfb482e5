// The prelude's integer arithmetic, conversions and memory accesses against plain C++, for every kind and
// lane count and each level of x86-64.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <type_traits>

#include "compiled_prelude.h"

namespace fulgurite::emit::testing {
namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t, std::uint16_t, std::uint32_t, std::uint64_t,
    std::uint8_t;

template <class T>
std::string kind_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
  return (std::is_signed_v<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
}

// Numbers near every border, then random ones of all sizes.
template <class T>
std::vector<T> samples(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> found;
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_integral_v<T>) {
    for (T x : {T(0), T(1), T(2), T(3), T(7), Limits::max(), Limits::min(), T(Limits::max() - 1),
                T(Limits::min() + 1), T(-1), T(-2), T(10)})
      found.push_back(x);
    while (found.size() < n) found.push_back(static_cast<T>(random() >> random() % (8 * sizeof(T))));
  } else {
    for (T x : {T(0), T(-0.0), T(0.5), T(-0.5), T(1.5), T(-1), Limits::max(), Limits::lowest(),
                Limits::denorm_min(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
      found.push_back(x);
    for (int bits : {7, 8, 15, 16, 31, 32, 63, 64})
      for (T step : {T(-1), T(0), T(1)}) {
        T border = std::ldexp(T(1), bits);
        found.push_back(step == 0 ? border : std::nextafter(border, step * Limits::infinity()));
        found.push_back(-found.back());
      }
    while (found.size() < n)
      found.push_back(std::ldexp(T(random() % 4096) / 4096 - T(0.5), static_cast<int>(random() % 70)));
  }
  return found;
}

// All pairs of the first samples, then random pairs; a multiple of 64 in number.
template <class T>
void pairs(std::vector<T>& a, std::vector<T>& b) {
  std::vector<T> x = samples<T>(4096, 1), y = samples<T>(4096, 2);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t k = 0; k < 12; ++k) a.push_back(x[i]), b.push_back(y[k]);
  for (std::size_t i = 0; i < x.size(); ++i) a.push_back(x[i]), b.push_back(y[(i * 7 + 3) % y.size()]);
  while (a.size() % 64 != 0) a.push_back(a[0]), b.push_back(b[0]);
}

template <class T, class R>
bool same(R x, R y) {
  if constexpr (std::is_floating_point_v<R>)
    if (x != x || y != y) return x != x && y != y;
  return std::memcmp(&x, &y, sizeof(R)) == 0;
}

template <class T>
struct Operation {
  const char* stem;
  int arguments;
  std::function<T(T, T)> meaning;
};

template <class T>
std::vector<Operation<T>> integer_operations() {
  using U = std::make_unsigned_t<T>;
  constexpr int width = 8 * sizeof(T);
  auto div = [](T a, T b) -> T {
    return b == 0 ? a : std::is_signed_v<T> && b == T(-1) ? T(U(0) - U(a)) : T(a / b);
  };
  return {{"add", 2, [](T a, T b) { return T(uint64_t(a) + uint64_t(b)); }},
          {"sub", 2, [](T a, T b) { return T(uint64_t(a) - uint64_t(b)); }},
          {"mul", 2, [](T a, T b) { return T(uint64_t(a) * uint64_t(b)); }},
          {"div", 2, div},
          {"rem", 2,
           [=](T a, T b) { return b == 0 ? T(0) : T(uint64_t(a) - uint64_t(div(a, b)) * uint64_t(b)); }},
          {"ceil_div", 2,
           [=](T a, T b) {
             if (b == 0) return a;
             const T quotient = div(a, b), rest = T(uint64_t(a) - uint64_t(quotient) * uint64_t(b));
             return T(quotient + (rest != 0 && (rest < T(0)) == (b < T(0))));
           }},
          {"min", 2, [](T a, T b) { return a < b ? a : b; }},
          {"max", 2, [](T a, T b) { return a > b ? a : b; }},
          {"shl", 2, [](T a, T b) { return T(uint64_t(a) << (uint64_t(b) % width)); }},
          {"shr", 2, [](T a, T b) { return T(a >> (uint64_t(b) % width)); }},
          {"neg", 1, [](T a, T) { return T(uint64_t(0) - uint64_t(a)); }},
          {"abs", 1, [](T a, T) { return a < T(0) ? T(uint64_t(0) - uint64_t(a)) : a; }},
          {"sign", 1, [](T a, T) { return T((a > T(0)) - (a < T(0))); }},
          {"popcount", 1, [](T a, T) { return T(std::popcount(U(a))); }},
          {"clz", 1, [](T a, T) { return T(std::countl_zero(U(a))); }},
          {"ctz", 1, [](T a, T) { return T(std::countr_zero(U(a))); }}};
}

template <class T>
std::vector<Operation<T>> float_operations() {
  return {{"div", 2, [](T a, T b) { return a / b; }},
          {"copysign", 2, [](T a, T b) { return std::copysign(a, b); }},
          {"rem", 2, [](T a, T b) { return std::fmod(a, b); }},
          {"abs", 1, [](T a, T) { return std::fabs(a); }},
          {"sign", 1, [](T a, T) { return a > 0   ? T(1)
                                          : a < 0 ? T(-1)
                                                  : a; }},
          {"sqrt", 1, [](T a, T) { return std::sqrt(a); }},
          {"floor", 1, [](T a, T) { return std::floor(a); }},
          {"ceil", 1, [](T a, T) { return std::ceil(a); }},
          {"trunc", 1, [](T a, T) { return std::trunc(a); }},
          {"round", 1, [](T a, T) { return std::round(a); }},
          {"rint", 1, [](T a, T) { return std::nearbyint(a); }}};
}

template <class T>
void test_operations(const std::vector<Operation<T>>& operations) {
  std::vector<T> a, b;
  pairs(a, b);
  std::vector<T> result(a.size());
  const std::string kind = kind_of<T>();
  for (const std::string& cpu : levels()) {
    std::string text;
    for (std::size_t turn = 0; turn < operations.size(); ++turn)
      for (int lanes : lane_counts_at(cpu, turn))
        text += elementwise(operations[turn].stem, kind, "", lanes, operations[turn].arguments);
    Compiled compiled(text, cpu);
    for (std::size_t turn = 0; turn < operations.size(); ++turn)
      for (int lanes : lane_counts_at(cpu, turn)) {
        const Operation<T>& operation = operations[turn];
        auto* run = compiled.find<void(const T*, const T*, T*, int64_t)>(
            fmt::format("{}_{}_x{}", operation.stem, kind, lanes));
        run(a.data(), b.data(), result.data(), static_cast<int64_t>(a.size()));
        for (std::size_t i = 0; i < a.size(); ++i) {
          T expected = operation.meaning(a[i], b[i]);
          ASSERT_TRUE((same<T, T>(result[i], expected)))
              << cpu << " " << operation.stem << " " << kind << " x" << lanes << " of " << +a[i] << ", "
              << +b[i] << ": " << +result[i] << ", not " << +expected;
        }
      }
  }
}

TEST(CpuArithmetic, SlowOperationsOnI8) {
  test_operations(integer_operations<int8_t>());
}
TEST(CpuArithmetic, SlowOperationsOnI16) {
  test_operations(integer_operations<int16_t>());
}
TEST(CpuArithmetic, SlowOperationsOnI32) {
  test_operations(integer_operations<int32_t>());
}
TEST(CpuArithmetic, SlowOperationsOnI64) {
  test_operations(integer_operations<int64_t>());
}
TEST(CpuArithmetic, SlowOperationsOnU8) {
  test_operations(integer_operations<uint8_t>());
}
TEST(CpuArithmetic, SlowOperationsOnU16) {
  test_operations(integer_operations<uint16_t>());
}
TEST(CpuArithmetic, SlowOperationsOnU32) {
  test_operations(integer_operations<uint32_t>());
}
TEST(CpuArithmetic, SlowOperationsOnU64) {
  test_operations(integer_operations<uint64_t>());
}
TEST(CpuArithmetic, SlowOperationsOnF32) {
  test_operations(float_operations<float>());
}
TEST(CpuArithmetic, SlowOperationsOnF64) {
  test_operations(float_operations<double>());
}

// min and max ignore NaN; of two zeros either may come.
template <class T>
void test_min_max() {
  std::vector<T> a, b;
  pairs(a, b);
  std::vector<T> result(a.size());
  std::string kind = kind_of<T>(), text;
  for (const char* stem : {"min", "max"})
    for (int lanes : lane_counts) text += elementwise(stem, kind, "", lanes, 2);
  for (const std::string& cpu : levels()) {
    Compiled compiled(text, cpu);
    for (bool max : {false, true})
      for (int lanes : lane_counts) {
        auto* run = compiled.find<void(const T*, const T*, T*, int64_t)>(
            fmt::format("{}_{}_x{}", max ? "max" : "min", kind, lanes));
        run(a.data(), b.data(), result.data(), static_cast<int64_t>(a.size()));
        for (std::size_t i = 0; i < a.size(); ++i) {
          T expected = max ? std::fmax(a[i], b[i]) : std::fmin(a[i], b[i]);
          ASSERT_TRUE(result[i] == expected || (result[i] != result[i] && expected != expected))
              << cpu << " " << a[i] << " " << b[i];
        }
      }
  }
}
// Where the second operand is a number.
template <class T>
void test_min_max_of_numbers() {
  std::vector<T> a, b;
  pairs(a, b);
  for (T& number : b)
    if (number != number) number = -std::numeric_limits<T>::infinity();
  std::vector<T> result(a.size());
  const std::string kind = kind_of<T>();
  std::string text;
  for (const char* stem : {"min_of_number", "max_of_number"})
    for (int lanes : lane_counts) text += elementwise(stem, kind, "", lanes, 2);
  for (const std::string& cpu : levels()) {
    const Compiled compiled(text, cpu);
    for (bool max : {false, true})
      for (int lanes : lane_counts) {
        auto* run = compiled.find<void(const T*, const T*, T*, int64_t)>(
            fmt::format("{}_of_number_{}_x{}", max ? "max" : "min", kind, lanes));
        run(a.data(), b.data(), result.data(), static_cast<int64_t>(a.size()));
        for (std::size_t i = 0; i < a.size(); ++i)
          ASSERT_EQ(result[i], max ? std::fmax(a[i], b[i]) : std::fmin(a[i], b[i]))
              << cpu << " " << a[i] << " " << b[i];
      }
  }
}
TEST(CpuArithmetic, SlowMinMaxOfNumbers) {
  test_min_max_of_numbers<float>();
  test_min_max_of_numbers<double>();
}
TEST(CpuArithmetic, SlowMinMaxOfF32) {
  test_min_max<float>();
}
TEST(CpuArithmetic, SlowMinMaxOfF64) {
  test_min_max<double>();
}

// What a conversion means, docs/semantics.md.
template <class To, class From>
To converted(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (x != x) return 0;
    if (x >= std::ldexp(From(1), std::numeric_limits<To>::digits)) return std::numeric_limits<To>::max();
    if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  }
  return static_cast<To>(x);
}

template <class From, class To>
void test_cast(const Compiled& compiled, const std::string& where, std::size_t turn) {
  std::vector<From> a = samples<From>(4096, 3);
  std::vector<To> result(a.size());
  for (int lanes : lane_counts_at(where, turn)) {
    auto* run = compiled.find<void(const From*, const From*, To*, int64_t)>(
        fmt::format("cast_{}_{}_x{}", kind_of<From>(), kind_of<To>(), lanes));
    run(a.data(), nullptr, result.data(), static_cast<int64_t>(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_TRUE((same<To, To>(result[i], converted<To>(a[i]))))
          << where << " " << kind_of<From>() << " to " << kind_of<To>() << " x" << lanes << " of " << +a[i]
          << ": " << +result[i];
  }
}

template <class From, class... To>
void test_casts_to() {
  for (const std::string& cpu : levels()) {
    std::string text;
    std::size_t turn = 0;
    for (const std::string& to : {kind_of<To>()...})
      for (int lanes : lane_counts_at(cpu, turn++))
        text += elementwise("cast", kind_of<From>(), to, lanes, 1);
    Compiled compiled(text, cpu);
    turn = 0;
    (test_cast<From, To>(compiled, cpu, turn++), ...);
  }
}

template <class From>
void test_casts() {
  test_casts_to<From, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float,
                double>();
}

TEST(CpuArithmetic, SlowCastsFromF32) {
  test_casts<float>();
}
TEST(CpuArithmetic, SlowCastsFromF64) {
  test_casts<double>();
}
TEST(CpuArithmetic, SlowCastsFromI32) {
  test_casts<int32_t>();
}
TEST(CpuArithmetic, SlowCastsFromU32) {
  test_casts<uint32_t>();
}
TEST(CpuArithmetic, SlowCastsFromI64) {
  test_casts<int64_t>();
}
TEST(CpuArithmetic, SlowCastsFromU64) {
  test_casts<uint64_t>();
}
TEST(CpuArithmetic, SlowCastsFromU8) {
  test_casts<uint8_t>();
}
TEST(CpuArithmetic, SlowCastsFromI16) {
  test_casts<int16_t>();
}

}  // namespace
}  // namespace fulgurite::emit::testing
