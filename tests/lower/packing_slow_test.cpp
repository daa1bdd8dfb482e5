// Partitions of few classes, which lanes pack, and scans in lanes: every element type.
#include <fmt/format.h>

#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

const std::vector<std::int64_t> around_tiles = {0,  1,  2,    15,   16,   17,    63,
                                                64, 65, 1000, 4096, 8191, 16385, 50000};

void expect_agreements(const std::string& text, const std::vector<std::vector<Value>>& arguments) {
  for (const std::vector<Value>& some : arguments) expect_agreement(text, some);
}

template <class T>
void expect_kept(const std::string& kind) {
  // The values are 0 to 99. Kept are all, none, every second, few, and runs of the points themselves.
  const std::string number = kind == "i64" ? "x[i]" : "i64(x[i])";
  for (const std::string& condition : std::vector<std::string>{
           number + " < 200", number + " < 0", "i % 2 == 0", number + " < 3", "i / 100 % 2 == 0"}) {
    SCOPED_TRACE(kind + " where " + condition);
    const std::string text = fmt::format(R"(program "kept" (x: {0}[n]) {{
      m: i64, o: i64[2], y: {0}[m] = redomap (i < n) {{ select({1}, 0, 1), x[i] }} partition 1 of 1
      return m, o, y
    }})",
                                         kind, condition);
    std::vector<std::vector<Value>> arguments;
    for (std::int64_t n : around_tiles) arguments.push_back({array_value(numbers<T>(n, 100))});
    expect_agreements(text, arguments);
  }
}

TEST(Packing, OfEveryType) {
  expect_kept<std::int8_t>("i8");
  expect_kept<std::uint8_t>("u8");
  expect_kept<std::int16_t>("i16");
  expect_kept<std::uint16_t>("u16");
  expect_kept<std::int32_t>("i32");
  expect_kept<std::uint32_t>("u32");
  expect_kept<std::int64_t>("i64");
  expect_kept<std::uint64_t>("u64");
  expect_kept<float>("f32");
  expect_kept<double>("f64");
}

const std::vector<std::int64_t> around_vectors = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 301};

/// Filters of the rows of a matrix, where a task has the rows of many points one after the other: what is
/// stored after a row must not be another task's.
template <class T>
void expect_kept_of_rows(const std::string& kind) {
  const std::string number = kind == "i64" ? "x[r, i]" : "i64(x[r, i])";
  for (const std::string& condition :
       std::vector<std::string>{number + " < 200", number + " < 0", "(i + r) % 2 == 0", number + " < r"}) {
    SCOPED_TRACE(kind + " where " + condition);
    const std::string text = fmt::format(R"(program "kept" (x: {0}[l, n]) {{
      sums: i64[l], counts: i64[l], last: {0}[l] = map (r < l) {{
        m: i64, o: i64[2], y: {0}[m], at: i64[m] = redomap (i < n) {{
          select({1}, 0, 1), x[r, i], i
        }} partition 1 of 2
        sum: i64 = redomap (k < m) {{ i64(y[k]) * (k + 1) + at[k] }} reduce add comm neutral 0
        last: {0} = if 0 < m {{ y[m - 1] }} else {{ {0}(7) }}
        return sum, m * 1000 + o[1], last
      }}
      return sums, counts, last
    }})",
                                         kind, condition);
    std::vector<std::vector<Value>> arguments;
    for (std::int64_t n : around_vectors)
      arguments.push_back({array_value({3000, n}, numbers<T>(3000 * n, 100))});
    expect_agreement_for(text, arguments);
  }
}

TEST(Packing, InsideOfPoints) {
  expect_kept_of_rows<std::int8_t>("i8");
  expect_kept_of_rows<std::uint16_t>("u16");
  expect_kept_of_rows<std::int32_t>("i32");
  expect_kept_of_rows<std::uint64_t>("u64");
  expect_kept_of_rows<float>("f32");
  expect_kept_of_rows<double>("f64");
}

