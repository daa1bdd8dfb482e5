// Schedules for blocks of threads: on the emulator, which refuses races and reads of what nothing wrote, and
// on OpenCL.
#include <array>

#include "../runtime/pocl.h"
#include "agree.h"
#include "engines/emulator_device.h"

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

/// One walk where all Scans are found by looking back, so that nothing has to be known before.
TEST(Blocks, ScansAndAFilterInOneWalk) {
  agree_on_vectors(R"(program "one_walk" (x: i32[n]) {
    g: i32, k: i64, o: i64[2], e: i32[k], y: i32[n] = redomap (i < n) {
      s: i32 = scan (x[i] % 7i32) add comm neutral 0i32
      a: i32, b: i32 = scan exclusive (x[i] * 2i32 + 1i32, x[i] - 3i32) (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32 initial 3i32, 4i32
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

/// More bins than a block's shared memory holds are filled in passes, 2048 at a time; many more are not.
TEST(Blocks, BinsInPasses) {
  for (const std::string bins : {"2047", "2049", "4100", "8192", "8193"}) {
    std::string text = R"(program "bins" (x: i32[n]) {
      h: i32[N] = redomap (i < n) { return i64(x[i]) - 5, x[i] * 3i32 + 1i32 }
        scatter (N) (b: i64) { i32(b) } combine add comm neutral 0i32
      return h
    })";
    for (std::size_t at; (at = text.find('N')) != std::string::npos;) text.replace(at, 1, bins);
    SCOPED_TRACE(text);
    std::vector<std::vector<Value>> arguments;
    for (std::int64_t n : {0, 100, 40000})
      arguments.push_back({array_value(numbers<std::int32_t>(n, std::stoi(bins) + 10))});
    for (const Engine engine : engines()) expect_agreement_for(text, arguments, on(engine));
  }
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

TEST(Blocks, PartitionsThatOnlyCount) {
  agree_on_vectors(R"(program "count" (x: i32[n]) {
    k: i64, o: i64[2] = redomap (i < n) { i64(x[i] % 2i32) } partition 1 of 0
    l: i64, p: i64[6] = redomap (j < n) { i64(x[j]) } partition 5 of 0
    return k, o, l, p
  })",
                   7);
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

/// Neighbours at constant distances, on one axis to three, by windows in shared memory: of arrays of several
/// kinds, from places that the host knows, near borders that are asked for.
TEST(Blocks, WindowsOfALine) {
  for (const Engine engine : engines()) {
    std::vector<std::vector<Value>> arguments;
    for (const std::int64_t n : {0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 1026, 5000})
      for (const std::int64_t from : {0, 3, 40})
        arguments.push_back({array_value(numbers<std::int32_t>(n, 100)),
                             array_value(numbers<std::int8_t>(n, 100)), scalar_value(from)});
    expect_agreement_for(R"(program "line" (x: i32[n], b: i8[l], k: i64) {
      y: i32[max(n - k - 2, 0)] = map (i < max(n - k - 2, 0)) {
        x[i + k] * 2i32 - x[i + k + 2] + i32(b[i + 1]) * i32(b[i]) + x[i]
      }
      z: i32[n] = map (j < n) {
        s: i32 = if (1 <= j & j < n - 200) { return x[j - 1] + x[j + 200] * 3i32 }
          else { return x[max(j - 1, 0)] + x[min(j + 200, n - 1)] * 5i32 }
        return s
      }
      return y, z
    })",
                         arguments, on(engine));
  }
}

TEST(Blocks, WindowsOfRows) {
  for (const Engine engine : engines()) {
    std::vector<std::vector<Value>> arguments;
    for (const auto& [n, m] : std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 5},
                                                                                 {5, 0},
                                                                                 {1, 1},
                                                                                 {2, 3},
                                                                                 {3, 2},
                                                                                 {65, 33},
                                                                                 {64, 63},
                                                                                 {300, 3},
                                                                                 {3, 1025},
                                                                                 {70, 300},
                                                                                 {40, 1000},
                                                                                 {34000, 2}})
      arguments.push_back({array_value<std::int32_t>({n, m}, numbers<std::int32_t>(n * m, 100)),
                           array_value<double>({n, m}, numbers<double>(n * m, 100))});
    expect_agreement_for(R"(program "rows" (x: i32[n, m], d: f64[r, c]) {
      y: i32[max(n - 4, 0), max(m - 3, 0)] = map (i < max(n - 4, 0), j < max(m - 3, 0)) {
        x[i, j] + x[i + 1, j + 3] * 2i32 - x[i + 4, j + 2] + i32(d[i, j] + d[i + 1, j])
      }
      z: i32[n, m] = map (p < n, q < m) {
        s: i32 = if (2 <= p & p < n - 1 & 1 <= q) { return x[p - 2, q] + x[p + 1, q - 1] * 3i32 }
          else { return x[p, q] + x[max(p - 2, 0), max(q - 1, 0)] * 5i32 }
        return s
      }
      return y, z
    })",
                         arguments, on(engine));
  }
}

TEST(Blocks, WindowsOfPlanes) {
  for (const Engine engine : engines()) {
    std::vector<std::vector<Value>> arguments;
    for (const auto& [k, n, m] :
         std::vector<std::array<std::int64_t, 3>>{{0, 4, 4}, {1, 3, 3}, {4, 20, 70}, {2, 90, 5}})
      arguments.push_back({array_value<std::int32_t>({k, n, m}, numbers<std::int32_t>(k * n * m, 100))});
    expect_agreement_for(R"(program "planes" (x: i32[k, n, m]) {
      y: i32[k, max(n - 2, 0), max(m - 2, 0)] = map (h < k, i < max(n - 2, 0), j < max(m - 2, 0)) {
        x[h, i, j] + x[h, i + 1, j + 2] * 2i32 - x[h, i + 2, j] + x[k - 1 - h, i + 1, j + 1] * x[k - 1 - h, i + 1, j]
      }
      return y
    })",
                         arguments, on(engine));
  }
}

