// Schedules for blocks of threads: on the emulator, which refuses races and reads of what nothing wrote, and
// on OpenCL.
#include "../runtime/pocl.h"
#include "agree.h"
#include "emulator_device.h"

namespace fulgurite::testing_lower {
namespace {

std::vector<Engine> engines() {
  runtime::test::prepare_pocl();
  return {Engine::emulator, Engine::opencl};
}

Options on(Engine engine) {
  Options options;
  options.engine = engine;
  return options;
}

void agree_on_vectors(const std::string& text, int below) {
  for (const Engine engine : engines()) {
    SCOPED_TRACE(engine == Engine::opencl ? "opencl" : "emulator");
    std::vector<std::vector<Value>> arguments;
    for (std::int64_t n : {0, 1, 63, 64, 257, 20000})
      arguments.push_back({array_value(numbers<std::int32_t>(n, below))});
    expect_agreement_for(text, arguments, on(engine));
  }
}

/// One of everything: operators that commute and that do not, tuples without a neutral element, Scans, of
/// which a class depends on one, partitions of few classes, mapped results.
TEST(Blocks, FoldsScansAndPartitionsInOneLaunch) {
  agree_on_vectors(R"(program "all" (x: i32[n]) {
    big: i32, at: i64, f: i32, g: i32, k: i64, o: i64[2], e: i32[k], l: i64, p: i64[4], q: i32[l], y: i32[n] = redomap (i < n) {
      s: i32 = scan (x[i] % 7i32) add comm neutral 0i32
      a: i32, b: i32 = scan exclusive (x[i] * 2i32 + 1i32, x[i]) (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
      return x[i], i, x[i] * 3i32 + 2i32, x[i], i64(x[i] % 2i32), s, i64(s % 4i32) - 1, x[i], a + b + s
    } reduce (a1: i32, i1: i64, a2: i32, i2: i64) { select(a2 > a1, a2, a1), select(a2 > a1, i2, i1) } neutral -2147483648i32, 0
      reduce (a3: i32, b3: i32, a4: i32, b4: i32) { a3 * a4, b3 * a4 + b4 } neutral 1i32, 0i32 initial 3i32, 5i32
      partition 1 of 1 partition 3 of 1
    return big, at, f, g, k, o, e, l, p, q, y
  })",
                   1000);
}

/// The same where all Scans are found by looking back: nothing has to be known before.
TEST(Blocks, ScansAndAFilterInOneWalk) {
  agree_on_vectors(R"(program "one_walk" (x: i32[n]) {
    g: i32, k: i64, o: i64[2], e: i32[k], y: i32[n] = redomap (i < n) {
      s: i32 = scan (x[i] % 7i32) add comm neutral 0i32
      a: i32, b: i32 = scan exclusive (x[i] * 2i32 + 1i32, x[i] + s) (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32 initial 3i32, 4i32
      return x[i] + s, i64((x[i] + s) % 2i32), x[i], a + b + s
    } reduce (a3: i32, b3: i32) { a3 * 3i32 + b3 - a3 * 2i32 } neutral 0i32
      partition 1 of 1
    return g, k, o, e, y
  })",
                   1000);
}

/// Tiles ask those before them until one knows: which, depends on who was quicker, the bits of the sums do
/// not.
TEST(Blocks, ScansOfFloatsGiveEqualBitsInEveryOrder) {
  const soac::Program program = soac::parse(R"(program "sums" (x: f32[n]) {
    k: i64, o: i64[2], e: f32[k], y: f32[n] = redomap (i < n) {
      s: f32 = scan (x[i]) add comm neutral 0f
      return i64(s > 9f), s, s
    } partition 1 of 1
    return k, e, y
  })",
                                            "test.soac");
  std::vector<float> x;
  for (int v : numbers<int>(60'000, 1000)) x.push_back(1.0f / static_cast<float>(v + 1) - 0.005f);
  const std::vector<Value> arguments = {array_value(x)};
  const plan::Loaded loaded = pipeline::load(program, on(Engine::emulator));
  const auto first = testing_pipeline::run_loaded(loaded, program, arguments);
  for (int run = 1; run < 8; ++run) {
    const auto again = testing_pipeline::run_loaded(loaded, program, arguments);
    for (std::size_t k = 0; k < first.size(); ++k)
      EXPECT_TRUE(soac::same(again[k], first[k])) << "result " << k << " of run " << run;
  }
}

/// Places that many points have: one stays, and of a tuple the whole; integers by atomics, others in order.
TEST(Blocks, PlacesThatManyPointsHave) {
  agree_on_vectors(R"(program "bins" (x: i32[n]) {
    h: i32[10], c: i32[10], d: i32[10], u: i32[7], v: i32[7] = redomap (i < n) {
      return i64(x[i]), 1i32, i64(x[i]), x[i] * 2i32 + 1i32, i32(i), i64(x[i]), x[i], x[i] * 3i32
    } scatter (10) (b: i64) { i32(b) } combine add comm neutral 0i32
      scatter (10) (b1: i64) { 1i32, 0i32 } combine (a1: i32, b1_1: i32, a2: i32, b2: i32) { a1 * a2, b1_1 * a2 + b2 } neutral 1i32, 0i32
      scatter (7) (b2_1: i64) { -1i32, -1i32 }
    w: i32[7] = map (j < 7) { u[j] * 3i32 - v[j] }
    return h, c, d, w
  })",
                   12);
}

TEST(Blocks, PartitionOfAsManyClassesAsNumbers) {
  agree_on_vectors(R"(program "groups" (x: i32[n]) {
    k: i64, o: i64[101], e: i32[k] = redomap (i < n) {
      return i64(x[i]) - 3, x[i] * 1000i32 + i32(i)
    } partition 100 of 1
    return k, o, e
  })",
                   120);
}

