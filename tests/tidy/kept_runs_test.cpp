// Runs that a loop reads anew in each of its rounds are transposed before it.
#include "tidy/kept_runs.h"

#include <gtest/gtest.h>

#include <string>

#include "applied.h"
#include "kernel/parse.h"
#include "kernel/print.h"
#include "kernel/traverse.h"
#include "tidy/dead.h"
#include "tidy/transpose.h"
#include "tidy/vectorise.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

// Each of 16 lanes compares its own row of `x` with all rows of `y`: `pieces` to `end` say where the pieces
// of a row begin, in which `k` counts the elements.
Kernel compared(const std::string& pieces, const std::string& end = "}") {
  const std::string text = R"(kernel k(in x: f32[], in y: f32[], out z: f32[], n: i64, m: i64)
par grid task < n {
  par block t < 16 {
    let start = (task * 16 + t) * m
    var most = 0f
    for row in 0 : n step 1 {
      var sum = 0f
      )" + pieces + R"(
        for k in 0 : 4 step 1 {
          let step_ = at + k
          let own = start + step_
          load a: f32 = x[own, 1]
          let other = row * m + step_
          load b: f32 = y[other, 1]
          let before = sum
          sum = before + a * b
        }
      )" + end + R"(
      let total = sum
      let so_far = most
      most = max(so_far, total)
    }
    let all = most
    let place = task * 16 + t
    store z[place, 1] = all
  }
}
)";
  return applied({&vectorise, &remove_dead, &transpose_runs, &keep_runs}, parse(text, "test"),
                 {.transposed_lanes = 16});
}

// How many loops are around each Transpose.
void add_depths(const Block& block, int depth, std::vector<int>& depths) {
  for (const Stm& s : block) {
    if (std::holds_alternative<Transpose>(s.op)) depths.push_back(depth);
    Parts parts;
    parts.block = [&](const Block& inner) {
      add_depths(inner, depth + (std::holds_alternative<For>(s.op) ? 1 : 0), depths);
      return inner;
    };
    map_children(s, parts);
  }
}
std::vector<int> depths_of(const Kernel& kernel) {
  std::vector<int> depths;
  add_depths(kernel.body, 0, depths);
  return depths;
}

TEST(KeptRuns, PiecesAreTransposedBeforeTheLoopAsFarAsThereIsRoom) {
  const Kernel kernel = compared("for at in 0 : m step 4 {");
  EXPECT_EQ(depths_of(kernel), (std::vector<int>{1, 2})) << print(kernel);
  std::vector<Expr> sizes;
  for_each_stm(kernel.body, [&](const Stm& s) {
    if (const auto* allocate = std::get_if<Allocate>(&s.op)) sizes.push_back(allocate->n);
  });
  ASSERT_EQ(sizes.size(), 3u);  // what is kept, a piece of it, a piece after it
  EXPECT_TRUE(sizes[0].is_constant(64 * 16));
  const std::string text = print(kernel);
  EXPECT_NE(text.find("select(0 < n, min(m, 64), 0)"), text.npos) << text;
}

TEST(KeptRuns, ARunOfKnownLengthIsTransposedWhole) {
  const Kernel kernel = compared("let at = 0", "");
  EXPECT_EQ(depths_of(kernel), std::vector<int>{0}) << print(kernel);
  EXPECT_NE(print(kernel).find("let has_rounds = 0 < n\n  if has_rounds {\n    transpose"), std::string::npos)
      << print(kernel);
}

TEST(KeptRuns, WhatTheLoopStoresToOrMovesOnStays) {
  EXPECT_EQ(depths_of(compared("for at in 0 : row step 4 {")), std::vector<int>{2});
  EXPECT_EQ(depths_of(compared("for at in row : m step 4 {")), std::vector<int>{2});
}

}  // namespace
}  // namespace fulgurite::tidy
