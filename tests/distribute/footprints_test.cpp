// What a task of small kernels touches, by kinds of accesses.
#include "distribute/footprints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "kernel/check.h"
#include "kernel/parse.h"

namespace fulgurite::distribute {
namespace {

using runtime::Footprints, runtime::KnownElements, runtime::Strided, runtime::Touched;

// Elements of `p`, the array with the number 2: unknown, or 10 times the index.
struct Elements final : KnownElements {
  bool are_known = false;
  std::optional<Strided> at(std::int64_t buffer, Strided index) override {
    if (!are_known || buffer != 2 || !index.is_point()) return std::nullopt;
    return Strided::point(10 * index.low);
  }
};

std::string text_of(const Touched& t) {
  static const char* const names[] = {"x", "y", "p"};
  std::string text = names[t.buffer] + std::string(t.stores ? " stored" : " read");
  if (t.low == INT64_MIN || t.high == INT64_MAX) return text + " anywhere";
  text += " " + std::to_string(t.low) + " to " + std::to_string(t.high);
  if (t.has_gaps()) text += " by " + std::to_string(t.stride);
  if (t.has_gaps() && t.run > 1) text += " in runs of " + std::to_string(t.run);
  return text + (t.stores && !t.is_certain ? ", perhaps" : "");
}

using Lines = std::vector<std::string>;

struct Of {
  std::int64_t task = 1;
  std::int64_t n = 200, m = 10;
  bool knows_elements = false;
};

Footprints footprints(const std::string& body) {
  const kernel::Kernel kernel = kernel::parse(
      "kernel k(in x: f32[], out y: f32[], in p: i64[], n: i64, m: i64)\npar grid task < (n + 63) / 64 {\n" +
      body + "}\n");
  kernel::check(kernel, kernel::Stage::threads, "parse");
  return footprints_of({kernel, {0}, {PhaseMarks()}, {}});
}

// What a task of the body touches, in the order of the alphabet.
Lines touched_by(const std::string& body, const Of& of = {}) {
  const Footprints all = footprints(body);
  const std::vector<std::int64_t> scalars{of.n, of.m};
  Elements elements;
  elements.are_known = of.knows_elements;
  Lines lines;
  for (const Touched& t : touched(all.phases.at(0), of.task, scalars, elements)) lines.push_back(text_of(t));
  std::ranges::sort(lines);
  return lines;
}

const std::string map = R"(let base = task * 64
for i in base : min(n, base + 64) step 1 {
  load v: f32 = x[i]
  store y[i] = v
}
)";

TEST(Footprints, OfAMap) {
  EXPECT_EQ(touched_by(map, {.task = 0}), (Lines{"x read 0 to 63", "y stored 0 to 63"}));
  EXPECT_EQ(touched_by(map, {.task = 3}), (Lines{"x read 192 to 199", "y stored 192 to 199"}));
}

TEST(Footprints, OfLanes) {
  EXPECT_EQ(touched_by("par block t < 64 {\nlet i = task * 64 + t\nload v: f32 = x[i]\nstore y[i] = v\n}\n"),
            (Lines{"x read 64 to 127", "y stored 64 to 127"}));
}

TEST(Footprints, OfATailBehindAMask) {
  const std::string body = R"(par block t < 64 {
  let i = task * 64 + t
  let inside = i < n
  load v: f32 = x[i] when inside
  store y[i] = v when inside
}
)";
  EXPECT_EQ(touched_by(body, {.task = 1}), (Lines{"x read 64 to 127", "y stored 64 to 127"}));
  EXPECT_EQ(touched_by(body, {.task = 3}), (Lines{"x read 192 to 199", "y stored 192 to 199, perhaps"}));
}

TEST(Footprints, OfASliceThatIsShifted) {
  EXPECT_EQ(
      touched_by(
          "for i in task * 64 : task * 64 + 64 step 1 {\nload v: f32 = x[i - 1]\nload w: f32 = x[i + 1]\n"
          "store y[i] = v + w\n}\n"),
      (Lines{"x read 63 to 128", "y stored 64 to 127"}));
}

TEST(Footprints, InReverse) {
  EXPECT_EQ(
      touched_by(
          "for i in task * 64 : task * 64 + 64 step 1 {\nload v: f32 = x[n - 1 - i]\nstore y[i] = v\n}\n"),
      (Lines{"x read 72 to 135", "y stored 64 to 127"}));
}

TEST(Footprints, OfStoresThatAreApart) {
  EXPECT_EQ(touched_by("for i in 0 : 10 step 1 {\nstore y[2 * i + 1] = 0f\n}\n"),
            (Lines{"y stored 1 to 19 by 2"}));
  EXPECT_EQ(touched_by("for i in 1 : 20 step 6 {\nstore y[i] = 0f\n}\n"), (Lines{"y stored 1 to 19 by 6"}));
}

TEST(Footprints, OfColumnsOfRows) {
  const std::string body =
      "for r in task * 4 : task * 4 + 4 step 1 {\nfor c in 2 : 5 step 1 {\nload v: f32 = x[c * n + r]\n"
      "store y[r * m + c] = v\n}\n}\n";
  EXPECT_EQ(touched_by(body),
            (Lines{"x read 404 to 807 by 200 in runs of 4", "y stored 42 to 74 by 10 in runs of 3"}));
  EXPECT_EQ(touched_by("for r in 1 : 4 step 1 {\nfor c in 0 : m step 1 {\nstore y[r * m + c] = 0f\n}\n}\n"),
            (Lines{"y stored 10 to 39"}));
}

