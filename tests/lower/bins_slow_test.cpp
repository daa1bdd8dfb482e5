// Histograms and permutations with an operator on the cpu engine: private bins, several copies of few.
#include <fmt/format.h>

#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

// Around portions, rounds of updates, and the tasks of a histogram; some large enough for copies.
const std::vector<std::int64_t> sizes_of_histograms = {0,   1,   7,    8,     9,     17,    511,
                                                       512, 513, 1000, 20000, 65536, 65537, 140001};

/// Histograms of elements of type T, with and without copies, and with places outside on both sides.
template <class T>
void expect_bins(const std::string& kind, const std::string& op, const std::string& neutral) {
  for (std::int64_t n_bins : {0, 1, 10, 256, 2000})
    for (std::int64_t n : {0, 9, 513, 70003}) {
      SCOPED_TRACE(fmt::format("{} {}, {} bins, {} values", op, kind, n_bins, n));
      expect_agreement(
          fmt::format(R"(program "bins" (b: i64, x: i32[n], v: {0}[m]) {{
            y: {0}[b] = redomap (i < n) {{ i64(x[i]) - 2, v[i] }} scatter (b) (j: i64) {{ {2} }} combine {1} comm neutral {2}
            return y
          }})",
                      kind, op, neutral),
          {scalar_value(n_bins), array_value(numbers<std::int32_t>(n, static_cast<int>(n_bins) + 5)),
           array_value(numbers<T>(n, 3, 7))});
    }
}

TEST(Bins, OfEveryElementType) {
  expect_bins<std::int8_t>("i8", "add", "0i8");
  expect_bins<std::uint8_t>("u8", "max", "0u8");
  expect_bins<std::int16_t>("i16", "min", "32767i16");
  expect_bins<std::uint16_t>("u16", "bit_or", "0u16");
  expect_bins<std::int32_t>("i32", "mul", "1i32");
  expect_bins<std::uint32_t>("u32", "bit_xor", "0u32");
  expect_bins<std::int64_t>("i64", "add", "0");
  expect_bins<std::uint64_t>("u64", "max", "0u64");
  expect_bins<float>("f32", "add", "0.0f");
  expect_bins<double>("f64", "add", "0.0");
}

/// Keys of every type that is an index: narrow ones are compared as they are.
template <class T>
void expect_keys(const std::string& kind) {
  const std::string index = kind == "i64" ? "x[i]" : "i64(x[i])";
  for (std::int64_t n : sizes_of_histograms) {
    SCOPED_TRACE(fmt::format("{} keys of {}", n, kind));
    std::vector<T> keys = numbers<T>(n, 100);
    for (std::size_t i = 0; i < keys.size(); i += 11) keys[i] = static_cast<T>(-1 - static_cast<int>(i % 3));
    expect_agreement(fmt::format(R"(program "keys" (x: {}[n]) {{
      y: i32[50] = redomap (i < n) {{ {}, 1i32 }} scatter (50) (j: i64) {{ i32(j) }} combine add comm neutral 0i32
      return y
    }})",
                                 kind, index),
                     {array_value(keys)});
  }
}

TEST(Bins, ByKeysOfEveryType) {
  expect_keys<std::int8_t>("i8");
  expect_keys<std::uint8_t>("u8");
  expect_keys<std::int16_t>("i16");
  expect_keys<std::uint16_t>("u16");
  expect_keys<std::int32_t>("i32");
  expect_keys<std::uint32_t>("u32");
  expect_keys<std::int64_t>("i64");
  expect_keys<std::uint64_t>("u64");
}

TEST(Bins, AllValuesInOne) {
  expect_agreement(R"(program "one" (x: i32[n]) {
    y: i32[10] = redomap (i < n) { 3, x[i] } scatter (10) (j: i64) { 0i32 } combine add comm neutral 0i32
    return y
  })",
                   {array_value(numbers<std::int32_t>(70001, 1000))});
}

