// Long chains and deep nests give what the interpreter gives.
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "long_programs.h"
#include "pipeline.h"
#include "trace/traced.h"

namespace fulgurite {
namespace {

using namespace long_programs;

const std::vector<i64> numbers{5, -3, 1'000'003, 0, 77, -12'345'678'901, 9, 2, 4, 1};

template <class F, class... Args>
auto outcome(Engine engine, bool fuse, F f, const Args&... args) {
  return compile(f, {.engine = engine, .fuse = fuse})(args...);
}

template <class T>
std::vector<T> list(const Array<T, 1>& x) {
  return {x.begin(), x.end()};
}
template <class T>
T list(T x) {
  return x;
}
template <class... Ts>
auto list(const std::tuple<Ts...>& xs) {
  return std::apply([](const auto&... x) { return std::tuple{list(x)...}; }, xs);
}

template <class F, class... Args>
void expect_same(const char* name, F f, const Args&... args) {
  SCOPED_TRACE(name);
  const auto expected = list(outcome(Engine::interpreter, true, f, args...));
  EXPECT_EQ(list(outcome(Engine::emulator, true, f, args...)), expected);
}
template <class F, class... Args>
void expect_same_on_processor(const char* name, F f, const Args&... args) {
  expect_same(name, f, args...);
  EXPECT_EQ(list(outcome(Engine::cpu, true, f, args...)),
            list(outcome(Engine::interpreter, true, f, args...)));
}

// The chains have enough operations for values to replace reads late (fuse/use_table.h).
TEST(LongPrograms, ChainsGiveWhatTheInterpreterGives) {
  const auto chain = [](const char* name, auto f, int n = 700) {
    const auto program = [=](Numbers x, Exp<i64> a, Exp<i64> b) { return f(n, x, a, b); };
    expect_same(name, program, numbers, i64{6}, i64{35});
  };
  chain("operators", operators);
  chain("maps of maps", maps_of_maps);
  chain("diamonds", diamonds);
  chain("doubled", doubled);
  chain("three results", three_results);
  chain("four results", four_results);
  chain("slices and reverses", slices_and_reverses, 24);
  chain("choices", choices);
  chain("summed", summed);
  chain("scanned", scanned);
  chain("many sums", many_sums, 160);
  chain("sums on the way", sums_on_the_way, 90);
  chain("into a scatter", into_a_scatter);
  chain("scans", scans, 20);
  chain("scatters", scatters, 20);
  chain("updates", updates, 40);
  chain("rotations", rotations, 20);
  chain("gathers", gathers, 40);
  chain("concatenations", concatenations, 30);
}

TEST(LongPrograms, NestsGiveWhatTheInterpreterGives) {
  const i64 once = 1;
  expect_same_on_processor("loops", [](Exp<i64> x, Exp<i64> m) { return loops(30, x, m); }, i64{2}, once);
  expect_same("array loops", [](Numbers x, Exp<i64> m) { return array_loops(20, x, m); }, numbers, once);
  expect_same("loops of two", [](Exp<i64> x, Exp<i64> m) { return loops_of_two(20, x, m); }, i64{2}, once);
  expect_same("while-loops", [](Exp<i64> x, Exp<i64> m) { return while_loops(30, x, m); }, i64{2}, i64{4});
  expect_same(
      "array while-loops", [](Numbers x, Exp<i64> m) { return array_while_loops(12, x, m); }, numbers,
      i64{6});
  expect_same("conds", [](Exp<i64> x, Exp<i64> m) { return conds(30, x, m); }, i64{123'456'789}, i64{2});
  expect_same("array conds", [](Numbers x, Exp<i64> m) { return array_conds(12, x, m); }, numbers, i64{600});
}

// Each array reads the one before at two places: without a limit the number of reads doubles at each step.
TEST(LongPrograms, ReadsDoNotDoubleWithEachArray) {
  const auto longer = [](int n) {
    return [=](Vec<i64> x) {
      for (int k = 0; k < n; ++k) x = concat(x, x.slice(0, 1));
      return x;
    };
  };
  expect_same("concatenations", longer(9), numbers);
  const auto bytes_of_text = [](const auto& f) {
    const auto traced = compile(f, {.engine = Engine::interpreter}).traced();
    std::size_t bytes = 0;
    for (const plan::KernelText& k :
         pipeline::compile(traced->program(), {.engine = Engine::emulator}).lowered.plan.kernels)
      bytes += k.source.size();
    return bytes;
  };
  EXPECT_LT(bytes_of_text(longer(24)), 5 * bytes_of_text(longer(12)));
}

}  // namespace
}  // namespace fulgurite
