// Scans whose operands depend on other Scans of their body, on all engines.
#include "../runtime/pocl.h"
#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

const std::vector<std::int64_t> around_tiles = {0, 1, 3, 64, 257, 1025, 3841, 20000};

/// The program gives the interpreter's bits on every engine; on the cpu after the passes, too.
void agree(const std::string& text, const std::vector<std::vector<Value>>& arguments) {
  runtime::test::prepare_pocl();
  const soac::Program program = soac::parse(text, "test.soac");
  Options options = strict();
  for (const Engine engine : {Engine::emulator, Engine::opencl, Engine::cpu}) {
    SCOPED_TRACE(static_cast<int>(engine));
    options.engine = engine;
    expect_agreement_of(pipeline::load_optimised(program, options), program, arguments);
  }
  expect_agreement_of(pipeline::load(program, options), program, arguments);
}

std::vector<std::vector<Value>> vectors(int below) {
  std::vector<std::vector<Value>> arguments;
  for (const std::int64_t n : around_tiles)
    arguments.push_back({array_value(numbers<std::int32_t>(n, below))});
  return arguments;
}

TEST(ScansOfScans, OfSums) {
  agree(R"(program "sums" (x: i32[n]) {
    y: i32[n], z: i32[n] = map (i < n) {
      s: i32 = scan (x[i]) add comm neutral 0i32
      t: i32 = scan (s) add comm neutral 0i32
      return s, t
    }
    return y, z
  })",
        vectors(100));
}

/// Three levels, of which one comes through a branch and one does not commute; beside them a reduction, a
/// histogram, and a filter and a partition whose classes depend on them.
TEST(ScansOfScans, BesideAllKindsOfOutputs) {
  agree(R"(program "all" (x: i32[n]) {
    total: i32, last: i32, h: i32[7], k: i64, o: i64[2], e: i32[k], l: i64, p: i64[4], q: i32[l], y: i32[n] = redomap (i < n) {
      s: i32 = scan (x[i] % 7i32) add comm neutral 0i32
      v: i32 = if s % 2i32 == 0i32 { s } else { x[i] }
      a: i32, b: i32 = scan exclusive (v * 2i32 + 1i32, x[i]) (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32 initial 3i32, 4i32
      t: i32 = scan ((a + b) ^ s) max comm neutral -2147483648i32
      return x[i] + t, a, i64(x[i] % 7i32), t, i64(b % 2i32), s, i64(t & 3i32) - 1, x[i], a + b + s + t
    } reduce add comm neutral 0i32 reduce (c: i32, d: i32) { c * 3i32 + d - c * 2i32 } neutral 0i32
      scatter (7) (j: i64) { 5i32 } combine add comm neutral 0i32 partition 1 of 1 partition 3 of 1
    return total, last, h, k, o, e, l, p, q, y
  })",
        vectors(1000));
}

TEST(ScansOfScans, WithoutANeutralElement) {
  agree(R"(program "lifted" (x: i32[n]) {
    y: i32[n] = map (i < n) {
      s: i32 = scan (x[i]) (a: i32, b: i32) { select(b == 0i32, a, b) }
      t: i32 = scan (s - x[i]) (c: i32, d: i32) { select(d < c, d, c) } initial 50i32
      return s * 1000i32 + t
    }
    return y
  })",
        vectors(10));
}

TEST(ScansOfScans, OverTwoAxes) {
  std::vector<std::vector<Value>> arguments;
  for (const std::int64_t n : {0, 1, 5, 300})
    arguments.push_back({array_value<std::int32_t>({n, 37}, numbers<std::int32_t>(n * 37, 50))});
  agree(R"(program "plane" (x: i32[n, m]) {
    y: i32[n, m] = map (i < n, j < m) {
      s: i32 = scan (x[i, j]) add comm neutral 0i32
      t: i32 = scan (s * i32(j)) add comm neutral 0i32
      return t - s
    }
    return y
  })",
        arguments);
}