TEST(Bins, Many) {
  for (std::int64_t n : {5, 70000, 400001})
    expect_agreement(R"(program "many" (x: i32[n]) {
      y: i32[300000] = redomap (i < n) { i64(x[i] * 3i32) - 1, 1i32 } scatter (300000) (j: i64) { i32(j) } combine add comm neutral 0i32
      return y
    })",
                     {array_value(numbers<std::int32_t>(n, 100010))});
}

/// The least value of each bin and where it is: the first of equal ones. Said to commute, and not.
TEST(Bins, LeastAndItsIndex) {
  for (const char* commutes : {"comm ", ""})
    for (std::int64_t n : sizes_of_histograms) {
      SCOPED_TRACE(n);
      expect_agreement(fmt::format(R"(program "least" (x: i32[n], v: f32[m]) {{
        y: f32[20], p: i64[20] = redomap (i < n) {{ i64(x[i]), v[i], i }} scatter (20) (j: i64) {{ 1000.0f, -1 }}
          combine (a: f32, i: i64, b: f32, k: i64) {{
            let left = a < b | (!(b < a) & i <= k)
            return select(left, a, b), select(left, i, k)
          }} {}neutral 1000.0f, -1
        return y, p
      }})",
                                   commutes),
                       {array_value(numbers<std::int32_t>(n, 22)), array_value(numbers<float>(n, 40, 5))});
    }
}

/// Values and initial elements in their order.
TEST(Bins, OperatorThatDoesNotCommute) {
  for (std::int64_t n : sizes_of_histograms)
    expect_agreement(R"(program "composed" (x: i32[n]) {
      y: i32[4, 5], z: i32[4, 5] = redomap (i < n) {
        let p = i64(x[i] % 26i32)
        return p / 5, p % 5, x[i] * 2i32 + 1i32, i32(i)
      } scatter (4, 5) (j: i64, k: i64) { 3i32, i32(j * k) } combine (a: i32, b: i32, c: i32, d: i32) { a * c, b * c + d }
      return y, z
    })",
                     {array_value(numbers<std::int32_t>(n, 1000))});
}

// Lanes join the private bins of several tasks, and an operator that folds something does that by itself.
TEST(Bins, OperatorThatFolds) {
  for (std::int64_t n : {0, 513, 70003})
    expect_agreement(R"(program "bins" (x: i32[n], c: i64) {
      y: i32[16] = redomap (i < n) { i64(x[i] % 16i32), x[i] } scatter (16) (l: i64) { i32(l) } combine (a: i32, b: i32) {
        m: i32 = redomap (j < c) { select(j % 2 == 0, a, b) } reduce max comm neutral -2147483648i32
        return m
      } comm neutral -2147483648i32
      return y
    })",
                     {array_value(numbers<std::int32_t>(n, 1000)), scalar_value(std::int64_t{5})});
}

TEST(Bins, WithoutNeutralElement) {
  for (std::int64_t n : {0, 3, 600, 70000})
    expect_agreement(R"(program "greatest" (x: i32[n]) {
      y: i32[9] = redomap (i < n) { i64(x[i]), x[n - 1 - i] } scatter (9) (j: i64) { 4i32 } combine max comm
      return y
    })",
                     {array_value(numbers<std::int32_t>(n, 10))});
}

/// Which operand an operator takes is known once the value is.
TEST(Bins, ChoiceOfAConstant) {
  for (std::int64_t n : sizes_of_histograms) {
    SCOPED_TRACE(n);
    expect_agreement(R"(program "choice" (x: i32[n]) {
      y: i32[7] = redomap (i < n) { i64(x[i]), 5i32 }
        scatter (7) (j: i64) { 0i32 } combine (l: i32, r: i32) { select(r == 5i32, r, l) } neutral 0i32
      return y
    })",
                     {array_value(numbers<std::int32_t>(n, 9))});
  }
}

