// How sorts of segments become sorts of all elements, and how tasks of a CPU get the long ones.
#include "schedule/rewrites/segments.h"

#include <gtest/gtest.h>

#include "schedule/rewrites/radix.h"
#include "soac/check.h"
#include "soac/count.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::schedule {
namespace {

soac::Program of_all(const std::string& text) {
  soac::Program program = without_segments(soac::parse(text, "test.soac"));
  soac::check(program, "without_segments");
  return program;
}

TEST(WithoutSegments, SortsByTheKeyThenByTheSegment) {
  const soac::Program program = of_all(R"(program(offsets: i64[m], x: u32[n]) {
    y: u32[n] = sort (x) segments offsets by (a: u32) { a }
    return y
  })");
  EXPECT_EQ(soac::print(program, {.locations = false}),
            R"(program (offsets: i64[m], x: u32[n]) {
  x_1: i64[n] = redomap (i < m - 1) { select(offsets[i] < offsets[i + 1], offsets[i], -1), i } scatter unordered (n) (i_1: i64) {
    return 0
  }
  item: i64[n] = map (i_2 < n) {
    item_1: i64 = scan (x_1[i_2]) max comm neutral -9223372036854775808 segments offsets
    return item_1
  }
  item_2: i64[n], y: u32[n] = sort (item, x) by (item_3: i64, a: u32) { a }
  item_4: i64[n], y_1: u32[n] = sort (item_2, y) by (item_5: i64, x_2: u32) { u64(item_5) }
  return y_1
}
)");
}

// The last of them puts segments in order.
TEST(WithoutSegments, SortsInARowShareTheLastOne) {
  const std::string begin = R"(program(offsets: i64[m], x: u32[n]) {
    y: u32[n] = sort (x) segments offsets by (a: u32) { a }
    z: u32[n] = sort (y) segments offsets by (a: u32) { a % 8u32 }
    return )";
  EXPECT_EQ(soac::count(of_all(begin + "z }")).sort, 3);
  EXPECT_EQ(soac::count(of_all(begin + "z, y }")).sort, 4);
}

TEST(WithoutSegments, InsideOfSoacsOnly) {
  const soac::Program program =
      without_segments_inside(soac::parse(R"(program(offsets: i64[m], x: u32[n], k: i64) {
    y: u32[n] = loop (x) times k do (i: i64, z: u32[n]) {
      u: u32[n] = sort (z) segments offsets by (a: u32) { a }
      return u
    }
    v: u32[k, n] = map (i < k) {
      w: u32[n] = map (j < n) { x[j] + u32(i) }
      s: u32[n] = sort (w) segments offsets by (a: u32) { a }
      return s
    }
    return y, v
  })",
                                          "test.soac"));
  soac::check(program, "without_segments_inside");
  const std::string text = soac::print(program, {.locations = false});
  EXPECT_NE(text.find("sort (z) segments offsets"), text.npos) << text;
  EXPECT_EQ(text.find("sort (w) segments offsets"), text.npos) << text;
  EXPECT_EQ(soac::count(program).sort, 3);
}

// Elements are taken out of the long segment, sorted as an array, and put back where it lies.
TEST(LongSegments, AreSortedOneAfterTheOther) {
  soac::Program program = soac::parse(R"(program(offsets: i64[m], x: u32[n]) {
    others: u32[n] = map (i < n) { 0u32 }
    y: u32[n] = sort (x) segments offsets by (a: u32) { a }
    return y
  })",
                                      "test.soac");
  const soac::Stm sort = program.body[1];
  const Rows rows = segments_as_rows(*program.arena, sort, {.sort_whole = 100, .sort_fits = 1000});
  program.body.pop_back();
  for (const Rows::Step& step : rows.survey) program.body.push_back(step.stm);
  const scalar::Expr others = program.arena->name(program.body[0].names[0]);
  program.body.push_back(sort_long_segments(*program.arena, sort, rows, std::span(&others, 1)));
  soac::check(program, "sort_long_segments");
  EXPECT_EQ(soac::print(program, {.locations = false}),
            R"(program (offsets: i64[m], x: u32[n]) {
  others: u32[n] = map (i < n) { 0u32 }
  longest: i64 = redomap (i_1 < m - 1) { offsets[i_1 + 1] - offsets[i_1] } reduce max comm neutral 0
  n_long: i64, offsets_1: i64[2], begins: i64[n_long], lengths: i64[n_long] = redomap (i_2 < m - 1) {
    let t = offsets[i_2 + 1] - offsets[i_2]
    return select(max(min(n / 32, 1000), 100) < t, 0, -1), offsets[i_2], t
  } partition 1 of 2
  y: u32[n] = loop (others) times n_long do (k: i64, y_1: u32[n]) {
    begin: i64 = let begins[k]
    size: i64 = let lengths[k]
    y_2: u32[size] = map (i_3 < size) { x[begin + i_3] }
    y_3: u32[size] = sort (y_2) by (a: u32) { a }
    y_4: u32[n] = redomap (i_4 < size) { begin + i_4, y_3[i_4] } scatter unordered (n) (j: i64) { y_1[j] }
    return y_4
  }
  return y
}
)");
}

}  // namespace
}  // namespace fulgurite::schedule
