// Plans: their text comes back as it went, arrays are released after their last use, what is the same in all
// iterations stands before loops.
#include <fulgurite/error.h>

#include <gtest/gtest.h>

#include "plan/invariants.h"
#include "plan/memory.h"
#include "plan/text.h"

namespace fulgurite::plan {
namespace {

Plan sample() {
  Plan plan;
  plan.name = "a name with spaces";
  plan.n_slots = 9;
  plan.n_places = 4;
  plan.params = {{Kind::f32, 1, 0, 0}, {Kind::i64, 0, 1, -1}};
  plan.results = {{Kind::f32, 1, -1, 3}, {Kind::f64, 0, 5, -1}};
  plan.kernels = {{"map", 1, "void map_p0() {\n  end\n}\n"},
                  {"reduce", 2, "", {0, 4, 8}, {64, 1}, {4096, 0}, true}};
  plan.steps = {
      {Constant{2, 0xffffffffffffffff}},
      {Compute{Op::div, Kind::i64, Kind::i64, 3, 0, 1, 3, 7}},
      {Check{3, 1, {0, 1}}},
      {Allocate{1, Kind::f32, {0}}},
      {Allocate{3, Kind::f32, {0}}},
      {Launch{0, {0, 1}, {0}, {3}, 2, 2}},
      {Launch{1, {1, 3}, {}, {3, 2}, 2, 2}},
      {Reuse{3, 3, Kind::f32, {0}, 6}},
      {CopyArray{3, 3, Kind::f32, 6}},
      {If{3, {{Allocate{2, Kind::i8, {0}}}, {Launch{0, {2}, {}, {3}, 2, 2}}, {Copy{4, 3}}}, {}}},
      {While{{{Copy{4, 3}}}, 4, {{Fetch{5, 3, Kind::f64}}, {Reuse{3, 3, Kind::f32, {0}, 6, true, 2, 4}}}}},
      {Resident{7, 1, 64}},
      {Converge{{{Copy{4, 3}}}, 3, {{Launch{0, {3}, {}, {3}, 2, 2}}}}},
  };
  return plan;
}

TEST(PlanText, ComesBack) {
  EXPECT_EQ(parse(print(sample(), true)), sample());
}

TEST(PlanText, DamageIsFound) {
  const std::string text = print(sample(), true);
  for (std::size_t n : {std::size_t{0}, std::size_t{10}, text.size() / 2, text.size() - 5})
    EXPECT_THROW(parse(std::string_view(text).substr(0, n)), InternalError) << n;
  EXPECT_THROW(parse("plan 99999999999 x"), InternalError);
}

std::vector<Place> released(const Steps& steps) {
  std::vector<Place> places;
  for (const Step& step : steps)
    if (auto* release = std::get_if<Release>(&step.action)) places.push_back(release->place);
  return places;
}

TEST(PlanMemory, ReleasesAfterTheLastUseOfWhatIsNoResult) {
  const Plan plan = release_after_last_use(sample());
  EXPECT_EQ(released(plan.steps), std::vector<Place>{1});  // not the parameter 0, not the result 3
  EXPECT_EQ(plan.steps[7].action, Action(Release{1}));     // right after the second launch
  // The array is released in the branch that allocated it.
  EXPECT_EQ(released(std::get<If>(plan.steps[10].action).then_steps), std::vector<Place>{2});
}

TEST(PlanMemory, WhatAnIterationLeavesForTheNextIsKept) {
  Plan plan;
  plan.n_places = 3;
  plan.results = {{Kind::f32, 1, -1, 0}};
  plan.steps = {{Allocate{0, Kind::f32, {}}},
                {Allocate{1, Kind::i32, {}}},
                {Converge{{{Launch{0, {0, 1}, {}, {}}}},
                          1,
                          {{Allocate{2, Kind::f32, {}}}, {Launch{1, {0, 2, 1}, {}, {}}}, {Share{0, 2}}}}}};
  const Plan kept = release_after_last_use(plan);
  const auto& loop = std::get<Converge>(kept.steps[2].action);
  EXPECT_EQ(released(loop.head), std::vector<Place>{});
  EXPECT_EQ(released(loop.body), (std::vector<Place>{0, 2}));  // the former state, and what is shared by then
  EXPECT_EQ(released(kept.steps), std::vector<Place>{1});
}

// Slot 0 is a parameter, 1 the loop's counter, 2 its condition.
TEST(PlanLoops, WhatIsTheSameInAllIterationsIsComputedOnce) {
  const auto compute = [](Op op, Slot to, Slot a, Slot b) {
    return Step{Compute{op, Kind::i64, Kind::i64, to, a, b, to, 0}};
  };
  const Step ten{Constant{3, 10}}, two{Constant{4, 2}},
      half = compute(Op::div, 5, 0, 4), next = compute(Op::add, 1, 1, 4), less = compute(Op::lt, 2, 1, 3),
      twice = compute(Op::mul, 6, 1, 4), of_twice = compute(Op::add, 7, 6, 0),
      may_fail = compute(Op::div, 8, 4, 0), sum = compute(Op::add, 9, 5, 10), there = Step{Constant{11, 1}},
      here = Step{Constant{11, 2}}, in_branch = Step{Constant{12, 1}}, deep = compute(Op::add, 10, 0, 0),
      fetched{Fetch{13, 0, Kind::i64}}, of_fetched = compute(Op::add, 14, 13, 0);
  Plan plan;
  plan.n_slots = 15;
  plan.n_places = 1;
  plan.params = {{Kind::i64, 0, 0, -1}};
  plan.steps = {{Copy{1, 0}},
                {While{{ten, less},
                       2,
                       {two,
                        half,
                        twice,
                        of_twice,
                        may_fail,
                        there,
                        here,
                        {If{2, {in_branch}, {}}},
                        fetched,
                        of_fetched,
                        {While{{less}, 2, {deep, next}}},
                        sum,
                        next}}}};
  Plan expected = plan;
  expected.steps = {{Copy{1, 0}},
                    ten,
                    two,
                    half,
                    deep,
                    sum,
                    {While{{less},
                           2,
                           {twice,
                            of_twice,
                            may_fail,
                            there,
                            here,
                            {If{2, {in_branch}, {}}},
                            fetched,
                            of_fetched,
                            {While{{less}, 2, {next}}},
                            next}}}};
  const Plan hoisted = hoist_invariants(plan);
  EXPECT_EQ(print(hoisted, true), print(expected, true));
  EXPECT_EQ(hoist_invariants(hoisted), hoisted);
}

// It fails in an iteration, and there may be none.
TEST(PlanLoops, ADivisionByZeroStaysWhereItIs) {
  const auto compute = [](Op op, Slot to, Slot a, Slot b) {
    return Step{Compute{op, Kind::i64, Kind::i64, to, a, b, to, 0}};
  };
  for (const std::uint64_t divisor : {0u, 1u}) {
    SCOPED_TRACE(divisor);
    const Step constant{Constant{3, divisor}}, quotient = compute(Op::div, 4, 0, 3),
                                               less = compute(Op::lt, 2, 1, 0);
    Plan plan;
    plan.n_slots = 5;
    plan.params = {{Kind::i64, 0, 0, -1}};
    plan.steps = {{Copy{1, 0}}, {While{{less}, 2, {constant, quotient, compute(Op::add, 1, 1, 4)}}}};
    const Plan hoisted = hoist_invariants(plan);
    const auto& body = std::get<While>(hoisted.steps.back().action).body;
    EXPECT_EQ(std::ranges::count(body, quotient), divisor == 0 ? 1 : 0);
  }
}

// A guarded loop's scalars too; not what a loop that is not there would have to compute.
TEST(PlanLoops, OutsideOfLoopsNothingMoves) {
  Plan plan = sample();
  EXPECT_EQ(hoist_invariants(plan), plan);
  plan.n_slots = 10;
  std::get<Converge>(plan.steps.back().action)
      .body.insert(std::get<Converge>(plan.steps.back().action).body.begin(), Step{Constant{9, 5}});
  Plan expected = sample();
  expected.n_slots = 10;
  expected.steps.insert(expected.steps.end() - 1, Step{Constant{9, 5}});
  EXPECT_EQ(hoist_invariants(plan), expected);
}

}  // namespace
}  // namespace fulgurite::plan