/// What is folded beside elements, and alone.
TEST(Blocks, WindowsOfReductions) {
  for (const Engine engine : engines()) {
    std::vector<std::vector<Value>> arguments;
    for (const auto& [n, m] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {0, 5}, {5, 0}, {1, 1}, {2, 1}, {64, 64}, {300, 5}, {3, 1025}, {90, 300}, {1, 26500}})
      arguments.push_back({array_value<std::int32_t>({n, m}, numbers<std::int32_t>(n * m, 100)),
                           array_value(numbers<std::int32_t>(n * m * 40, 100))});
    expect_agreement_for(R"(program "folded" (x: i32[n, m], l: i32[k]) {
      a: i32, b: i64, y: i32[n, max(m - 1, 0)] = redomap (i < n, j < max(m - 1, 0)) {
        d: i32 = if (1 <= i) { return x[i, j + 1] - x[i - 1, j] } else { return x[i, j] }
        return d * d, i * 1000 + j, d
      } reduce add comm neutral 0i32 initial 5i32 reduce max comm neutral -1
      s: i32, t: i32 = redomap (p < max(k - 2, 0)) {
        return l[p + 2] * l[p], l[p + 1] - l[p]
      } reduce add comm neutral 0i32 reduce max comm neutral -2147483648i32
      return a, b, y, s, t
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

TEST(Blocks, StripsAreExplained) {
  const auto reason_of = [](const std::string& text) {
    const pipeline::Report report = pipeline::compile(soac::parse(text, "test.soac"), on(Engine::emulator));
    return report.lowered.notes.at(0).launch->phases.at(0).why.at(0);
  };
  EXPECT_EQ(
      reason_of(
          R"(program "line" (x: i32[n]) { y: i32[n - 1] = map (i < n - 1) { x[i + 1] - x[i] } return y })"),
      "tasks: strips of 2048 points by 1 or more, more than they read around (strip_points, "
      "strip_most_points, strip_share)");
  EXPECT_EQ(reason_of(R"(program "rows" (x: f64[n, m]) {
    y: f64[n - 2, m] = map (i < n - 2, j < m) { x[i, j] + x[i + 2, j] } return y })"),
            "tasks: strips of 256 points by 32 or more, more than they read around "
            "(strip_columns, strip_least_columns, strip_rows, strip_share)");
  // Too far apart for a window.
  EXPECT_EQ(
      reason_of(
          R"(program "far" (x: i32[n]) { y: i32[n - 500] = map (i < n - 500) { x[i + 500] - x[i] } return y })"),
      "tasks: blocks of 2048 points or more, enough for each thread (thread_points)");
}

/// A program of one argument of n elements of 4 bytes moves at most `most` bytes for each element, by
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
  // Neighbours are read by one thread.
  expect_traffic(
      R"(program "difference" (x: i32[n]) { y: i32[n - 1] = map (i < n - 1) { x[i + 1] - x[i] } return y })",
      vector, 4 * 2.01);
  const std::string average = R"(program "average" (x: T[n]) {
    y: T[n - 14] = map (i < n - 14) {
      x[i] + x[i + 1] + x[i + 2] + x[i + 3] + x[i + 4] + x[i + 5] + x[i + 6] + x[i + 7] + x[i + 8] + x[i + 9] +
        x[i + 10] + x[i + 11] + x[i + 12] + x[i + 13] + x[i + 14]
    }
    return y })";
  const auto of_type = [](std::string text, const std::string& type) {
    for (std::size_t at; (at = text.find('T')) != std::string::npos;) text.replace(at, 1, type);
    return text;
  };
  expect_traffic(of_type(average, "i32"), vector, 4 * 2.02);
  expect_traffic(of_type(average, "f64"), array_value(numbers<double>(40960, 9)), 8 * 2.02);
  const std::string cross = R"(program "cross" (x: i32[n, m]) {
    y: i32[n - 2, m - 2] = map (i < n - 2, j < m - 2) {
      x[i + 1, j + 1] + x[i, j + 1] + x[i + 2, j + 1] + x[i + 1, j] + x[i + 1, j + 2]
    }
    return y })";
  for (const std::int64_t m : {40, 128, 640}) expect_traffic(cross, in_rows_of(m), 4 * 2.08);
  expect_traffic(R"(program "far" (x: i32[n, m]) {
    y: i32[n, m] = map (i < n, j < m) {
      s: i32 = if (3 <= i & i < n - 3 & 3 <= j & j < m - 3) {
        return x[i, j] * 4i32 + x[i - 3, j] + x[i + 3, j] + x[i, j - 3] + x[i, j + 3]
      } else { return x[i, j] }
      return s
    }
    return y })",
                 in_rows_of(160), 4 * 2.1);
  expect_traffic(R"(program "residual" (x: i32[n, m]) {
    s: i32 = redomap (i < n - 2, j < m) { x[i, j] + x[i + 2, j] - x[i + 1, j] * 2i32 } reduce add comm neutral 0i32
    return s })",
                 in_rows_of(256), 4 * 1.08);
  expect_traffic(R"(program "rough" (x: i32[n]) {
    s: i32 = redomap (i < n - 1) { x[i + 1] - x[i] } reduce max comm neutral -2147483648i32 return s })",
                 vector, 4 * 1.01);
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
