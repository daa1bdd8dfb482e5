// Reductions whose operator does not commute: lanes fold runs of the points.
#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

/// The largest sum of neighbours.
TEST(Runs, TupleOfFour) {
  expect_agreement_on<std::int32_t>(R"(program "segment" (x: i32[n]) {
    b: i32, p: i32, s: i32, t: i32 = redomap (i < n) {
      let m = max(x[i] - 500i32, 0i32)
      return m, m, m, x[i] - 500i32
    } reduce (ab: i32, ap: i32, as: i32, at: i32, bb: i32, bp: i32, bs: i32, bt: i32) { max(max(ab, bb), as + bp), max(ap, at + bp), max(bs, as + bt), at + bt } neutral 0i32, 0i32, 0i32, 0i32
    return b, p, s, t
  })");
}

// Composition of x -> a * x + b, modulo the size of the kind; without a neutral element, with one, and with
// an initial value.
template <class T>
void functions(const std::string& kind) {
  SCOPED_TRACE(kind);
  auto program = [&](const std::string& behind) {
    std::string text = R"(program "functions" (x: K[n]) {
      a: K, b: K = redomap (i < n) { x[i] * 2K + 1K, x[i] } reduce (a1: K, b1: K, a2: K, b2: K) { a1 * a2, b1 * a2 + b2 } )" +
                       behind + R"(
      return a, b
    })";
    for (std::size_t at; (at = text.find("2K")) != text.npos;) text.replace(at, 2, "2" + kind);
    for (std::size_t at = 0; (at = text.find('K', at)) != text.npos; ++at) text.replace(at, 1, kind);
    return text;
  };
  expect_agreement_on<T>(program("neutral 1K, 0K"), run_sizes, 100);
  expect_agreement_on<T>(program(""), not_empty(), 100);
  expect_agreement_on<T>(program("neutral 1K, 0K initial 3K, 5K"), {0, 1, 1000, 40000}, 100);
}

TEST(Runs, FunctionsOfEveryIntegerKind) {
  functions<std::int8_t>("i8");
  functions<std::int16_t>("i16");
  functions<std::int32_t>("i32");
  functions<std::int64_t>("i64");
  functions<std::uint8_t>("u8");
  functions<std::uint16_t>("u16");
  functions<std::uint32_t>("u32");
  functions<std::uint64_t>("u64");
}

/// The last element that is not 0, and how many there were: nothing is rounded.
TEST(Runs, Floats) {
  expect_agreement_on<float>(R"(program "last" (x: f32[n]) {
    l: f32, c: f32 = redomap (i < n) { x[i] % 3.0f, 1.0f } reduce (a: f32, c: f32, b: f32, d: f32) { select(b == 0.0f, a, b), c + d } neutral 0.0f, 0.0f
    return l, c
  })");
  expect_agreement_on<double>(R"(program "last" (x: f64[n]) {
    l: f64, c: f64 = redomap (i < n) { x[i] % 3.0, 1.0 } reduce (a: f64, c: f64, b: f64, d: f64) { select(b == 0.0, a, b), c + d }
    return l, c
  })",
                              not_empty());
}

/// Functions of one bit, as their two values.
TEST(Runs, Booleans) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : run_sizes)
    arguments.push_back({array_value({n}, std::vector<bool>(static_cast<std::size_t>(n), true)),
                         array_value(numbers<std::int32_t>(n, 4))});
  expect_agreement_for(R"(program "bits" (p: bool[n], x: i32[m]) {
    f: bool, g: bool = redomap (i < n) { (x[i] & 1i32) == 0i32, p[i] & ((x[i] & 2i32) == 0i32) } reduce (a: bool, b: bool, c: bool, d: bool) { select(a, d, c), select(b, d, c) } neutral false, true
    return f, g
  })",
                       arguments);
}

/// Components of several widths, read from arrays of several widths, one of them backwards, and the place
/// itself.
TEST(Runs, MixedWidths) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : not_empty())
    arguments.push_back(
        {array_value(numbers<std::int8_t>(n, 100)), array_value(numbers<std::int64_t>(n, 1000, 7)),
         array_value(numbers<float>(n, 50, 3)), array_value(numbers<std::int16_t>(n, 9000, 5))});
  expect_agreement_for(R"(program "mixed" (x: i8[n], y: i64[m], z: f32[k], w: i16[l]) {
    a: i8, b: i64, c: f32, d: i32, e: i16 = redomap (i < n) { x[i], y[n - 1 - i], z[i], i32(i), w[i] } reduce (a: i8, b: i64, c: f32, d: i32, e: i16, a2: i8, b2: i64, c2: f32, d2: i32, e2: i16) { a2, select(b2 % 3 == 0, b, b2), select(c2 == 7.0f, c, c2), max(d, d2), select(e2 < 50i16, e, e2) }
    return a, b, c, d, e
  })",
                       arguments);
}

