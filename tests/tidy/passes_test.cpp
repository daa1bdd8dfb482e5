// The list of kernel passes: names, what is printed and checked after each, and gas.
#include "tidy/passes.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "../kernel/emulate_run.h"
#include "applied.h"
#include "kernel/print.h"
#include "tidy/dead.h"
#include "tidy/forward.h"
#include "tidy/shared_layout.h"
#include "tidy/strips.h"
#include "tidy/thread_forms.h"
#include "tidy/vectorise.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

// Each thread adds its neighbour's value to its own, in a way that gives work to most passes.
constexpr const char* neighbours = R"(kernel k(in x: i32[], out y: i32[])
par grid task < 2 {
  alloc shared a: i32[64]
  alloc shared b: i32[64]
  par block t < 64 {
    let unused = t * 3
    load v: i32 = x[task * 64 + t / 8 * 8 + t % 8]
    store a[t] = v
  }
  sync block
  par block u < 64 {
    load own: i32 = a[u]
    load other: i32 = a[u ^ 1]
    store b[u] = own + other * 2i32
  }
  sync block
  par block w < 64 {
    load sum: i32 = b[w]
    store y[task * 64 + w] = sum
  }
}
)";

Kernel broken(Kernel kernel, const PassOptions&) {
  std::get<Par>(kernel.body[0].op).body.push_back({Sync{Level::grid}});
  return kernel;
}
const Pass breaks{.name = "breaks", .description = "a pass that is wrong", .run = broken};

// What is printed on stderr while FULGURITE_DUMP names these labels.
std::string dumped(const char* labels, const std::vector<const Pass*>& passes) {
  setenv("FULGURITE_DUMP", labels, 1);
  testing::internal::CaptureStderr();
  applied(passes, parse(neighbours));
  unsetenv("FULGURITE_DUMP");
  return testing::internal::GetCapturedStderr();
}

TEST(Passes, HaveNamesAndDescriptionsOfTheirOwn) {
  std::map<std::string_view, const Pass*> names, descriptions;
  for (Route route : routes)
    for (const Pass* pass : passes(route)) {
      EXPECT_FALSE(pass->name.empty());
      EXPECT_FALSE(pass->description.empty());
      EXPECT_EQ(names.emplace(pass->name, pass).first->second, pass) << pass->name;
      EXPECT_EQ(descriptions.emplace(pass->description, pass).first->second, pass) << pass->description;
    }
  EXPECT_TRUE(names.contains("vectorise"));
}

TEST(Passes, OnlyKernelsForACpuBecomeVectors) {
  for (Route route : routes) {
    const std::vector<const Pass*> all = passes(route);
    const auto n = std::count(all.begin(), all.end(), &vectorise);
    EXPECT_EQ(n, route == Route::lanes || route == Route::user_on_cpu);
  }
}

TEST(Passes, AreDumpedByTheirNamesIfTheyChangeTheKernel) {
  const Kernel after = applied({&strips, &vectorise}, parse(neighbours));
  EXPECT_EQ(dumped("vectorise", {&strips, &vectorise}), "---- vectorise\n" + print(after) + "\n");
  EXPECT_EQ(dumped("lower,remove_dead", {&strips, &vectorise}), "");
  const std::string twice = dumped("remove_dead", {&remove_dead, &remove_dead});
  EXPECT_EQ(twice.find("---- remove_dead"), 0u);
  EXPECT_TRUE(twice.ends_with("\n---- remove_dead (changed nothing)\n")) << twice;
}

TEST(Passes, AreTimedByTheirNames) {
  const std::string times = dumped("time", {&strips, &vectorise});
  EXPECT_EQ(times.find("time strips"), 0u) << times;
  EXPECT_NE(times.find("\ntime vectorise"), times.npos) << times;
}

TEST(Passes, TheCheckerNamesTheGuiltyOne) {
  try {
    applied({&thread_forms, &breaks, &remove_dead}, parse(neighbours));
    FAIL() << "the checker has not seen it";
  } catch (const InternalError& e) {
    EXPECT_NE(e.message().find("after breaks, kernel 'k' is wrong"), std::string::npos) << e.message();
  }
}

TEST(Passes, OptionalOnesTakeGas) {
  const std::vector<const Pass*> three = {&thread_forms, &lay_out, &remove_dead};
  const auto with_gas = [&](PassContext& context) {
    return print(run(three, parse(neighbours), {}, context));
  };
  PassContext none{.gas = 0}, one{.gas = 1}, enough{.gas = 10}, unlimited;
  EXPECT_EQ(with_gas(none), print(applied({&lay_out}, parse(neighbours))));
  EXPECT_TRUE(none.log.empty());
  EXPECT_EQ(with_gas(one), print(applied({&thread_forms, &lay_out}, parse(neighbours))));
  EXPECT_EQ(with_gas(enough), with_gas(unlimited));
  EXPECT_EQ(enough.gas, 8);
  EXPECT_TRUE(unlimited.log.empty());
  ASSERT_EQ(enough.log.size(), 2u);
  EXPECT_EQ(enough.log[0].pass, &thread_forms);
  EXPECT_EQ(print(enough.log[0].before), print(parse(neighbours)));
  EXPECT_EQ(print(enough.log[1].after), with_gas(unlimited));
}

std::vector<std::int32_t> emulated(const Kernel& kernel) {
  std::vector<std::int32_t> x = scrambled<std::int32_t>(128), y(128);
  const std::vector<BufferArgument> buffers = {holds(x), empty(y)};
  const Emulation result = emulate(kernel, buffers, {});
  EXPECT_TRUE(result.findings.empty()) << message(kernel, result.findings[0]);
  return y;
}

// Whichever optional passes are left out at the end, the kernel computes the same.
TEST(Passes, OptionalOnesChangeNoResult) {
  const std::vector<std::int32_t> expected = emulated(parse(neighbours));
  std::set<std::string> texts;
  for (std::int64_t gas = 0; gas <= 6; ++gas) {
    PassContext context{.gas = gas};
    const Kernel kernel = run(Route::recorded, parse(neighbours), {}, context);
    texts.insert(print(kernel));
    EXPECT_EQ(emulated(kernel), expected) << "gas " << gas;
  }
  EXPECT_GE(texts.size(), 4u);
}

}  // namespace
}  // namespace fulgurite::tidy
