// How a map of several combinators over rows becomes a statement for each of them.
#include "schedule/rewrites/fission.h"

#include <gtest/gtest.h>

#include "soac/check.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::schedule {
namespace {

std::string divided(const std::string& text) {
  const soac::Program program = fission(soac::parse(text, "test.soac"), BlocksPolicy());
  soac::check(program, "fission");
  return soac::print(program, {.locations = false});
}
std::string as_printed(const std::string& text) {
  return soac::print(soac::parse(text, "test.soac"), {.locations = false});
}
void expect_divided(const std::string& before, const std::string& after) {
  EXPECT_EQ(divided(before), as_printed(after));
}
void expect_whole(const std::string& text) {
  expect_divided(text, text);
}

TEST(Fission, SoftmaxIsTwoReductionsOfRowsAndAMapOfElements) {
  expect_divided(R"(program(x: f32[n, m]) {
    y: f32[n, 64] = map (i < n) {
      most: f32 = redomap (j < 64) { x[i, j] } reduce max comm neutral -1f
      e: f32[64] = map (k < 64) { exp(x[i, k] - most) }
      s: f32 = redomap (l < 64) { e[l] } reduce add comm neutral 0f
      d: f32[64] = map (p < 64) { e[p] / s }
      return d
    }
    return y
  })",
                 R"(program(x: f32[n, m]) {
    most: f32[n] = map (i < n) {
      most_1: f32 = redomap (j < 64) { x[i, j] } reduce max comm neutral -1f
      return most_1
    }
    s: f32[n] = map (i_1 < n) {
      s_1: f32 = redomap (l < 64) { exp(x[i_1, l] - most[i_1]) } reduce add comm neutral 0f
      return s_1
    }
    y: f32[n, 64] = map (i_2 < n, p < 64) { exp(x[i_2, p] - most[i_2]) / s[i_2] }
    return y
  })");
}

/// A reduction that maps besides is two statements, and what is expensive to compute is in memory.
TEST(Fission, WhatAReductionMapsBesidesStandsBeforeIt) {
  const std::string text = divided(R"(program(x: f32[n, m]) {
    y: f32[n, 64], t: f32[n] = map (i < n) {
      s: f32, e: f32[64] = redomap (l < 64) { x[i, l] * x[i, l], exp(x[i, l]) } reduce add comm neutral 0f
      return e, s * 2f
    }
    return y, t
  })");
  EXPECT_EQ(text, as_printed(R"(program(x: f32[n, m]) {
    y: f32[n, 64] = map (i < n, l < 64) { exp(x[i, l]) }
    s: f32[n] = map (i_1 < n) {
      s_1: f32 = redomap (l_1 < 64) { x[i_1, l_1] * x[i_1, l_1] } reduce add comm neutral 0f
      return s_1
    }
    t: f32[n] = map (i_2 < n) { s[i_2] * 2f }
    return y, t
  })"));
}

TEST(Fission, ScansOfRowsBeginAnewWithEachRow) {
  expect_divided(R"(program(x: i32[n, m]) {
    y: i32[n, 64] = map (i < n) {
      r: i32[64] = map (j < 64) {
        s: i32 = scan (x[i, j]) add comm neutral 0i32
        t: i32 = scan exclusive (x[i, j]) max comm neutral -5i32
        return s + t
      }
      return r
    }
    return y
  })",
                 R"(program(x: i32[n, m]) {
    y: i32[n, 64] = map (i < n, j < 64) {
      begins: bool, s: i32 = scan (j == 0, x[i, j]) (begins_1: bool, x_1: i32, begins_2: bool, x_2: i32) {
        return begins_1 | begins_2, select(begins_2, x_2, x_1 + x_2)
      } neutral false, 0i32
      begins_3: bool, t: i32 = scan exclusive (j == 0, x[i, j]) (begins_4: bool, x_3: i32, begins_5: bool, x_4: i32) {
        return begins_4 | begins_5, select(begins_5, x_4, max(x_3, x_4))
      } neutral false, -5i32
      t_1: i32 = let select(j == 0, -5i32, t)
      return s + t_1
    }
    return y
  })");
}

TEST(Fission, ExtentsThatAreNotKnownAreAskedFor) {
  const std::string text = divided(R"(program(x: f32[n, m]) {
    y: f32[n, m] = map (i < n) {
      s: f32 = redomap (l < m) { x[i, l] } reduce add comm neutral 0f
      d: f32[m] = map (p < m) { x[i, p] / s }
      return d
    }
    return y
  })");
  EXPECT_NE(text.find("if 32 <= m {"), std::string::npos) << text;
}

/// Rows that are expensive to compute are in memory, and not more of them than there is room for.
TEST(Fission, RowsBetweenCombinatorsHaveRoom) {
  const std::string text = divided(R"(program(x: f32[n, m]) {
    y: f32[n] = map (i < n) {
      d: f32[64] = map (p < 64) {
        t: f32 = redomap (q < m) { x[p, q] * x[i, q] } reduce add comm neutral 0f
        return t
      }
      s: f32 = redomap (l < 64) { d[l] * d[63 - l] } reduce add comm neutral 0f
      return s
    }
    return y
  })");
  EXPECT_NE(text.find("if n * 64 <= 134217728 {"), std::string::npos) << text;
}

TEST(Fission, ShortRowsAndRowsOfSizesOfTheirOwnStayWhole) {
  expect_whole(R"(program(x: f32[n, m]) {
    y: f32[n, 4] = map (i < n) {
      s: f32 = redomap (l < 4) { x[i, l] } reduce add comm neutral 0f
      d: f32[4] = map (p < 4) { x[i, p] / s }
      return d
    }
    return y
  })");
  expect_whole(R"(program(x: f32[n, n1]) {
    y: f32[n] = map (i < n) {
      d: f32[i] = map (p < i) { x[i, 0] * f32(p) }
      s: f32 = redomap (l < i) { d[l] * d[i - 1 - l] } reduce add comm neutral 0f
      return s
    }
    return y
  })");
  expect_whole(R"(program(x: f32[n, m]) {
    y: f32[n] = map (i < n) {
      s: f32 = redomap (l < 64) { x[i, l] } reduce add comm neutral 0f
      return s / 64f
    }
    return y
  })");
}

}  // namespace
}  // namespace fulgurite::schedule
