// How a statement with Scans that wait for others becomes statements with one level of Scans each.
#include "schedule/rewrites/levels.h"

#include <gtest/gtest.h>

#include "soac/check.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::schedule {
namespace {

/// The program's text after its statements have been split.
std::string split(const std::string& text) {
  const soac::Program program = split_levels(soac::parse(text, "test.soac"));
  soac::check(program, "split_levels");
  return soac::print(program, {.locations = false});
}
/// The program as it is printed.
std::string as_printed(const std::string& text) {
  return soac::print(soac::parse(text, "test.soac"), {.locations = false});
}

TEST(SplitLevels, TheFirstStatementMakesWhatTheNextOneReads) {
  EXPECT_EQ(split(R"(program(x: i32[n]) {
    y: i32[n], z: i32[n] = map (i < n) {
      s: i32 = scan (x[i]) add comm neutral 0i32
      t: i32 = scan exclusive (s * x[i]) max comm neutral -5i32
      return s + 1i32, t
    }
    return y, z
  })"),
            as_printed(R"(program(x: i32[n]) {
    s: i32[n] = map (i < n) {
      s_1: i32 = scan (x[i]) add comm neutral 0i32
      return s_1
    }
    y: i32[n], z: i32[n] = map (i_1 < n) {
      s_2: i32 = let s[i_1]
      t: i32 = scan exclusive (s_2 * x[i_1]) max comm neutral -5i32
      return s_2 + 1i32, t
    }
    return y, z
  })"));
}

TEST(SplitLevels, StatementsWithoutLevelsStay) {
  const std::string text = R"(program(x: i32[n]) {
    y: i32[n], z: i32[n] = map (i < n) {
      s: i32 = scan (x[i]) add comm neutral 0i32
      t: i32 = scan (x[i] * x[i]) max comm neutral -5i32
      u: i32 = let s * t
      return s, u
    }
    return y, z
  })";
  EXPECT_EQ(split(text), as_printed(text));
}

/// The sum of a row is not computed twice; a Check stands before whatever comes after it.
TEST(SplitLevels, CostlyScalarsAreKept) {
  EXPECT_EQ(split(R"(program(x: i32[n, m]) {
    total: i32 = redomap (i < n) {
      row: i32 = redomap (j < m) { x[i, j] } reduce add comm neutral 0i32
      square: i32 = let row * row
      check row < 100i32 site 1 ()
      s: i32, r: i32 = scan (row, square) (a: i32, b: i32, c: i32, d: i32) { a + c, b + d } neutral 0i32, 0i32
      check s < 1000i32 site 1 ()
      t: i32 = scan (s + square) add neutral 0i32
      return t * row
    } reduce add comm neutral 0i32
    return total
  } sites { 1 shape "too much" })"),
            as_printed(R"(program(x: i32[n, m]) {
    row: i32[n], s: i32[n] = map (i < n) {
      row_1: i32 = redomap (j < m) { x[i, j] } reduce add comm neutral 0i32
      square: i32 = let row_1 * row_1
      check row_1 < 100i32 site 1 ()
      s_1: i32, r: i32 = scan (row_1, square) (a: i32, b: i32, c: i32, d: i32) { a + c, b + d } neutral 0i32, 0i32
      return row_1, s_1
    }
    total: i32 = redomap (i_1 < n) {
      row_2: i32 = let row[i_1]
      square_1: i32 = let row_2 * row_2
      check row_2 < 100i32 site 1 ()
      s_2: i32 = let s[i_1]
      check s_2 < 1000i32 site 1 ()
      t: i32 = scan (s_2 + square_1) add neutral 0i32
      return t * row_2
    } reduce add comm neutral 0i32
    return total
  } sites { 1 shape "too much" })"));
}

TEST(SplitLevels, AStatementForEachLevelInBranchesAndLoops) {
  const soac::Program program = split_levels(soac::parse(R"(program(x: i32[n], k: i32) {
    y: i32[n] = if k < 0i32 {
      z: i32[n] = loop (x) times 3 do (p: i64, w: i32[n]) {
        v: i32[n] = map (i < n) {
          s: i32 = scan (w[i]) add comm neutral 0i32
          t: i32 = scan (s) add comm neutral 0i32
          u: i32 = scan (t) add comm neutral 0i32
          return u
        }
        return v
      }
      return z
    } else { x }
    return y
  })"));
  soac::check(program, "split_levels");
  const auto& branches = std::get<soac::If>(program.body[0].op);
  const auto& loop = std::get<soac::Loop>(branches.then_branch.body[0].op);
  EXPECT_EQ(loop.body.body.size(), 3);
}

/// Nobody needs t.
TEST(SplitLevels, ScansThatNobodyNeedsAreNoLevel) {
  const soac::Program program = split_levels(soac::parse(R"(program(x: i32[n]) {
    y: i32[n] = map (i < n) {
      s: i32 = scan (x[i]) add comm neutral 0i32
      t: i32 = scan (s) add comm neutral 0i32
      return s
    }
    return y
  })"));
  EXPECT_EQ(program.body.size(), 1);
}

}  // namespace
}  // namespace fulgurite::schedule
