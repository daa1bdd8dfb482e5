// Scans whose operators are expensive: lanes scan runs of the points.
#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// Products of 2x2 matrices in bytes of a word.
const std::string product = R"((p: u32, q: u32) {
      let a = p & 255u32
      let b = (p >> 8u32) & 255u32
      let c = (p >> 16u32) & 255u32
      let e = p >> 24u32
      let f = q & 255u32
      let t = (q >> 8u32) & 255u32
      let u = (q >> 16u32) & 255u32
      let v = q >> 24u32
      return ((a * f + b * u) & 255u32) | (((a * t + b * v) & 255u32) << 8u32) | (((c * f + e * u) & 255u32) << 16u32) | ((c * t + e * v) << 24u32)
    } neutral 16777217u32 )";

TEST(ScanRuns, MatricesInAWord) {
  const std::string text = R"(program "matrices" (x: u32[n]) {
    y: u32[n] = map (i < n) { m: u32 = scan KIND ((x[i] * 77u32 + u32(i)) | 1u32) )" +
                           product + R"( FROM return m }
    return y
  })";
  for (const char* kind : {"", "exclusive"})
    for (const char* from : {"", "initial 50462977u32"}) {
      SCOPED_TRACE(std::string(kind) + from);
      expect_agreement_on<std::uint32_t>(replaced(replaced(text, "KIND", kind), "FROM", from));
    }
}

// Composition of x -> a * x + b, modulo a prime.
template <class T>
void functions(const std::string& kind) {
  SCOPED_TRACE(kind);
  const std::string text = R"(program "functions" (x: K[n]) {
    y: K[n], z: K[n] = map (i < n) {
      a: K, b: K = scan MODE (x[i] % 5K + 1K, x[i]) (a1: K, b1: K, a2: K, b2: K) { (a1 * a2) % 11K, (b1 * a2 + b2) % 11K } neutral 1K, 0K FROM
      return b, a - b
    }
    return y, z
  })";
  for (const char* mode : {"", "exclusive"})
    for (const char* from : {"", "initial 3K, 2K"})
      expect_agreement_on<T>(replaced(replaced(replaced(text, "MODE", mode), "FROM", from), "K", kind),
                             run_sizes, 11);
}

TEST(ScanRuns, FunctionsOfSeveralKinds) {
  functions<std::int16_t>("i16");
  functions<std::int32_t>("i32");
  functions<std::int64_t>("i64");
  functions<std::uint8_t>("u8");
  functions<std::uint32_t>("u32");
  functions<std::uint64_t>("u64");
}

/// Nothing is rounded.
TEST(ScanRuns, Floats) {
  expect_agreement_on<float>(R"(program "last" (x: f32[n]) {
    y: f32[n], z: f32[n] = map (i < n) {
      l: f32, c: f32 = scan (x[i] % 3.0f, 1.0f) (a: f32, c: f32, b: f32, d: f32) { select(b % 3.0f == 0.0f, a, b), c + d } neutral 0.0f, 0.0f
      e: f32 = scan exclusive (x[i] % 3.0f) (a: f32, b: f32) { select(b % 3.0f == 0.0f, a, b) } neutral 0.0f initial 7.0f
      return l + c, e
    }
    return y, z
  })");
  expect_agreement_on<double>(R"(program "last" (x: f64[n]) {
    y: f64[n] = map (i < n) {
      l: f64 = scan (x[i] % 3.0) (a: f64, b: f64) { select(b % 3.0 == 0.0, a, b) } neutral 0.0
      return l
    }
    return y
  })");
}

/// Without a neutral element.
TEST(ScanRuns, NothingToStartWith) {
  expect_agreement_on<std::uint32_t>(replaced(R"(program "matrices" (x: u32[n]) {
    y: u32[n] = map (i < n) { m: u32 = scan ((x[i] * 77u32 + u32(i)) | 1u32) )" +
                                                  product + R"( return m }
    return y
  })",
                                              "neutral 16777217u32", ""),
                                     not_empty());
}

