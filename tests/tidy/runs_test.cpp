// Loops of any number of rounds that read or store runs of memory side by side, one a lane.
#include <gtest/gtest.h>

#include <string>

#include "applied.h"
#include "kernel/parse.h"
#include "kernel/traverse.h"
#include "tidy/dead.h"
#include "tidy/transpose.h"
#include "tidy/vectorise.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

// Each of 8 lanes takes `n` rounds, its rows being m elements apart.
Kernel in_rounds(const std::string& round, const std::string& end = "n", std::int32_t lanes = 8) {
  const std::string text = R"(kernel k(in x: f32[], in v: f32[], out y: f32[], out own: f32[], n: i64, m: i64)
par grid task < n {
  let is_sound = 0 < m
  let sound_rounds = select(is_sound, n, 0)
  par block t < 8 {
    let row = (task * 8 + t) * m
    for k in 0 : )" + end + R"( step 1 {
      let at = row + k
      let place = k * 8 + t
      )" + round + R"(
    }
  }
}
)";
  return applied({&vectorise, &remove_dead, &transpose_runs}, parse(text), {.transposed_lanes = lanes});
}
std::size_t n_strided(const Kernel& kernel) {
  std::size_t n = 0;
  for (const Load& load : all<Load>(kernel)) n += !load.from.stride.is_constant(1);
  for (const Store& store : all<Store>(kernel)) n += !store.to.stride.is_constant(1);
  return n;
}

// Four rounds read a piece of each row together; those that are left read one by one.
TEST(RunsOfAnyLength, AreReadInPieces) {
  const Kernel kernel = in_rounds("load a: f32 = x[at, 1] store own[place, 1] = a");
  const auto tiles = all<Transpose>(kernel);
  ASSERT_EQ(tiles.size(), 1u);
  EXPECT_EQ(tiles[0].lanes, 8);
  EXPECT_EQ(tiles[0].steps, 4);
  EXPECT_EQ(n_strided(kernel), 1u);
  const auto loops = all<For>(kernel);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_TRUE(loops[0].step.is_constant(4));
  EXPECT_EQ(loops[1].begin, loops[0].end);
  EXPECT_EQ(all<Store>(kernel).size(), 5u);
}

// Eight rounds fill a tile, of which each lane's row is stored as a vector, where rows do not overlap.
TEST(RunsOfAnyLength, AreStoredInPieces) {
  const Kernel kernel = in_rounds("load a: f32 = v[place, 1] store y[at, 1] = a");
  const auto tiles = all<Transpose>(kernel);
  ASSERT_EQ(tiles.size(), 1u);
  EXPECT_EQ(tiles[0].lanes, 8);
  EXPECT_EQ(tiles[0].steps, 8);
  EXPECT_EQ(n_strided(kernel), 1u);
  EXPECT_EQ(all<Store>(kernel).size(), 8u + 8u + 1u);
  EXPECT_TRUE(all<For>(kernel)[0].step.is_constant(8));
}

TEST(RunsOfAnyLength, WhatHoldsInAllRoundsIsNoMask) {
  const std::string round = "load a: f32 = x[at, 1] when is_sound store own[place, 1] = a";
  EXPECT_TRUE(all<Transpose>(in_rounds(round)).empty());
  EXPECT_EQ(all<Transpose>(in_rounds(round, "select(is_sound, n, 0)")).size(), 1u);
  EXPECT_EQ(all<Transpose>(in_rounds(round, "sound_rounds")).size(), 1u);
}

TEST(RunsOfAnyLength, InnerLoopsOfOneRoundAreNoLoops) {
  const Kernel kernel = in_rounds("for o in 0 : 1 step 1 { load a: f32 = x[at, 1] store own[place, 1] = a }");
  EXPECT_EQ(all<Transpose>(kernel).size(), 1u);
}

TEST(RunsOfAnyLength, WhatTheLoopChangesStays) {
  EXPECT_TRUE(all<Transpose>(in_rounds("load a: f32 = y[at, 1] let b = at + 1 store y[b, 1] = a")).empty());
  EXPECT_TRUE(
      all<Transpose>(in_rounds("load a: f32 = v[place, 1] store y[at, 1] = a store y[at, 1] = a")).empty());
  EXPECT_TRUE(all<Transpose>(in_rounds("load a: f32 = x[at, 1] store own[place, 1] = a", "n", 1)).empty());
  EXPECT_TRUE(
      all<Transpose>(in_rounds("let far = row + k * 2 load a: f32 = x[far, 1] store own[place, 1] = a"))
          .empty());
}

}  // namespace
}  // namespace fulgurite::tidy
