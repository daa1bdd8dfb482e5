// Reductions of ragged rows on the cpu engine.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <numeric>

#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

/// Where rows of many lengths begin: many short ones, then around one and four vectors, a long one.
std::vector<std::int32_t> offsets() {
  std::vector<std::int32_t> lengths(64);
  for (int i = 0; i < 64; ++i) lengths[static_cast<std::size_t>(i)] = i % 41;
  for (std::int32_t length : {0,  1,  2,  0,  3,   7,   8,   9,   15,  16,  17,   31,    32,
                              33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 20001, 0})
    lengths.push_back(length);
  std::vector<std::int32_t> starts{0};
  for (std::int32_t length : lengths) starts.push_back(starts.back() + length);
  return starts;
}

template <class T>
void expect_rows(const std::string& kind, const std::string& reduce) {
  SCOPED_TRACE(reduce + " of " + kind);
  const std::vector<std::int32_t> starts = offsets();
  expect_agreement(fmt::format(R"(program "rows" (a: i32[n], c: {0}[m]) {{
    y: {0}[n - 1] = map (i < n - 1) {{
      let t = i64(a[i])
      r: {0} = redomap (j < i64(a[i + 1]) - t) {{ c[t + j] }} reduce {1}
      return r
    }}
    return y
  }})",
                               kind, reduce),
                   {array_value(starts), array_value(numbers<T>(starts.back(), 5))});
}

TEST(Rows, OfEveryElementType) {
  expect_rows<std::int8_t>("i8", "add comm neutral 0i8");
  expect_rows<std::uint8_t>("u8", "max comm neutral 0u8");
  expect_rows<std::int16_t>("i16", "min comm neutral 3i16");
  expect_rows<std::uint16_t>("u16", "bit_or comm neutral 0u16");
  expect_rows<std::int32_t>("i32", "add comm neutral 0i32 initial 7i32");
  expect_rows<std::uint32_t>("u32", "bit_xor comm neutral 0u32");
  expect_rows<std::int64_t>("i64", "mul comm neutral 1");
  expect_rows<std::uint64_t>("u64", "max comm neutral 0u64");
  expect_rows<float>("f32", "add comm neutral 0.0f");
  expect_rows<double>("f64", "add comm neutral 0.0 initial 1.0");
}

TEST(Rows, SeveralReductionsOfTuples) {
  const std::vector<std::int32_t> starts = offsets();
  expect_agreement(R"(program "tuples" (a: i32[n], c: f32[m]) {
    y: f32[n - 1], p: i64[n - 1], q: bool[n - 1], s: f64[n - 1] = map (i < n - 1) {
      let t = i64(a[i])
      l: f32, k: i64, b: bool, d: f64 = redomap (j < i64(a[i + 1]) - t) { c[t + j], j, c[t + j] == 4.0f, f64(c[t + j]) + 1.0 }
        reduce (u: f32, g: i64, v: f32, h: i64) {
          let left = u < v | (!(v < u) & g <= h)
          return select(left, u, v), select(left, g, h)
        } comm neutral 1000.0f, 9223372036854775807
        reduce bit_or comm neutral false
        reduce add comm neutral 0.0
      return l, k, b, d
    }
    return y, p, q, s
  })",
                   {array_value(starts), array_value(numbers<float>(starts.back(), 9))});
}

// Gathers go in full vectors only where the operator commutes.
TEST(Rows, OfGathersFoldInOrder) {
  const std::vector<std::int32_t> starts = offsets();
  expect_agreement(R"(program "gathers" (a: i32[n], b: i64[m], x: i32[k]) {
    y: i32[n - 1], z: i32[n - 1] = map (i < n - 1) {
      let t = i64(a[i])
      r: i32, s: i32 = redomap (j < i64(a[i + 1]) - t) { x[b[t + j]] * 2i32 + 1i32, x[b[t + j]] }
        reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
      return r, s
    }
    return y, z
  })",
                   {array_value(starts), array_value(numbers<std::int64_t>(starts.back(), 50)),
                    array_value(numbers<std::int32_t>(50, 1000))});
}

/// A product of a sparse matrix; columns of every type that is an index.
template <class T>
std::string sparse_product(const std::string& kind) {
  return fmt::format(R"(program "product" (a: i32[n], b: {}[m], x: f32[k]) {{
    y: f32[n - 1] = map (i < n - 1) {{
      let t = i64(a[i])
      r: f32 = redomap (j < i64(a[i + 1]) - t) {{ x[{}(b[t + j])]@1 * 2.0f }} reduce add comm neutral 0.0f
      return r
    }}
    return y
  }}
  sites {{
    1 index @"test.soac":4 "outside in row {{2}}"
  }})",
                     kind, kind == "i64" ? "" : "i64");
}

template <class T>
void expect_product(const std::string& kind) {
  SCOPED_TRACE(kind);
  const std::vector<std::int32_t> starts = offsets();
  const soac::Value x = array_value(numbers<float>(100, 7)), a = array_value(starts);
  std::vector<T> columns = numbers<T>(starts.back(), 100);
  const std::string text = sparse_product<T>(kind);
  expect_agreement(text, {a, array_value(columns), x});
  const soac::Program program = soac::parse(text, "test.soac");
  for (std::int64_t at : {0, 40, 700, 1100, 1800, starts.back() - 20000, starts.back() - 1})
    for (int bad : {100, -1}) {
      std::vector<T> broken = columns;
      broken[static_cast<std::size_t>(at)] = static_cast<T>(bad);
      const std::vector<soac::Value> args{a, array_value(broken), x};
      const auto behind = std::ranges::upper_bound(starts, static_cast<std::int32_t>(at));
      const std::string row = fmt::format("outside in row {}", behind - starts.begin() - 1);
      try {
        testing_pipeline::run(program, args, strict());
        ADD_FAILURE() << at << " " << bad;
      } catch (const IndexError& error) {
        EXPECT_NE(std::string(error.what()).find(row), std::string::npos)
            << error.what() << " and not " << row;
      }
    }
}

TEST(Rows, GatheredByIndicesOfEveryType) {
  expect_product<std::int8_t>("i8");
  expect_product<std::uint8_t>("u8");
  expect_product<std::int16_t>("i16");
  expect_product<std::uint16_t>("u16");
  expect_product<std::int32_t>("i32");
  expect_product<std::uint32_t>("u32");
  expect_product<std::int64_t>("i64");
  expect_product<std::uint64_t>("u64");
}

/// The same outside of rows, elements of every type.
template <class T>
void expect_gather(const std::string& kind) {
  for (std::int64_t n : sizes)
    expect_agreement(fmt::format(R"(program "gather" (b: i32[n], x: {0}[k]) {{
      y: {0}[n] = map (i < n) {{ x[i64(b[i])]@1 }}
      return y
    }}
    sites {{
      1 index @"test.soac":2 "outside"
    }})",
                                 kind),
                     {array_value(numbers<std::int32_t>(n, 100)), array_value(numbers<T>(100, 120))});
}

TEST(Rows, ElementsOfEveryTypeAreGathered) {
  expect_gather<std::int8_t>("i8");
  expect_gather<std::uint16_t>("u16");
  expect_gather<std::int32_t>("i32");
  expect_gather<std::uint32_t>("u32");
  expect_gather<std::int64_t>("i64");
  expect_gather<std::uint64_t>("u64");
  expect_gather<float>("f32");
  expect_gather<double>("f64");
}

}  // namespace
}  // namespace fulgurite::testing_lower
