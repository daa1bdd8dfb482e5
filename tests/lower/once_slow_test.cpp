// What is computed once for several users, at numbers of points around tiles and blocks: on the CPU, on
// OpenCL and, without races, on the emulator.
#include "../runtime/pocl.h"
#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

const std::vector<std::int64_t> around_tiles = {0, 1, 31, 64, 65, 256, 257, 1023, 3839, 3840, 3841, 10007};

template <class T>
void expect_agreement_everywhere(const std::string& text, int below) {
  runtime::test::prepare_pocl();
  for (const Engine engine : {Engine::cpu, Engine::emulator, Engine::opencl}) {
    SCOPED_TRACE(static_cast<int>(engine));
    Options options = strict();
    options.engine = engine;
    std::vector<std::vector<Value>> arguments;
    for (const std::int64_t n : around_tiles) arguments.push_back({array_value(numbers<T>(n, below))});
    expect_agreement_for(text, arguments, options);
  }
}

TEST(Once, KeptBesideReductionsInOrder) {
  expect_agreement_everywhere<float>(R"(program "kept" (x: f32[n]) {
    e: f32[n] = map (i < n) { sqrt(x[i]) }
    s: f32, t: f32, h: i32[10] = redomap (i < n) { e[i], e[i], i64(x[i]), 1i32 } reduce (a: f32, b: f32) { select(b == 0f, a, b) } neutral 0f reduce max comm neutral 0f scatter (10) (b: i64) { 0i32 } combine add comm neutral 0i32
    return e, s, t, h
  })",
                                     12);
}

TEST(Once, KeptOfMatricesBesideReductionsInOrder) {
  expect_agreement_everywhere<float>(R"(program "kept" (x: f32[n]) {
    e: f32[n, 3] = map (i < n, j < 3) { sqrt(x[i]) * f32(j) }
    s: f32 = redomap (i < n, j < 3) { e[i, j] } reduce (a: f32, b: f32) { select(b == 0f, a, b) } neutral 0f
    return e, s
  })",
                                     12);
}

// Bins whose operator does not commute go in the order of the points, too.
TEST(Once, PostedBesideReductionsInOrder) {
  expect_agreement_everywhere<std::int32_t>(R"(program "posted" (x: i32[n]) {
    s: i32, y: i32[20], e: i32[n] = redomap (i < n) { x[i] * 3i32, i64(x[i]), x[i] + i32(i), x[i] * 5i32 } reduce (a: i32, b: i32) { select(b == 0i32, a, b) } neutral 0i32 scatter (20) (b: i64) { 7i32 } combine (p: i32, q: i32) { select(q == 0i32, p, q) } neutral 0i32
    return s, y, e
  })",
                                            25);
}

TEST(Once, KeptBesideScansAndFilters) {
  expect_agreement_everywhere<std::int32_t>(R"(program "scanned" (x: i32[n]) {
    e: i32[n] = map (i < n) { x[i] * x[i] }
    s: i32[n], v: i32[n] = map (i < n) {
      r: i32 = scan (e[i]) add comm neutral 0i32
      return r, r * e[i]
    }
    m: i64, o: i64[2], y: i32[m] = redomap (i < n) { select(e[i] < 50i32, 0, 1), e[i] } partition 1 of 1
    l: i32 = redomap (i < n) { e[i] } reduce (a: i32, b: i32) { select(b == 0i32, a, b) } neutral 0i32
    return e, s, v, y, l
  })",
                                            12);
}

TEST(Once, EqualOperandsAndComponents) {
  expect_agreement_everywhere<float>(R"(program "equal" (x: f32[n]) {
    e: f32[n] = map (i < n) { sqrt(x[i]) }
    s: f32, t: f32 = redomap (i < n) { e[i], e[i] } reduce (a: f32, p: f32, b: f32, q: f32) { select(b == 0f, a, b), select(p == 0f, q, p) } neutral 0f, 0f
    u: f32, v: f32 = redomap (i < n) { e[i], e[i] } reduce (a: f32, p: f32, b: f32, q: f32) { select(q == 0f, p, b), select(b == 0f, a, q) } neutral 0f, 0f
    w: f32[n], z: f32[n] = map (i < n) {
      l: f32, o: f32 = scan (e[i], e[i]) (a: f32, p: f32, b: f32, q: f32) { select(q == 0f, p, b), select(b == 0f, a, q) } neutral 0f, 0f
      return l, o + x[i]
    }
    return s, t, u, v, w, z
  })",
                                     3);
}

TEST(Once, ProducersOfSlicesAndStencils) {
  expect_agreement_everywhere<float>(R"(program "line" (y: f32[n]) {
    x: f32[n + 20] = map (i < n + 20) { f32(i % 7) }
    e: f32[n + 20] = map (i < n + 20) {
      r: f32 = if x[i] < 5f { sqrt(x[i]) } else { f32(i) }
      return r * x[i]
    }
    m: f32, d: f32[n + 17] = redomap (i < n + 17) { e[i + 3] * e[i], e[i + 2] - 2f * e[i + 1] + e[i] } reduce max comm neutral 0f
    c: f32[n / 9 + 1, 40] = map (i < n / 9 + 1, j < 40) { sqrt(f32(i * 7 + j)) }
    g: f32[n / 9, 38] = map (i < n / 9, j < 38) { c[i, j + 1] + c[i + 1, j] + c[i, j + 2] }
    return m, d, g
  })",
                                     12);
}

TEST(Once, FailuresBesideReductionsInOrder) {
  runtime::test::prepare_pocl();
  for (const Engine engine : {Engine::cpu, Engine::emulator, Engine::opencl}) {
    Options options = strict();
    options.engine = engine;
    const soac::Program program = soac::parse(R"(program "checked" (x: i32[n], y: f32[m]) {
      e: f32[n] = map (i < n) { sqrt(y[i64(x[i])]@1) }
      s: f32 = redomap (i < n) { e[i] } reduce (a: f32, b: f32) { select(b == 0f, a, b) } neutral 0f
      return e, s
    }
    sites { 1 index @"lib.cpp":3 "element {2}: no {0} of {1}" })",
                                              "test.soac");
    const plan::Loaded loaded = pipeline::load(program, options);
    std::vector<std::int32_t> pointers = numbers<std::int32_t>(9000, 50);
    pointers[8000] = 50, pointers[4321] = 77;
    const std::vector<Value> args{array_value(pointers), array_value(numbers<float>(50, 9))};
    try {
      testing_pipeline::run_loaded(loaded, program, args);
      ADD_FAILURE() << "nothing was found";
    } catch (const IndexError& error) {
      EXPECT_NE(std::string(error.what()).find("element 4321: no 77 of 50"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace fulgurite::testing_lower
