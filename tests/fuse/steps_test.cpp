#include "fuse/steps.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fulgurite::fuse {
namespace {

std::size_t n_steps(const std::vector<Task>& tasks) {
  const std::vector<std::size_t> steps = fewest_steps(tasks);
  for (std::size_t k = 0; k < tasks.size(); ++k)
    for (const Task::Need& need : tasks[k].needs)
      EXPECT_GE(steps[k], steps[need.task] + (need.finished && tasks[k].space ? 1 : 0)) << k;
  return *std::max_element(steps.begin(), steps.end());
}

TEST(Steps, TasksOfOneSpaceShareAStep) {
  EXPECT_EQ(n_steps({{{}, 0}, {{{0, false}}, 0}, {{}, 0}}), 1U);
}

TEST(Steps, WhatNeedsAResultComesAStepLater) {
  EXPECT_EQ(n_steps({{{}, 0}, {{{0, true}}, 0}}), 2U);
}

TEST(Steps, AStepWaitsForWhatCanShareIt) {
  // The second space could go first; its tasks would then take two steps.
  EXPECT_EQ(n_steps({{{}, 1}, {{}, 0}, {{{1, true}}, 1}}), 2U);
}

TEST(Steps, TwoChainsAreSetOffAgainstEachOther) {
  EXPECT_EQ(n_steps({{{}, 0},
                     {{{0, true}}, 1},
                     {{{1, true}}, 0},  //
                     {{}, 1},
                     {{{3, true}}, 0},
                     {{{4, true}}, 1}}),  //
            4U);
}

TEST(Steps, WhatIsNoSoacTakesNone) {
  EXPECT_EQ(n_steps({{{}, {}}, {{{0, true}}, 0}, {{{1, true}}, {}}, {{{2, true}}, 0}}), 2U);
}

TEST(Steps, ManyTasksOfManySpacesAreSoonInOrder) {
  std::vector<Task> tasks;
  for (std::size_t k = 0; k < 400; ++k) {
    tasks.push_back({{}, k % 40});
    if (k >= 3) tasks.back().needs = {{k - 3, k % 2 == 0}, {k / 2, true}};
  }
  EXPECT_GE(n_steps(tasks), 40U);
}

}  // namespace
}  // namespace fulgurite::fuse
