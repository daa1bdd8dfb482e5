// Options::policy and FULGURITE_POLICY: who wins, what changes, and that two policies share no program.
#include <fulgurite/fulgurite.h>

#include <gtest/gtest.h>

#include <cstdlib>

#include "keys.h"
#include "machines.h"
#include "scalar/print.h"
#include "soac/parse.h"

namespace fulgurite {
namespace {

using testing_pipeline::accelerator, testing_pipeline::processor;

constexpr const char* doubled = R"(program "doubled" (x: f32[n]) {
  y: f32[n] = map (i < n) { x[i] * 2.0f }
  return y
})";
constexpr const char* total = R"(program "total" (x: f32[n]) {
  s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0.0f
  return s
})";

// Sets the environment variable while it lives.
class InEnvironment {
 public:
  explicit InEnvironment(const char* policy) { setenv("FULGURITE_POLICY", policy, 1); }
  ~InEnvironment() { unsetenv("FULGURITE_POLICY"); }
  InEnvironment(const InEnvironment&) = delete;
  InEnvironment& operator=(const InEnvironment&) = delete;
};

// How many tasks the first kernel has, as an expression of sizes.
std::string tasks_of(const char* text, const Options& options) {
  const soac::Program program = soac::parse(text);
  const runtime::Description device =
      options.engine == Engine::cpu ? processor(32) : accelerator("opencl", false);
  const pipeline::Report report = pipeline::compile(program, options, device);
  std::string tasks;
  scalar::print(tasks, report.lowered.notes.at(0).source->tasks.at(0), [&](scalar::Expr e) {
    return e.is_name() ? std::string_view(report.optimised.arena->info(e.var()).name) : std::string_view();
  });
  return tasks;
}

std::string source_of(const char* text, const Options& options) {
  return pipeline::compile(soac::parse(text), options, processor(32)).lowered.plan.kernels.at(0).source;
}

TEST(Policy, TheTileDecidesHowManyTasksThereAre) {
  EXPECT_EQ(tasks_of(doubled, {.engine = Engine::cpu}), "(n + 16383) / 16384");
  EXPECT_EQ(tasks_of(doubled, {.engine = Engine::cpu, .policy = "cheap_tile=1024"}), "(n + 1023) / 1024");
  EXPECT_EQ(tasks_of(doubled, {.engine = Engine::cpu, .policy = "moderate_tile=1024"}),
            "(n + 16383) / 16384");
}

TEST(Policy, SoDoThreadsOfABlock) {
  EXPECT_EQ(tasks_of(doubled, {.engine = Engine::opencl}), "max((n + 2047) / 2048, 1)");
  EXPECT_EQ(tasks_of(doubled, {.engine = Engine::opencl, .policy = "block_threads=64"}),
            "max((n + 511) / 512, 1)");
}

TEST(Policy, TheLengthOfAChainIsWrittenIntoTheKernel) {
  const std::string usual = source_of(total, {.engine = Engine::cpu});
  EXPECT_NE(usual, source_of(total, {.engine = Engine::cpu, .policy = "chain=16"}));
  EXPECT_EQ(usual, source_of(total, {.engine = Engine::cpu, .policy = "thread_chain=8"}));
}

TEST(Policy, OptionsWinOverTheEnvironment) {
  const InEnvironment environment("cheap_tile=1024");
  EXPECT_EQ(tasks_of(doubled, {.engine = Engine::cpu}), "(n + 1023) / 1024");
  EXPECT_EQ(tasks_of(doubled, {.engine = Engine::cpu, .policy = "cheap_tile=2048"}), "(n + 2047) / 2048");
  EXPECT_EQ(tasks_of(doubled, {.engine = Engine::cpu, .policy = "chain=16"}), "(n + 16383) / 16384")
      << "the environment is not looked at";
}

TEST(Policy, TwoPoliciesShareNoProgram) {
  const auto f = [](Vec<float> x) { return sum(x * 0.3125f); };
  const auto hits = [&](const char* policy) {
    const std::uint64_t before = stats().program_hits;
    compile(f, {.engine = Engine::cpu, .policy = policy});
    return stats().program_hits - before;
  };
  hits(""), hits("chain=16");
  EXPECT_EQ(hits(""), 1U);
  EXPECT_EQ(hits("chain = 16 # as before"), 1U);
  EXPECT_EQ(hits("chain=32"), 1U) << "the default, written out";
  Array<float> xs(std::vector<float>(3000));
  for (const char* policy : {"", "chain=16"})
    EXPECT_EQ(compile(f, {.engine = Engine::cpu, .policy = policy})(xs), 0.0f);
}

TEST(Policy, KeysInBundlesDifferToo) {
  const soac::Program program = soac::parse(total);
  const auto key = [&](std::string_view policy) {
    return pipeline::key_in_bundles(program, Precision::fast, Checks::on, schedule::parse_policy(policy))
        .hex();
  };
  EXPECT_EQ(key(""), key("chain=32"));
  EXPECT_NE(key(""), key("chain=16"));
  EXPECT_NE(key("chain=8"), key("chain=16"));
  EXPECT_NE(key("chain=16"), key("thread_chain=16, chain=16, cheap_tile=64"));
}

TEST(Policy, AWrongOneIsRefusedOnEveryEngine) {
  const auto f = [](Vec<float> x) { return x + 1.0f; };
  for (const Engine engine : {Engine::cpu, Engine::interpreter, Engine::emulator})
    EXPECT_THROW(compile(f, {.engine = engine, .policy = "cheap_tle=8192"}), FormatError);
  const InEnvironment environment("chain");
  EXPECT_THROW(compile(f, {.engine = Engine::cpu}), FormatError);
}

TEST(Policy, ExplainShowsWhatIsNotTheDefault) {
  const auto f = [](Vec<float> x) { return x + 1.0f; };
  const std::string changed =
      explanation(compile(f, {.engine = Engine::cpu, .policy = "chain=16, cheap_tile=1024"}));
  const auto expect_says = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect_says(changed,
              "\npolicy: 2 tuning numbers changed by Options::policy or --policy; names in brackets");
  expect_says(changed,
              "\n  cheap_tile = 1024 points, by default 16384: Points of one task where they are cheap.\n");
  expect_says(changed, "\n  chain = 16 ");
  const auto by_environment = [&](const char* policy) {
    const InEnvironment environment(policy);
    return explanation(compile(f, {.engine = Engine::cpu}));
  };
  expect_says(by_environment("chain=16"), "\npolicy: 1 tuning number changed by FULGURITE_POLICY; ");
  const std::string usual = explanation(compile(f, {.engine = Engine::cpu}));
  expect_says(
      usual,
      "\npolicy: default tuning numbers; names in brackets below are such numbers (docs/schedules.md)\n");
  EXPECT_EQ(usual.find("by default"), std::string::npos) << usual;
}

}  // namespace
}  // namespace fulgurite