/// Components of several widths, read from arrays of several widths, one of them backwards.
TEST(ScanRuns, MixedWidths) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : not_empty())
    arguments.push_back(
        {array_value(numbers<std::int8_t>(n, 100)), array_value(numbers<std::int64_t>(n, 1000, 7)),
         array_value(numbers<float>(n, 50, 3)), array_value(numbers<std::int16_t>(n, 9000, 5))});
  for (const char* mode : {"", "exclusive"})
    expect_agreement_for(replaced(R"(program "mixed" (x: i8[n], y: i64[m], z: f32[k], w: i16[l]) {
    p: i8[n], q: i64[n], r: f32[n], s: i16[n] = map (i < n) {
      a: i8, b: i64, c: f32, d: i16 = scan MODE (x[i] % 3i8, y[n - 1 - i] % 11, z[i] % 3.0f, w[i] % 7i16) (a: i8, b: i64, c: f32, d: i16, a2: i8, b2: i64, c2: f32, d2: i16) { select(a2 % 3i8 == 0i8, a, a2), (b + b2) % 11 , select(c2 % 3.0f == 0.0f, c, c2), (d + d2) % 7i16 } neutral 0i8, 0, 0.0f, 0i16
      return a, b, c + f32(x[i]), d
    }
    return p, q, r, s
  })",
                                  "MODE", mode),
                         arguments);
}

/// Beside mapped values, reductions, a filter and a cheap scan of the same points.
TEST(ScanRuns, BesideOtherOutputs) {
  expect_agreement_on<std::uint32_t>(R"(program "beside" (x: u32[n]) {
    total: u32, y: u32[n], z: u32[n] = redomap (i < n) {
      m: u32 = scan (x[i] | 1u32) )" +
                                     product +
                                     R"(
      s: u32 = scan exclusive (x[i]) add comm neutral 0u32
      return m ^ s, m + x[i], s * 3u32
    } reduce add comm neutral 0u32
    return total, y, z
  })");
  expect_agreement_on<std::uint32_t>(R"(program "last" (x: u32[n]) {
    m: u32, y: u32[n] = redomap (i < n) {
      m: u32 = scan (x[i] | 1u32) )" +
                                     product +
                                     R"(
      return x[i] | 1u32, m
    } reduce )" + product + R"(
    return m, y
  })");
}

/// Beside a filter, by what is scanned and by what comes out.
TEST(ScanRuns, BesideAFilter) {
  for (const char* by : {"x[i]", "(m >> 8u32)"}) {
    SCOPED_TRACE(by);
    expect_agreement_on<std::uint32_t>(replaced(R"(program "kept" (x: u32[n]) {
      k: i64, o: i64[2], e: u32[k], y: u32[n] = redomap (i < n) {
        m: u32 = scan (x[i] | 1u32) )" + product + R"(
        return i64(BY % 2u32), m, m ^ x[i]
      } partition 1 of 1
      return e, y
    })",
                                                "BY", by));
  }
}

/// Rows of several lengths.
TEST(ScanRuns, InsideAMap) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : {0, 1, 40})
    for (std::int64_t m : {0, 1, 5, 255, 256, 300, 3000})
      arguments.push_back({array_value({n, m}, numbers<std::uint32_t>(n * m, 1000))});
  expect_agreement_for(R"(program "rows" (x: u32[n, m]) {
    y: u32[n, m] = map (i < n) {
      row: u32[m] = map (j < m) { s: u32 = scan (x[i, j] | 1u32) )" +
                           product + R"( return s + x[i, m - 1 - j] }
      return row
    }
    return y
  })",
                       arguments);
}

/// What the data point to is checked; the first point that fails is reported.
TEST(ScanRuns, ChecksThatFail) {
  expect_checked_pointers<std::uint32_t>(R"(program "pointers" (x: i32[n], y: u32[m]) {
    z: u32[n] = map (i < n) { s: u32 = scan (y[i64(x[i])]@1 | 1u32) )" +
                                         product + R"( return s }
    return z
  }
  sites {
    1 index @"test.cpp":5 "index {0} of {1} at {2}"
  })");
}

}  // namespace
}  // namespace fulgurite::testing_lower