/// By threads, by blocks, and by several blocks a row.
TEST(Blocks, Rows) {
  for (const Engine engine : engines()) {
    std::vector<std::vector<Value>> arguments;
    for (const auto& [n, m] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {0, 5}, {5, 0}, {300, 3}, {290, 21}, {70, 40}, {3, 5000}})
      arguments.push_back({array_value<std::int32_t>({n, m}, numbers<std::int32_t>(n * m, 100))});
    expect_agreement_for(R"(program "rows" (x: i32[n, m]) {
      y: i32[n], z: i32[n] = map (i < n) {
        s: i32, t: i32 = redomap (j < m) { x[i, j], x[i, j] * 2i32 + 1i32 } reduce add comm neutral 0i32 initial i32(i)
          reduce (a: i32, b: i32) { a * 3i32 + b - a * 2i32 } neutral 0i32
        return s * 2i32, t
      }
      c: i32[m] = map (j1 < m) {
        s1: i32 = redomap (i1 < n) { x[i1, j1] } reduce add comm neutral 0i32
        return s1
      }
      t: i32[m, n] = map (j2 < m, i2 < n) { x[i2, j2] * 2i32 + x[i2, m - 1 - j2] }
      return y, z, c, t
    })",
                         arguments, on(engine));
  }
}

TEST(Blocks, FailuresAreOfTheLowestElement) {
  for (const Engine engine : engines()) {
    const soac::Program program = soac::parse(R"(program "bad" (x: i32[n]) {
      y: i32[n] = map (i < n) { x[select(i % 1000 == 700, i - 5000, i)]@1 }
      return y
    }
    sites { 1 index @"lib.cpp":3 "no {0} of {1} at {2}" })",
                                              "test.soac");
    const std::vector<Value> args{array_value(numbers<std::int32_t>(4000, 100))};
    try {
      testing_pipeline::run(program, args, on(engine));
      ADD_FAILURE() << "no error";
    } catch (const IndexError& e) {
      EXPECT_EQ(e.message(), "no -4300 of 4000 at 700");
    }
  }
}

/// A program of one argument of n elements of 4 bytes moves at most `most` bytes for each of those, by
/// accesses side by side.
void expect_traffic(const std::string& text, const Value& argument, double most) {
  EmulatorDevice::shared().take_counts();
  testing_pipeline::run(soac::parse(text, "test.soac"), std::vector<Value>{argument}, on(Engine::emulator));
  const kernel::PhaseCounts counts = EmulatorDevice::shared().take_counts();
  EXPECT_GE(static_cast<double>(counts.least_transactions), 0.95 * static_cast<double>(counts.transactions))
      << text;
  EXPECT_LE(static_cast<double>(counts.global_read + counts.global_written), most * 40960) << text;
}

TEST(Blocks, MoveLittleMoreThanTheyMust) {
  const std::vector<std::int32_t> elements = numbers<std::int32_t>(40960, 9);
  const Value vector = array_value(elements);
  const auto in_rows_of = [&](std::int64_t m) { return array_value<std::int32_t>({40960 / m, m}, elements); };
  expect_traffic(R"(program "map" (x: i32[n]) { y: i32[n] = map (i < n) { x[i] * 2i32 } return y })", vector,
                 4 * 2.0);
  expect_traffic(R"(program "sum" (x: i32[n]) {
    s: i32 = redomap (i < n) { x[i] * x[i] } reduce add comm neutral 0i32 return s })",
                 vector, 4 * 1.05);
  expect_traffic(R"(program "last" (x: i32[n]) {
    s: i32 = redomap (i < n) { x[i] } reduce (a: i32, b: i32) { a + b } neutral 0i32 return s })",
                 vector, 4 * 1.05);
  expect_traffic(R"(program "sums" (x: i32[n]) {
    y: i32[n] = map (i < n) { s: i32 = scan (x[i]) add comm neutral 0i32 return s } return y })",
                 vector, 4 * 2.1);
  // Read once, though it is needed twice.
  expect_traffic(R"(program "around" (x: i32[n]) {
    y: i32[n] = map (i < n) { s: i32 = scan (x[i]) add comm neutral 0i32 return s - x[i] * 3i32 } return y })",
                 vector, 4 * 2.1);
  expect_traffic(R"(program "even" (x: i32[n]) {
    k: i64, o: i64[2], e: i32[k] = redomap (i < n) { return i64(x[i] % 2i32), x[i] } partition 1 of 1
    return e })",
                 vector, 4 * 1.05 * (1 + 5.0 / 9));
  const std::string rows = R"(program "rows" (x: i32[n, m]) {
    y: i32[n] = map (i < n) { s: i32 = redomap (j < m) { x[i, j] } reduce add comm neutral 0i32 return s }
    return y })";
  for (const std::int64_t m : {5, 16, 1280})
    expect_traffic(rows, in_rows_of(m), 4 * 1.05 * (1 + 1.0 / static_cast<double>(m)));
  expect_traffic(
      R"(program "turn" (x: i32[n, m]) { y: i32[m, n] = map (j < m, i < n) { x[i, j] } return y })",
      in_rows_of(128), 4 * 2.0);
  // Arrays that threads have for themselves: neighbours' elements are side by side. Eight are stored and read
  // twice, and x once for each.
  expect_traffic(R"(program "own" (x: i32[n]) {
    y: i32[n] = map (i < n) {
      t: i32[8] = map (j < 8) { s: i32 = scan (x[i] + i32(j)) add comm neutral 0i32 return s }
      r: i32 = redomap (k < 8) { t[7 - k] * t[k] } reduce add comm neutral 0i32
      return r
    }
    return y })",
                 vector, 4 * 33.05);
}

}  // namespace
}  // namespace fulgurite::testing_lower