std::vector<std::vector<Value>> matrices() {
  std::vector<std::vector<Value>> arguments;
  for (const auto& [n, m] : {std::pair{0, 5}, {7, 0}, {1, 1}, {40, 3}, {9, 70}, {3, 1500}})
    arguments.push_back({array_value<std::int32_t>({n, m}, numbers<std::int32_t>(n * m, 50))});
  return arguments;
}

TEST(ScansOfScans, OfRows) {
  agree(R"(program "rows" (x: i32[n, m]) {
    y: i32[n, m], last: i32[n] = map (i < n) {
      best: i32, row: i32[m] = redomap (j < m) {
        s: i32 = scan (x[i, j]) add comm neutral 0i32
        t: i32 = scan exclusive (s - 3i32 * x[i, j]) max comm neutral -2147483648i32
        return t, s + t
      } reduce max comm neutral -2147483648i32
      return row, best
    }
    return y, last
  })",
        matrices());
}

/// What a row keeps by a running value of a running value.
TEST(ScansOfScans, OfFiltersInRows) {
  agree(R"(program "filters" (x: i32[n, m]) {
    kept: i64[n], sum: i32[n] = map (i < n) {
      k: i64, o: i64[2], e: i32[k] = redomap (j < m) {
        s: i32 = scan (x[i, j]) add comm neutral 0i32
        t: i32 = scan (s) add comm neutral 0i32
        return i64(t & 1i32), s
      } partition 1 of 1
      l: i64, p: i64[4], f: i32[l] = redomap (j < m) {
        s: i32 = scan (x[i, j]) add comm neutral 0i32
        t: i32 = scan (s) add comm neutral 0i32
        return i64(t & 3i32) - 1, t
      } partition 3 of 1
      a: i32 = redomap (j < k) { e[j] * i32(j) } reduce add comm neutral 0i32
      b: i32 = redomap (j < l) { f[j] * i32(j) } reduce add comm neutral 0i32
      return k + l, a + b
    }
    return kept, sum
  })",
        matrices());
}

/// Updates x in place, beside a Scan of what it was.
TEST(ScansOfScans, BesideAnUpdateInPlace) {
  agree(R"(program "update" (a: i32[n]) {
    x: i32[n] = map (i < n) { a[i] * 2i32 }
    y: i32[n], z: i32[n] = redomap (i < n) {
      s: i32 = scan (x[i]) add comm neutral 0i32
      t: i32 = scan (s ^ x[i]) max comm neutral 0i32
      return i, x[i] + t, s
    } scatter unordered (n) (j: i64) { x[j] }
    return y, z
  })",
        vectors(100));
}

/// The error of the first point that fails, whichever statement computes it.
TEST(ScansOfScans, FailuresAreReported) {
  const std::string text = R"(program "fails" (x: i32[n]) {
    y: i32[n] = map (i < n) {
      s: i32 = scan (x[i]) add comm neutral 0i32
      t: i32 = scan (x[i64(s)]@1) add comm neutral 0i32
      return t
    }
    return y
  }
  sites { 1 index "outside {0}" })";
  runtime::test::prepare_pocl();
  const soac::Program program = soac::parse(text, "test.soac");
  const std::vector<Value> fine{array_value<std::int32_t>({0, 1, 0, 1, 1})},
      outside{array_value<std::int32_t>({0, 1, 3, 1, 1})};
  for (const Engine engine : {Engine::cpu, Engine::emulator, Engine::opencl}) {
    Options options = strict();
    options.engine = engine;
    const plan::Loaded loaded = pipeline::load(program, options);
    EXPECT_TRUE(soac::same(testing_pipeline::run_loaded(loaded, program, fine)[0],
                           soac::interpret(program, fine)[0]));
    EXPECT_THROW(testing_pipeline::results_of(loaded, program, outside), IndexError);
  }
}

}  // namespace
}  // namespace fulgurite::testing_lower
