// Points that ask for their segment: in two versions, and with what is computed once for a segment.
#include "schedule/rewrites/segments_in_turn.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "schedule/rewrites/segment_values.h"
#include "soac/check.h"
#include "soac/parse.h"
#include "soac/print.h"
#include "soac/walk.h"

namespace fulgurite::schedule {
namespace {

std::string in_turn(const std::string& text) {
  const soac::Program program = walk_segments_in_turn(soac::parse(text, "test.soac"), {.segment_points = 8});
  soac::check(program, "walk_segments_in_turn");
  return soac::print(program, {.locations = false});
}

/// A program whose only other statement marks where segments begin.
std::string marked(const std::string& statement, const std::string& results) {
  return R"(program(offsets: i64[m], x: i32[n], y: f32[b]) {
  begun: i64[n] = redomap (s < m - 1) { select(offsets[s] < offsets[s + 1], offsets[s], -1), s } scatter unordered (n) (j: i64) { 0 }
  )" + statement +
         "\n  return " + results + "\n}\n";
}
constexpr const char* item = "item: i64 = scan (begun[i]) max comm neutral -1 segments offsets\n";

TEST(SegmentsInTurn, AreScannedWhereTheyAreShort) {
  EXPECT_EQ(
      in_turn(marked(R"(r: i32[n] = map (i < n) { )" + std::string(item) + "return x[i] + i32(item) }", "r")),
      R"(program (offsets: i64[m], x: i32[n], y: f32[b]) {
  r: i32[n] = if m * 8 - 8 <= n {
    r_1: i32[n] = map (i < n) {
      item: i64 = scan () max comm neutral -1 segments offsets
      return i32(item) + x[i]
    }
    return r_1
  } else {
    begun: i64[n] = redomap (s < m - 1) { select(offsets[s] < offsets[s + 1], offsets[s], -1), s } scatter unordered (n) (j: i64) {
      return 0
    }
    r_2: i32[n] = map (i_1 < n) {
      item_1: i64 = scan (begun[i_1]) max comm neutral -1 segments offsets
      return i32(item_1) + x[i_1]
    }
    return r_2
  }
  return r
}
)");
}

// What says where segments begin stays before the versions where something else reads it.
TEST(SegmentsInTurn, LeaveWhatOthersRead) {
  const std::string text = in_turn(
      marked("r: i32[n] = map (i < n) { " + std::string(item) + "return x[i] + i32(item) }", "r, begun"));
  EXPECT_LT(text.find("begun"), text.find("if m * 8"));
  EXPECT_EQ(text.find("redomap"), text.rfind("redomap")) << text;
}

TEST(SegmentsInTurn, NeedPointsThatMayBeWalkedInAnyOrderOrAreFiltered) {
  const auto changes = [](const std::string& head, const std::string& values, const std::string& outputs,
                          const std::string& results) {
    const std::string text = in_turn(marked(
        head + " = redomap (i < n) { " + std::string(item) + "return " + values + " } " + outputs, results));
    return text.find("scan ()") != std::string::npos;
  };
  EXPECT_TRUE(
      changes("k: i64, o: i64[2], r: i32[k]", "select(item < 5, 0, 1), x[i]", "partition 1 of 1", "r"));
  EXPECT_TRUE(changes("r: i64[n]", "i, item", "scatter unordered (n) (j: i64) { 0 }", "r"));
  EXPECT_TRUE(changes("r: i64", "item", "reduce max comm neutral 0", "r"));
  EXPECT_FALSE(changes("r: i64", "item", "reduce (a: i64, b: i64) { b } neutral 0", "r")) << "in order";
  EXPECT_FALSE(changes("r: f32", "y[item]", "reduce add comm neutral 0f", "r")) << "sums that round";
  EXPECT_FALSE(changes("r: i64[n]", "item, 1", "scatter (n) (j: i64) { 0 } combine add comm neutral 0", "r"));
  EXPECT_FALSE(changes("r: i64[n]", "item, i", "scatter (n) (j: i64) { 0 }", "r")) << "the last stays";
  EXPECT_FALSE(changes("k: i64, o: i64[n + 1], r: i32[k]", "item, x[i]", "partition n of 1", "r"))
      << "many classes";
}

// Checks and reads that mention nothing else of the point stand before it, and all of them are checked.
TEST(SegmentValues, AreComputedBeforeThePoints) {
  soac::Program program = soac::parse(R"(program(offsets: i64[m], s: i32[k], x: i32[n], item: i64) {
  r: i32[n] = map (i < n) {
    let t = i64(s[item])
    check 0 <= t & t < k site 1 (t, k)
    let j = i - offsets[item]
    check 0 <= j & j < i64(s[t]) site 1 (j, k)
    return x[j + offsets[item]] + s[t]
  }
  return r
}
sites { 1 index @"test.cpp":1 "index" })",
                                      "test.soac");
  SegmentValues values = segment_values(*program.arena, program.body[0]);
  values.before.push_back(std::move(values.stm));
  program.body = std::move(values.before);
  const std::string text = soac::print(program, {.locations = false});
  EXPECT_EQ(text.substr(0, text.find("  return r\n")),
            R"(program (offsets: i64[m], s: i32[k], x: i32[n], item: i64) {
  let t = i64(s[item]@1)
  check 0 <= t & t < k site 1 (t, k)
  let t_1 = s[t]@1
  of_segment: i64 = let i64(t_1)
  of_segment_1: i64 = let offsets[item]@1
  of_segment_2: i32 = let t_1
  r: i32[n] = map (i < n) {
    let t_2 = i - of_segment_1
    check t_2 < of_segment & 0 <= t_2 site 1 (t_2, k)
    return of_segment_2 + x[i]
  }
)");
}

// Each read is looked at once, however often the reads after it mention it.
TEST(SegmentValues, OfReadsThatDependOnReads) {
  std::string steps = "let t0 = s[item]\n";
  constexpr int n_steps = 60;
  for (int k = 0; k < n_steps; ++k)
    steps += fmt::format("let t{} = s[i64(t{} & 7i32)] + t{} * 3i32\n", k + 1, k, k);
  soac::Program program =
      soac::parse("program(s: i32[k], x: i32[n], item: i64) {\n  r: i32[n] = map (i < n) {\n" + steps +
                      fmt::format("return x[i] + t{}\n}}\n  return r\n}}", n_steps),
                  "test.soac");
  const SegmentValues values = segment_values(*program.arena, program.body[0]);
  ASSERT_EQ(values.before.size(), 1U);
  int n_reads = 0;
  scalar::for_each_node(soac::roots_of(values.before[0]), [&](scalar::Expr e) {
    if (e.op() != scalar::Op::index) return;
    ++n_reads;
    EXPECT_NE(e.site(), 0U);
  });
  EXPECT_EQ(n_reads, n_steps + 1);
}

}  // namespace
}  // namespace fulgurite::schedule