/// Two filters of one row, whose points a third one filters again; reads are checked.
TEST(Packing, OfWhatPointsHavePacked) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : around_vectors)
    arguments.push_back({array_value({500, n}, numbers<std::int32_t>(500 * n, 100)),
                         array_value(numbers<std::int32_t>(100, 100, 2))});
  expect_agreement_for(R"(program "again" (x: i32[l, n], table: i32[k]) {
    sums: i32[l] = map (r < l) {
      m: i64, o: i64[2], y: i32[m], m1: i64, o1: i64[2], z: i32[m1] = redomap (i < n) {
        let yes = x[r, i] < 33i32
        return select(yes, 0, 1), x[r, i], select(yes, 1, 0), x[r, i] + 1i32
      } partition 1 of 1 partition 1 of 1
      m2: i64, o2: i64[2], w: i32[m2] = redomap (i1 < m1) {
        select(table[i64(z[i1] - 1i32)]@1 < 50i32, 0, 1), z[i1]
      } partition 1 of 1
      a: i32 = redomap (i2 < m) { y[i2] * (i32(i2) + 1i32) } reduce add comm neutral 0i32
      b: i32 = redomap (i3 < m2) { w[i3] * (i32(i3) + 1i32) } reduce add comm neutral 0i32
      return a * 31i32 + b
    }
    return sums
  }
  sites { 1 index @"u.cpp":1 "index {at}" })",
                       arguments);
}

std::vector<std::vector<Value>> on_sizes(const std::function<std::vector<Value>(std::int64_t)>& make) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : around_tiles) arguments.push_back(make(n));
  return arguments;
}

TEST(Packing, OfThreeFields) {
  expect_agreements(R"(program "fields" (x: i8[n], y: f64[n1], z: i16[n2]) {
    m: i64, o: i64[2], a: i8[m], b: f64[m], c: i16[m], p: i64[m], q: bool[m] = redomap (i < n) {
      select(y[i] < 20.0, 0, 1), x[i], y[i], z[i], i, z[i] < 50i16
    } partition 1 of 5
    return m, o, a, b, c, p, q
  })",
                    on_sizes([](std::int64_t n) -> std::vector<Value> {
                      return {array_value(numbers<std::int8_t>(n, 100)),
                              array_value(numbers<double>(n, 40, 2)),
                              array_value(numbers<std::int16_t>(n, 100, 3))};
                    }));
}

TEST(Packing, BothSidesOfACondition) {
  expect_agreements(
      R"(program "sides" (x: f32[n]) {
    m: i64, o: i64[2], y: f32[m], l: i64, p: i64[2], z: f32[l] = redomap (i < n) {
      let yes = x[i] < 33f
      return select(yes, 0, 1), x[i], select(yes, 1, 0), x[i] + 1f
    } partition 1 of 1 partition 1 of 1
    return m, o, y, l, p, z
  })",
      on_sizes([](std::int64_t n) -> std::vector<Value> { return {array_value(numbers<float>(n, 100))}; }));
}

TEST(Packing, IntoFewClasses) {
  for (int classes : {2, 3, 8, 9}) {
    SCOPED_TRACE(classes);
    expect_agreements(fmt::format(R"(program "classes" (x: i32[n], w: f64[n1]) {{
      m: i64, o: i64[{0} + 1], y: i32[m], z: f64[m] = redomap (i < n) {{
        i64(x[i] % 11i32) - 1, x[i], w[i]
      }} partition {0} of 2
      return m, o, y, z
    }})",
                                  classes),
                      on_sizes([](std::int64_t n) -> std::vector<Value> {
                        return {array_value(numbers<std::int32_t>(n, 1000)),
                                array_value(numbers<double>(n, 1000, 2))};
                      }));
  }
}

/// One walk filters, reduces, scans and maps.
TEST(Packing, BesideReductionsScansAndMaps) {
  expect_agreements(R"(program "beside" (x: i32[n]) {
    total: i32, m: i64, o: i64[2], y: i32[m], s: i32[m], r: i32[n], d: i32[n] = redomap (i < n) {
      run: i32 = scan (x[i]) add comm neutral 0i32
      return x[i], select(x[i] % 3i32 == 0i32, 0, 1), x[i], run, run, x[i] * 2i32
    } reduce add comm neutral 0i32 partition 1 of 2
    return total, m, o, y, s, r, d
  })",
                    on_sizes([](std::int64_t n) -> std::vector<Value> {
                      return {array_value(numbers<std::int32_t>(n, 1000))};
                    }));
}

/// What is kept depends on a running value; the operator of the reduction does not commute.
TEST(Packing, WhereARunningValueSays) {
  expect_agreements(R"(program "running" (x: i32[n]) {
    a: i32, b: i32, m: i64, o: i64[2], y: i32[m] = redomap (i < n) {
      big: i32 = scan exclusive (x[i]) max comm neutral 0i32
      return x[i] * 2i32 + 1i32, x[i], select(big < x[i], 0, 1), x[i]
    } reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32 partition 1 of 1
    return a, b, m, o, y
  })",
                    on_sizes([](std::int64_t n) -> std::vector<Value> {
                      return {array_value(numbers<std::int32_t>(n, 100000))};
                    }));
}