TEST(Footprints, OfAGather) {
  const std::string body = "load k: i64 = p[task]\nload v: f32 = x[k]\nstore y[task] = v\n";
  EXPECT_EQ(touched_by(body), (Lines{"p read 1 to 1", "x read anywhere", "y stored 1 to 1"}));
  EXPECT_EQ(touched_by(body, {.task = 3, .knows_elements = true}),
            (Lines{"p read 3 to 3", "x read 30 to 30", "y stored 3 to 3"}));
}

TEST(Footprints, OfAGatherThatIsChecked) {
  EXPECT_EQ(touched_by("load k: i64 = p[task]\nlet inside = 0 <= k & k < m\nload v: f32 = x[k] when inside\n"
                       "store y[task] = v\n"),
            (Lines{"p read 1 to 1", "x read 0 to 9", "y stored 1 to 1"}));
}

TEST(Footprints, OfBlocksInBlocks) {
  EXPECT_EQ(touched_by(R"(let base = task * 64
let end = min(n, base + 64)
var sum = 0f
for c in base : end step 16 {
  for i in c : min(end, c + 16) step 1 {
    load v: f32 = x[i]
    sum = sum + v
  }
}
store y[task] = sum
)",
                       {.task = 3}),
            (Lines{"x read 192 to 199", "y stored 3 to 3"}));
}

TEST(Footprints, OfALoopInTwoHalves) {
  const Lines lines = touched_by(R"(for i in 0 : n step 1 {
  let is_first = i < m
  if is_first {
    load v: f32 = x[i]
    store y[i] = v
  } else {
    load w: f32 = x[i - m]
    store y[i] = w
  }
}
)");
  EXPECT_EQ(lines, (Lines{"x read 0 to 189", "y stored 0 to 199"}));
}

TEST(Footprints, OfConditionsOfTheTask) {
  const std::string body =
      "if task == 0 {\nstore y[0] = 0f\n} else {\nload v: f32 = x[task - 1]\nstore y[task] = v\n}\n";
  EXPECT_EQ(touched_by(body, {.task = 0}), (Lines{"y stored 0 to 0"}));
  EXPECT_EQ(touched_by(body, {.task = 2}), (Lines{"x read 1 to 1", "y stored 2 to 2"}));
}

TEST(Footprints, OfConditionsOfData) {
  EXPECT_EQ(touched_by("load v: f32 = x[task]\nif v < 0f {\nstore y[task] = v\n}\n"),
            (Lines{"x read 1 to 1", "y stored 1 to 1, perhaps"}));
}

TEST(Footprints, OfVariables) {
  // What a loop changes is unknown after it, and in it.
  EXPECT_EQ(touched_by(
                "var at = 5\nstore y[at] = 0f\nfor i in 0 : 3 step 1 {\nat = at + 1\n}\nload v: f32 = x[at]\n"
                "store y[7] = v\n"),
            (Lines{"x read anywhere", "y stored 5 to 5", "y stored 7 to 7"}));
  EXPECT_EQ(touched_by("var at = 5\nif task == 1 {\nat = 9\n}\nstore y[at] = 0f\n"),
            (Lines{"y stored 9 to 9"}));
}

TEST(Footprints, OfAWhile) {
  EXPECT_EQ(
      touched_by(
          "var i = task\nloop {\n} while i < n {\nload v: f32 = x[task]\nstore y[i] = v\ni = i + 1\n}\n"),
      (Lines{"x read 1 to 1", "y stored anywhere"}));
}

TEST(Footprints, OfMemoryOfTheTaskIsNothing) {
  EXPECT_EQ(
      touched_by(
          "alloc thread room: f32[8]\nfor i in 0 : 8 step 1 {\nstore room[i] = 0f\n}\nload v: f32 = room[2]\n"
          "store y[task] = v\n"),
      (Lines{"y stored 1 to 1"}));
}

TEST(Footprints, NarrowIntegersMayWrap) {
  // 1 * 100 fits, 2 * 100 does not.
  const std::string body = "let at = i8(task) * 100i8\nstore y[i64(at) + 200] = 0f\n";
  EXPECT_EQ(touched_by(body, {.task = 1}), (Lines{"y stored 300 to 300"}));
  const Lines wrapped = touched_by(body, {.task = 2});
  EXPECT_EQ(wrapped, (Lines{"y stored 72 to 327, perhaps"}));
}

TEST(Footprints, WhatTasksShareByAtomicsIsNotDivided) {
  EXPECT_FALSE(footprints("par block t < 8 {\natomic add y[t] by 1f\n}\n").phases[0].is_divisible);
  EXPECT_TRUE(footprints(map).phases[0].is_divisible);
}

TEST(Footprints, SayWhatCanFail) {
  EXPECT_FALSE(footprints(map).phases[0].can_fail);
  EXPECT_TRUE(footprints("fail @1(task, 0, task, n) when n < m\n").phases[0].can_fail);
}

TEST(Footprints, KnowTheSizesOfElements) {
  EXPECT_EQ(footprints(map).element_bytes, (std::vector<std::int32_t>{4, 4, 8}));
  const Footprints all = footprints(map);
  EXPECT_EQ(Footprints::of_words(all.words()), all);
}

}  // namespace
}  // namespace fulgurite::distribute
