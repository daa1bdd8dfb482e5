// Plans that do without elements: what depends on fetched values is assumed.
#include "plan/assume.h"

#include <gtest/gtest.h>

namespace fulgurite::plan {
namespace {

Plan plan_of(Steps steps) {
  Plan plan;
  plan.n_slots = 10;
  plan.n_places = 2;
  plan.steps = std::move(steps);
  return plan;
}

const Step fetch_to_3{Fetch{3, 0, Kind::f32}},
    from_3_to_4{Compute{Op::lt, Kind::f32, Kind::boolean, 4, 3, 3, 3, 0}};

TEST(WithoutElements, WhatSizesDecideStays) {
  const Steps steps{{Constant{1, 5}},
                    {Check{1, 2, {1}}},
                    {If{1, {{Copy{2, 1}}}, {}}},
                    {While{{}, 1, {fetch_to_3}}},
                    {Allocate{0, Kind::f32, {1}}}};
  Assumptions assumed;
  EXPECT_EQ(without_elements(plan_of(steps), assumed), plan_of(steps));
  EXPECT_FALSE(assumed.loops || assumed.branches || assumed.sizes);
}

TEST(WithoutElements, ChecksHoldAndDivisorsDivide) {
  Assumptions assumed;
  const Plan plan = without_elements(plan_of({fetch_to_3,
                                              from_3_to_4,
                                              {Check{4, 2, {}}},
                                              {Compute{Op::div, Kind::i64, Kind::i64, 5, 1, 3, 1, 7}}}),
                                     assumed);
  EXPECT_EQ(plan.steps, (Steps{fetch_to_3, from_3_to_4, {Copy{5, 1}}}));
}

TEST(WithoutElements, TheFirstBranchIsTaken) {
  Assumptions assumed;
  const Plan plan =
      without_elements(plan_of({fetch_to_3, from_3_to_4, {If{4, {{Copy{5, 1}}}, {{Copy{5, 2}}}}}}), assumed);
  EXPECT_EQ(plan.steps, (Steps{fetch_to_3, from_3_to_4, {Copy{5, 1}}}));
  EXPECT_TRUE(assumed.branches);
}

// The condition is known to depend on an element only where the loop's end carries it to its beginning.
TEST(WithoutElements, LoopsHaveAsManyIterationsAsAreAssumed) {
  Assumptions assumed{.iterations = 7};
  const Plan plan =
      without_elements(plan_of({{While{{{Copy{4, 2}}}, 4, {fetch_to_3, {Copy{2, 3}}}}}}), assumed);
  EXPECT_TRUE(assumed.loops);
  ASSERT_EQ(plan.n_slots, 14);
  const Slot done = 10, all = 11, one = 12, goes_on = 13;
  const Steps expected{
      {Constant{done, 0}},
      {Constant{all, 7}},
      {Constant{one, 1}},
      {While{
          {{Copy{4, 2}}, {Compute{Op::lt, Kind::i64, Kind::boolean, goes_on, done, all, done, 0}}},
          goes_on,
          {fetch_to_3, {Copy{2, 3}}, {Compute{Op::add, Kind::i64, Kind::i64, done, done, one, done, 0}}}}}};
  EXPECT_EQ(plan.steps, expected);
}

TEST(WithoutElements, SizesThatAreFetchedAreTold) {
  Assumptions assumed;
  const Steps steps{fetch_to_3, {Shrink{0, 3}}};
  EXPECT_EQ(without_elements(plan_of(steps), assumed).steps, steps);
  EXPECT_TRUE(assumed.sizes);
}

}  // namespace
}  // namespace fulgurite::plan