TEST(Packing, BesideAnOperatorThatDoesNotCommute) {
  expect_agreements(R"(program "ordered" (x: i32[n]) {
    a: i32, b: i32, c: i32, m: i64, o: i64[2], y: i32[m] = redomap (i < n) {
      return x[i] * 2i32 + 1i32, x[i], x[i], select(x[i] % 3i32 == 0i32, 0, 1), x[i]
    } reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32 reduce max comm neutral 0i32 partition 1 of 1
    return a, b, c, m, o, y
  })",
                    on_sizes([](std::int64_t n) -> std::vector<Value> {
                      return {array_value(numbers<std::int32_t>(n, 100000))};
                    }));
}

TEST(Packing, OfARank2Space) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : {0, 1, 3, 200})
    for (std::int64_t m : {0, 1, 5, 333})
      arguments.push_back({array_value({n, m}, numbers<std::int32_t>(n * m, 100))});
  expect_agreements(R"(program "rank2" (x: i32[n, m]) {
    k: i64, o: i64[2], y: i32[k], j_of: i64[k] = redomap (i < n, j < m) {
      select(x[i, j] < 50i32, 0, 1), x[i, j], j
    } partition 1 of 2
    return k, o, y, j_of
  })",
                    arguments);
}

TEST(Packing, OfManyTiles) {
  const std::vector<Value> million{array_value(numbers<std::int32_t>(1000003, 1 << 30))};
  expect_agreements(R"(program "many" (x: i32[n]) {
    m: i64, o: i64[2], y: i32[m], p: i64[m] = redomap (i < n) { i64(x[i] % 2i32), x[i], i } partition 1 of 2
    return m, o, y, p
  })",
                    {million});
  expect_agreements(R"(program "sums" (x: i32[n]) {
    y: i32[n] = map (i < n) {
      s: i32 = scan (x[i]) add comm neutral 0i32
      return s
    }
    return y
  })",
                    {million});
}

template <class T>
void expect_scans(const std::string& kind, const std::string& zero, const std::string& least) {
  SCOPED_TRACE(kind);
  expect_agreements(
      fmt::format(R"(program "scans" (x: {0}[n]) {{
    y: {0}[n], z: {0}[n] = map (i < n) {{
      a: {0} = scan (x[i]) add comm neutral {1}
      b: {0} = scan exclusive (x[i]) max comm neutral {2}
      return a, b
    }}
    return y, z
  }})",
                  kind, zero, least),
      on_sizes([](std::int64_t n) -> std::vector<Value> { return {array_value(numbers<T>(n, 100))}; }));
}

TEST(ScanInLanes, OfEveryType) {
  expect_scans<std::int8_t>("i8", "0i8", "-128i8");
  expect_scans<std::uint16_t>("u16", "0u16", "0u16");
  expect_scans<std::int32_t>("i32", "0i32", "-5i32");
  expect_scans<std::uint64_t>("u64", "0u64", "0u64");
  expect_scans<float>("f32", "0f", "-1f");
  expect_scans<double>("f64", "0.0", "-1.0");
}

/// Products of 2x2 matrices, of integers so that every order gives the same bits.
TEST(ScanInLanes, OfMatrices) {
  expect_agreements(R"(program "matrices" (x: i32[n]) {
    p: i32[n], q: i32[n], r: i32[n], s: i32[n] = map (i < n) {
      a: i32, b: i32, c: i32, d: i32 = scan (x[i], 1i32, 2i32, x[i] + 3i32)
        (a1: i32, b1: i32, c1: i32, d1: i32, a2: i32, b2: i32, c2: i32, d2: i32) {
          a1 * a2 + b1 * c2, a1 * b2 + b1 * d2, c1 * a2 + d1 * c2, c1 * b2 + d1 * d2
        } neutral 1i32, 0i32, 0i32, 1i32
      return a, b, c, d
    }
    return p, q, r, s
  })",
                    on_sizes([](std::int64_t n) -> std::vector<Value> {
                      return {array_value(numbers<std::int32_t>(n, 100))};
                    }));
}

}  // namespace
}  // namespace fulgurite::testing_lower
