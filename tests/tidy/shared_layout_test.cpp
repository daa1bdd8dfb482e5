// Shared arrays share bytes where their lives do not meet, and a barrier lies between.
#include "tidy/shared_layout.h"

#include <gtest/gtest.h>

#include "applied.h"
#include "kernel/check.h"
#include "kernel/parse.h"
#include "kernel/resources.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

struct Laid {
  std::vector<std::int64_t> offsets;
  std::int64_t bytes;
};

Laid laid_out(const std::string& task) {
  Kernel kernel = parse("kernel k(in x: i32[], out y: i32[], n: i64)\npar grid task < n {\n" + task + "}\n");
  check(kernel, Stage::threads, "parse");
  kernel = applied({&lay_out}, std::move(kernel));
  Laid result{{}, shared_bytes(kernel)};
  for_each_stm(kernel.body, [&](const Stm& s) {
    if (const auto* array = std::get_if<Allocate>(&s.op); array && array->space == Space::shared)
      result.offsets.push_back(array->offset);
  });
  return result;
}

std::string copy(const std::string& to, const std::string& from, int n = 64) {
  return "par block t < " + std::to_string(n) + " {\n  load v: i32 = " + from + "[t]\n  store " + to +
         "[t] = v\n}\n";
}
std::string array(const std::string& name, int n = 64) {
  return "alloc shared " + name + ": i32[" + std::to_string(n) + "]\n";
}
const std::string barrier = "sync block\n";

TEST(SharedLayout, AChainTakesTwoArrays) {
  std::string task;
  for (int k = 0; k < 6; ++k) {
    const std::string from = k == 0 ? "x" : "a" + std::to_string(k - 1), to = "a" + std::to_string(k);
    task += array(to) + copy(to, from) + barrier;
  }
  const Laid laid = laid_out(task + copy("y", "a5"));
  EXPECT_EQ(laid.bytes, 2 * 64 * 4);
  EXPECT_EQ(laid.offsets, (std::vector<std::int64_t>{0, 256, 0, 256, 0, 256}));
}

TEST(SharedLayout, WithoutABarrierBetweenArraysLieApart) {
  const std::string first = array("a") + array("b") + copy("a", "x") + barrier + copy("y", "a");
  const std::string second = copy("b", "x") + barrier + copy("y", "b");
  EXPECT_EQ(laid_out(first + second).bytes, 512);
  EXPECT_EQ(laid_out(first + barrier + second).bytes, 256);
  EXPECT_EQ(laid_out(first + "sync warp\n" + second).bytes, 512);
  // A barrier that not every run of the task meets is none.
  EXPECT_EQ(laid_out(first + "if n < 3 {\n" + barrier + "}\n" + second).bytes, 512);
}

std::string looped(const std::string& body) {
  return "for i in 0 : n step 1 {\n" + body + "}\n";
}

TEST(SharedLayout, ArraysOfALoopLiveInOneRound) {
  const std::string both = array("a") + array("b") + copy("a", "x") + barrier + copy("y", "a");
  const std::string rest = barrier + copy("b", "x") + barrier + copy("y", "b");
  EXPECT_EQ(laid_out(looped(both + rest + barrier)).bytes, 256);
  EXPECT_EQ(laid_out(looped(both + rest)).bytes, 512);  // b of one round meets a of the next
  EXPECT_EQ(laid_out(looped(barrier + both + rest)).bytes, 256);
  EXPECT_EQ(laid_out(looped("for j in 0 : n step 1 {\n" + both + rest + "}\n" + barrier)).bytes, 512);
}

TEST(SharedLayout, WhatALoopGetsFromOutsideLivesInAllRounds) {
  const std::string inner = array("b") + barrier + copy("b", "a") + barrier;
  EXPECT_EQ(laid_out(array("a") + copy("a", "x") + looped(inner + copy("a", "b") + barrier)).bytes, 512);
  EXPECT_EQ(laid_out(array("a") + copy("a", "x") + looped(inner + copy("y", "b") + barrier)).bytes, 512);
  // After the loop nothing of it is in use, but that it has had a barrier is not certain.
  const std::string behind = array("c") + copy("c", "x") + barrier + copy("y", "c");
  const std::string round = array("b") + copy("b", "x") + barrier + copy("y", "b");
  EXPECT_EQ(laid_out(looped(round) + behind).bytes, 512);
  EXPECT_EQ(laid_out(looped(round + barrier) + behind).bytes, 256);
  EXPECT_EQ(laid_out(array("a") + copy("a", "x") + looped(barrier) + behind).bytes, 512);
}

TEST(SharedLayout, OffsetsAreAlignedAndUnusedArraysTakeNothingOfOthers) {
  const Laid laid =
      laid_out(array("a", 3) + array("b", 5) + array("unused", 2) + copy("a", "x", 3) + copy("b", "a", 3));
  EXPECT_EQ(laid.bytes, 48);
  for (std::int64_t offset : laid.offsets) EXPECT_EQ(offset % 16, 0);
  EXPECT_NE(laid.offsets[0], laid.offsets[1]);
}

TEST(SharedLayout, TheOrderIsThatWhichTakesLess) {
  // Small, then large, then both sizes at once: the large ones must not lie after the small one.
  const std::string task = array("small", 16) + array("large", 64) + array("late", 48) +
                           copy("small", "x", 16) + barrier + copy("large", "small", 16) + barrier +
                           copy("late", "large", 48) + barrier + copy("y", "late", 48);
  EXPECT_EQ(laid_out(task).bytes, (64 + 48) * 4);
}

}  // namespace
}  // namespace fulgurite::tidy