/// What is put into bins is what an array held before the same launch changed it.
TEST(Bins, OfAnArrayThatIsUpdated) {
  for (std::int64_t n : sizes_of_histograms) {
    SCOPED_TRACE(n);
    expect_agreement(R"(program "both" (k: i32[n], x: i32[m]) {
      y: i32[n] = map (i < n) { x[i] * 3i32 }
      h: i32[10], z: i32[n] = redomap (i < n) { return i64(k[i]), y[i], i, y[i] * 2i32 + 1i32 }
        scatter (10) (b: i64) { 0i32 } combine add comm neutral 0i32
        scatter (n) (p: i64) { y[p] }
      return h, z
    })",
                     {array_value(numbers<std::int32_t>(n, 12)), array_value(numbers<std::int32_t>(n, 99))});
  }
}

TEST(Bins, OfBooleans) {
  for (std::int64_t n : {0, 3, 600, 70000})
    expect_agreement(R"(program "some" (x: i32[n]) {
      y: bool[9] = redomap (i < n) { i64(x[i]), 17i32 < x[n - 1 - i] } scatter (9) (j: i64) { false } combine bit_or comm neutral false
      return y
    })",
                     {array_value(numbers<std::int32_t>(n, 20))});
}

/// A sum that divides by its operand is not applied to what falls outside.
TEST(Bins, OperatorThatMayFail) {
  for (std::int64_t n : {1, 600, 20000})
    expect_agreement(R"(program "quotients" (x: i32[n]) {
      y: i32[3] = redomap (i < n) { i64(x[i]), select(x[i] < 3i32, i32(i) + 1i32, 0i32) } scatter (3) (j: i64) { 1i32 } combine (a: i32, b: i32) { a + b /@1 b * b }
      return y
    }
    sites {
      1 arithmetic @"test.soac":1 "division by zero"
    })",
                     {array_value(numbers<std::int32_t>(n, 7))});
}

TEST(Bins, OverARank2Space) {
  for (std::int64_t n : {0, 1, 7, 300})
    for (std::int64_t m : {0, 1, 33, 513})
      expect_agreement(R"(program "rank2" (x: i32[n, m]) {
        y: i32[6], w: i32[n, m] = redomap (i < n, j < m) { i64(x[i, j]) - 1, i32(j) + i32(i), x[i, j] + i32(i) } scatter (6) (k: i64) { 1i32 } combine add comm neutral 0i32
        z: i32[3, 4] = redomap (i_1 < n, j_1 < m) { i64(x[i_1, j_1]) - 2, j_1 % 5, x[i_1, j_1] } scatter (3, 4) (k_1: i64, l: i64) { 0i32 } combine add comm neutral 0i32
        return y, w, z
      })",
                       {array_value({n, m}, numbers<std::int32_t>(n * m, 9))});
}

/// Two histograms, sums in lanes and in order, a scan and a filter of the same points.
TEST(Bins, BesideEverythingElse) {
  for (std::int64_t n : sizes_of_histograms)
    expect_agreement(R"(program "beside" (x: i32[n]) {
      total: i32, last: i32, a: i32[5], b: i64[100], back: i32[n], m: i64, o: i64[2], even: i32[m], running: i32[n] = redomap (i < n) {
        s: i32 = scan (x[i]) add comm neutral 0i32
        return x[i], x[i], i64(x[i] % 7i32) - 1, x[i], i64(x[i]), 1, n - 1 - i, x[i], i64(x[i] % 2i32), x[i], s
      } reduce add comm neutral 0i32 reduce (p: i32, q: i32) { select(q < 0i32, p, q) } neutral -1i32
        scatter (5) (j: i64) { 0i32 } combine max comm neutral 0i32
        scatter (100) (j_1: i64) { j_1 } combine add comm neutral 0
        scatter (n) (j_2: i64) { 0i32 } partition 1 of 1
      return total, last, a, b, back, m, o, even, running
    })",
                     {array_value(numbers<std::int32_t>(n, 104))});
}

}  // namespace
}  // namespace fulgurite::testing_lower
