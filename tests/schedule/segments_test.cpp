// How sorts of segments become sorts of all elements.
#include "schedule/rewrites/segments.h"

#include <gtest/gtest.h>

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
    item_1: i64 = scan (x_1[i_2]) max comm neutral -9223372036854775808
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

}  // namespace
}  // namespace fulgurite::schedule
