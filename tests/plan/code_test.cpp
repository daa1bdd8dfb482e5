// What the steps of a plan become when it is loaded, and the blocks that a run keeps in its loops.
#include "plan/code.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/spare_blocks.h"

namespace fulgurite::plan {
namespace {

// Slots 0 to 2 are 1, 300 and the parameter. Each array is allocated, launched with and read.
Plan allocating(const std::vector<Slot>& shape, Steps more = {}) {
  Plan plan;
  plan.n_slots = 5;
  plan.n_places = 2;
  plan.params = {{Kind::i64, 0, 2}};
  plan.steps = {{Constant{0, 1}},
                {Constant{1, 300}},
                {Allocate{0, Kind::i64, shape}},
                {Launch{0, {0}, {}, {0}, 0, 0}},
                {Fetch{3, 0, Kind::i64}}};
  for (Step& step : more) plan.steps.push_back(std::move(step));
  plan.steps.push_back({Release{0}});
  return plan;
}
bool has(const Plan& plan, Code code, bool is_host = true) {
  const Instructions made = instructions_of(plan, is_host);
  return std::ranges::any_of(made.lists, [&](const auto& list) {
    return std::ranges::find(list, code, &Instruction::code) != list.end();
  });
}

TEST(PlanCode, SmallArraysOfConstantSizeAreTheRunsOwn) {
  const Plan small = allocating({0});
  EXPECT_TRUE(has(small, Code::place_own));
  EXPECT_TRUE(has(small, Code::fetch_own));
  EXPECT_FALSE(has(small, Code::allocate));
  EXPECT_FALSE(has(small, Code::release));
}

TEST(PlanCode, OtherArraysAreAllocated) {
  EXPECT_FALSE(has(allocating({1}), Code::place_own)) << "too large";
  EXPECT_FALSE(has(allocating({2}), Code::place_own)) << "of a size that is given";
  EXPECT_FALSE(has(allocating({0}, {{Constant{0, 2}}}), Code::place_own)) << "of a size that changes";
  EXPECT_FALSE(has(allocating({0}, {{Share{1, 0}}}), Code::place_own)) << "shared";
  EXPECT_FALSE(has(allocating({0}, {{Reuse{1, 0, Kind::i64, {0}, 4}}}), Code::place_own)) << "reused";
  EXPECT_FALSE(has(allocating({0}, {{Shrink{0, 2}}}), Code::place_own)) << "shrunk";
  EXPECT_FALSE(has(allocating({0}), Code::place_own, false)) << "where the host has no addresses";
  Plan result = allocating({0});
  result.results = {{Kind::i64, 1, -1, 0}};
  EXPECT_FALSE(has(result, Code::place_own)) << "a result";
}

TEST(PlanCode, OwnArraysLieApart) {
  Plan plan = allocating({0});
  plan.steps.push_back({Allocate{1, Kind::i64, {0, 0}}});
  const Instructions made = instructions_of(plan, true);
  std::vector<std::uint64_t> offsets;
  for (const Instruction& i : made.lists[0])
    if (i.code == Code::place_own) offsets.push_back(i.bits);
  ASSERT_EQ(offsets.size(), 2U);
  EXPECT_GE(std::max(offsets[0], offsets[1]) - std::min(offsets[0], offsets[1]), 64U);
}

TEST(PlanCode, DivisionsThatMayFailAndOtherKindsAreComputedAsTheyAre) {
  const auto code = [](const Compute& s) {
    Plan plan;
    plan.n_slots = 4;
    plan.steps = {{s}};
    return instructions_of(plan, true).lists[0][0].code;
  };
  EXPECT_EQ(code({Op::add, Kind::i64, Kind::i64, 0, 1, 2, 3, 0}), Code::add);
  EXPECT_EQ(code({Op::div, Kind::i64, Kind::i64, 0, 1, 2, 3, 0}), Code::div);
  EXPECT_EQ(code({Op::div, Kind::i64, Kind::i64, 0, 1, 2, 3, 1}), Code::compute);
  EXPECT_EQ(code({Op::add, Kind::i32, Kind::i32, 0, 1, 2, 3, 0}), Code::compute);
}

TEST(SpareBlocks, AreForArraysOfNearlyTheirSize) {
  SpareBlocks spare;
  char first[192], second[192];
  EXPECT_EQ(spare.take(100).data, nullptr);
  EXPECT_FALSE(spare.keep({first, 100})) << "smaller than others of its bucket may need";
  for (const std::size_t bytes : {0u, 1u, 64u, 65u, 100u, 129u, 1000u, 1100u, 65536u}) {
    const std::size_t rounded = SpareBlocks::rounded(bytes);
    EXPECT_GE(rounded, bytes);
    EXPECT_EQ(SpareBlocks::rounded(rounded), rounded);
    EXPECT_TRUE(spare.keep({first, rounded}));
    EXPECT_TRUE(spare.keep({second, rounded}));
    EXPECT_EQ(spare.take(bytes < 1000 ? 2 * bytes + 200 : 1).data, nullptr) << "of another size";
    EXPECT_EQ(spare.take(bytes).data, second);
    EXPECT_EQ(spare.take(bytes).bytes, rounded);
    EXPECT_EQ(spare.take(bytes).data, nullptr);
  }
  EXPECT_FALSE(spare.keep({first, 2 * SpareBlocks::largest}));
}

TEST(SpareBlocks, AreNotTooMany) {
  SpareBlocks spare;
  char block[64];
  int n_kept = 0;
  while (n_kept < 1000 && spare.keep({block, 64})) ++n_kept;
  EXPECT_LT(n_kept, 1000);
  for (; n_kept > 0; --n_kept) EXPECT_NE(spare.take(1).data, nullptr);
  EXPECT_EQ(spare.take(1).data, nullptr);
  EXPECT_TRUE(spare.keep({block, 64}));
}

}  // namespace
}  // namespace fulgurite::plan
