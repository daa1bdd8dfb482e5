// Kernels with equal texts, as many operations in a row have, are tidied and printed once.
#include <fulgurite/fulgurite.h>

#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline.h"
#include "runtime/profile.h"
#include "trace/traced.h"

namespace fulgurite {
namespace {

TEST(EqualKernels, AreTidiedOnce) {
  const auto sums = [](Vec<int> x) {
    for (int k = 0; k < 4; ++k) x = scan(plus, 0, x);
    return x;
  };
  const auto traced = compile(sums, {.engine = Engine::interpreter}).traced();
  runtime::begin_profile();
  const pipeline::Report report = pipeline::compile(traced->program(), {.engine = Engine::cpu});
  const std::vector<runtime::Event> events = runtime::end_profile();
  const auto& kernels = report.lowered.plan.kernels;
  ASSERT_EQ(kernels.size(), 4u);
  EXPECT_TRUE(kernels[3].source == kernels[1].source) << kernels[3].source;
  EXPECT_EQ(std::ranges::count(events, "tidy", &runtime::Event::name), 2) << "x is no scan";
}

}  // namespace
}  // namespace fulgurite