/// Products of 2x2 matrices in bytes of a word.
TEST(Runs, MatricesInAWord) {
  expect_agreement_on<std::uint32_t>(R"(program "matrices" (x: u32[n]) {
    m: u32 = redomap (i < n) { (x[i] * 77u32 + u32(i)) | 1u32 } reduce (p: u32, q: u32) {
      let a = p & 255u32
      let b = (p >> 8u32) & 255u32
      let c = (p >> 16u32) & 255u32
      let e = p >> 24u32
      let f = q & 255u32
      let t = (q >> 8u32) & 255u32
      let u = (q >> 16u32) & 255u32
      let v = q >> 24u32
      return ((a * f + b * u) & 255u32) | (((a * t + b * v) & 255u32) << 8u32) | (((c * f + e * u) & 255u32) << 16u32) | ((c * t + e * v) << 24u32)
    } neutral 16777217u32
    return m
  })");
}

/// Beside reductions that commute, mapped and scattered arrays of the same points.
TEST(Runs, BesideOtherOutputs) {
  expect_agreement_on<std::int32_t>(R"(program "beside" (x: i32[n]) {
    most: i32, a: i32, b: i32, total: i32, back: i32[n], y: i32[n] = redomap (i < n) {
      let v = x[i] * 3i32 + 1i32
      return v, v, x[i], x[i], n - 1 - i, v, v - x[i]
    } reduce max comm neutral -1i32 reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32 reduce add comm neutral 0i32 scatter (n) (j: i64) { 0i32 }
    return most, a, b, total, back, y
  })");
}

TEST(Runs, TwoOperators) {
  expect_agreement_on<std::int32_t>(R"(program "two" (x: i32[n]) {
    f: i32, l: i32 = redomap (i < n) { x[i] + 7i32, x[i] } reduce (a: i32, b: i32) { a } reduce (c: i32, d: i32) { select(d == 3i32, c, d) } neutral 3i32
    return f, l
  })",
                                    not_empty());
}

/// Rows of several lengths, walked as points and as rows.
TEST(Runs, OverARank2Space) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : {0, 1, 3, 70})
    for (std::int64_t m : {0, 1, 5, 600, 17000})
      arguments.push_back({array_value({n, m}, numbers<std::int32_t>(n * m, 100))});
  expect_agreement_for(R"(program "rank2" (x: i32[n, m]) {
    a: i32, b: i32 = redomap (i < n, j < m) { x[i, j] * 2i32 + 1i32, x[i, j] } reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
    c: i32, d: i32 = redomap (i < n, j < m) { x[i, j] * 2i32 + 1i32, i32(j) + x[i, m - 1 - j] } reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
    return a, b, c, d
  })",
                       arguments);
}

/// A row at a time, and what is found by an index that the data give.
TEST(Runs, InsideAMapAndGathered) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : {0, 1, 40})
    for (std::int64_t m : {1, 5, 3000})
      arguments.push_back({array_value({n, m}, numbers<std::int32_t>(n * m, static_cast<int>(m)))});
  expect_agreement_for(R"(program "rows" (x: i32[n, m]) {
    y: i32[n], z: i32[n] = map (i < n) {
      a: i32, b: i32 = redomap (j < m) { x[i, j] * 2i32 + 1i32, x[i, i64(x[i, j])] } reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
      return a, b
    }
    return y, z
  })",
                       arguments);
}

/// The edges of a stencil cut the axis in pieces.
TEST(Runs, InPieces) {
  expect_agreement_on<std::int32_t>(R"(program "pieces" (x: i32[n]) {
    a: i32, b: i32 = redomap (i < n) {
      v: i32 = if (i < n / 3) { return x[i] } else { return x[i - n / 3] * 2i32 }
      return v * 2i32 + 1i32, v
    } reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
    return a, b
  })");
}

/// The operator has a branch and a loop.
TEST(Runs, OperatorWithStatements) {
  expect_agreement_on<std::int32_t>(R"(program "digits" (x: i32[n]) {
    a: i32 = redomap (i < n) { x[i] } reduce (p: i32, q: i32) {
      d: i32 = if (q < 10i32) { return p } else { return q }
      return d
    }
    return a
  })",
                                    not_empty());
}

/// What the data point to is checked; the first point that fails is reported.
TEST(Runs, ChecksThatFail) {
  expect_checked_pointers<std::int32_t>(R"(program "pointers" (x: i32[n], y: i32[m]) {
    a: i32, b: i32 = redomap (i < n) { x[i] * 2i32 + 1i32, y[i64(x[i])]@1 } reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
    return a, b
  }
  sites {
    1 index @"test.cpp":5 "index {0} of {1} at {2}"
  })");
}

}  // namespace
}  // namespace fulgurite::testing_lower
