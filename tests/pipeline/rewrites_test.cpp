// Programs that lack some or all of the optional rewrites for schedules compute the same, and what
// FULGURITE_DUMP may ask for.
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "dump_labels.h"
#include "engine_run.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/interpret.h"
#include "soac/parse.h"

namespace fulgurite {
namespace {

using testing_pipeline::results_of, testing_pipeline::tested;

// Runs the program with ever more rewrites, until there are all. `expected`: those that change it on a CPU.
void expect_same_with_any_rewrites(const std::string& text, const std::set<std::string_view>& expected) {
  const soac::Program program = soac::parse(text);
  std::vector<float> x(5001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7919) % 1009);
  const std::vector<soac::Value> args = {soac::array_value<float>(x)};
  const std::vector<soac::Value> wanted = soac::interpret(program, args);
  std::set<std::string_view> taken;
  bool are_all = false;
  for (int gas = 0; !are_all; ++gas) {
    are_all = true;
    int left = gas;
    const auto keeps = [&](const schedule::Rewrite& rewrite, const soac::Stm&, const soac::Stm&) {
      EXPECT_TRUE(rewrite.is_optional) << rewrite.name;
      if (left == 0) return are_all = false;
      --left;
      taken.insert(rewrite.name);
      return true;
    };
    const plan::Loaded loaded = pipeline::load_rewritten(program, tested(), keeps);
    EXPECT_TRUE(std::ranges::equal(results_of(loaded, program, args), wanted, soac::same)) << "gas " << gas;
  }
  if (tested().engine != Engine::cpu) return;
  for (std::string_view name : expected) EXPECT_TRUE(taken.contains(name)) << name << " changes nothing";
}

TEST(RewriteGas, AxesNeedNotBeSplit) {
  expect_same_with_any_rewrites(R"(program(x: f32[n]) {
  y: f32[n] = map (i < n) {
    v: f32 = if (0 < i) { return x[i - 1] } else { return 1f }
    return v + x[i]
  }
  return y
})",
                                {"pieces"});
}

TEST(RewriteGas, IndicesNeedNotBeNarrow) {
  expect_same_with_any_rewrites(R"(program(x: f32[n]) {
  v: f32, at: i64 = redomap (i < n) { x[i], i } reduce (a: f32, i: i64, b: f32, j: i64) {
    select(a < b | a == b & i < j, a, b), select(a < b | a == b & i < j, i, j)
  } comm neutral 1000000f, 9223372036854775807
  return v, at
})",
                                {"ascending", "narrow"});
}

TEST(DumpLabels, StandOnceAndWhatIsNoneIsRefused) {
  const std::vector<std::string_view> labels = pipeline::dump_labels(pipeline::passes(Precision::fast));
  for (const char* label : {"traced", "fuse", "schedule", "lift", "vectorise", "source", "time"})
    EXPECT_TRUE(std::ranges::binary_search(labels, label)) << label;
  // Passes of programs, rewrites of statements and passes of kernels have names of their own.
  std::set<std::string_view> others;
  for (const soac::Pass* pass : pipeline::passes(Precision::fast)) others.insert(pass->name);
  for (const schedule::Rewrite* rewrite : schedule::rewrites())
    EXPECT_TRUE(others.insert(rewrite->name).second) << rewrite->name;
  const soac::Program program = soac::parse("program(x: f32[n]) {\n  return x\n}");
  setenv("FULGURITE_DUMP", "tarced,time", 1);
  try {
    pipeline::compile(program, {});
    FAIL() << "a label that there is not";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("'tarced'"), std::string::npos) << error.what();
  }
  unsetenv("FULGURITE_DUMP");
}

TEST(DumpLabels, StandOnThePageOfTheEnvironment) {
  std::ifstream file(FULGURITE_TEST_DATA "/../../docs/environment.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (std::string_view label : pipeline::dump_labels(pipeline::passes(Precision::fast)))
    EXPECT_NE(page.find(fmt::format("\n| `{}` | ", label)), page.npos) << label;
}

}  // namespace
}  // namespace fulgurite
