// Compilation, without the C compiler's part, takes time nearly in proportion to the length of a program, and
// a stack that does not depend on it.
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <functional>
#include <tuple>

#include "long_programs.h"
#include "pipeline.h"
#include "trace/traced.h"

namespace fulgurite {
namespace {

using namespace long_programs;

template <class F>
void compile_only(F f) {
  pipeline::compile(compile(f, {.engine = Engine::interpreter}).traced()->program(), {.engine = Engine::cpu});
}

// The seconds of processor time, so that other tests may run meanwhile.
double seconds(const std::function<void()>& f) {
  const std::clock_t start = std::clock();
  f();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Four times the size takes less than `factor` times as long. Others may disturb one try.
void expect_growth(const char* name, const std::function<void(int)>& compile, int n, double factor) {
  SCOPED_TRACE(name);
  double few = 0, many = 0;
  for (int tries = 0; tries < 2; ++tries) {
    few = seconds([&] { compile(n / 4); });
    many = seconds([&] { compile(n); });
    if (many < factor * few + 0.25) break;
  }
  EXPECT_LT(many, factor * few + 0.25) << few << " s for " << n / 4;
  EXPECT_LT(many, 40);
}

// Quadratic time would be sixteen times as long.
void expect_nearly_linear(const char* name, const std::function<void(int)>& compile, int n = 5000) {
  expect_growth(name, compile, n, 10);
}

TEST(LongProgramsGrowth, ChainsOfFiveThousandOperations) {
  const auto chain = [](const char* name, auto f, int most = 5000) {
    const auto compile_chain = [&](int n) {
      compile_only([=](Numbers x, Exp<i64> a, Exp<i64> b) { return f(n, x, a, b); });
    };
    expect_nearly_linear(name, compile_chain, most);
  };
  chain("operators", operators);
  chain("diamonds", diamonds);
  chain("three results", three_results);
  chain("choices", choices);
  chain("summed", summed);
  chain("four results", four_results);
  chain("into a scatter", into_a_scatter);
  // Here each operation is a kernel, or a part that is not small, so fewer operations are enough.
  chain("sums on the way", sums_on_the_way, 1200);
  chain("scans", scans, 1200);
  chain("scatters", scatters, 1200);
  chain("updates", updates, 800);
  chain("rotations", rotations, 400);
  chain("gathers", gathers, 800);
  chain("concatenations", concatenations, 400);
}

TEST(LongProgramsGrowth, NestsOfThreeHundredLevels) {
  const auto nest = [](const char* name, auto compile) { expect_growth(name, compile, 300, 40); };
  nest("loops", [](int n) { compile_only([=](Exp<i64> x, Exp<i64> m) { return loops(n, x, m); }); });
  nest("array loops",
       [](int n) { compile_only([=](Numbers x, Exp<i64> m) { return array_loops(n, x, m); }); });
  nest("loops of two",
       [](int n) { compile_only([=](Exp<i64> x, Exp<i64> m) { return loops_of_two(n, x, m); }); });
  nest("while-loops",
       [](int n) { compile_only([=](Exp<i64> x, Exp<i64> m) { return while_loops(n, x, m); }); });
  nest("array while-loops",
       [](int n) { compile_only([=](Numbers x, Exp<i64> m) { return array_while_loops(n, x, m); }); });
  nest("conds", [](int n) { compile_only([=](Exp<i64> x, Exp<i64> m) { return conds(n, x, m); }); });
  nest("loops in a map", [](int n) {
    compile_only([=](Numbers x, Exp<i64> m) { return map([=](Exp<i64> e) { return loops(n, e, m); }, x); });
  });
}

// Whether rows keep their sizes is asked of all choices and loops that let them change places, once each.
TEST(LongProgramsGrowth, RowsThatChangePlaces) {
  using Rows = std::tuple<Numbers, Numbers>;
  const auto trace = [](const std::function<Rows(const Rows&)>& f) {
    (void)compile(
        [&](Mat<i64> m) { return map([&](Numbers r) { return std::get<0>(f({r, r * 2})); }, rows(m)); },
        {.engine = Engine::interpreter});
  };
  const auto swapped = [](const Rows& state) {
    const auto& [a, b] = state;
    return cond(a[0] > b[0], std::tuple{b, a}, std::tuple{a + 1, b});
  };
  const auto in_a_loop = [](const Rows& state, const std::function<Rows(const Rows&)>& f) {
    const auto step = [&](Numbers a, Numbers b) { return f({a, b}); };
    return iterate(3, step, std::get<0>(state), std::get<1>(state));
  };
  const auto one_after_the_other = [&](int n) {
    trace([&](const Rows& begun) {
      return in_a_loop(begun, [&](Rows state) {
        for (int k = 0; k < n; ++k) state = swapped(state);
        return state;
      });
    });
  };
  const auto inside_of_each_other = [&](int n) {
    const std::function<Rows(int, const Rows&)> loops = [&](int level, const Rows& state) -> Rows {
      if (level == 0) return state;
      return in_a_loop(state, [&](const Rows& inner) { return swapped(loops(level - 1, inner)); });
    };
    trace([&](const Rows& begun) { return loops(n, begun); });
  };
  expect_growth("choices one after the other", one_after_the_other, 200, 40);
  expect_growth("loops inside of each other", inside_of_each_other, 80, 40);
}

TEST(LongProgramsGrowth, TenThousandOperationsNeedNoDeepStack) {
  static std::exception_ptr failure;
  const auto run = [](void*) -> void* {
    try {
      compile_only([](Numbers x, Exp<i64> a, Exp<i64> b) { return operators(10000, x, a, b); });
      compile_only([](Numbers x, Exp<i64> a, Exp<i64> b) { return one_function(10000, x, a, b); });
      compile_only([](Numbers x, Exp<i64> a, Exp<i64> b) { return diamonds(10000, x, a, b); });
    } catch (...) {
      failure = std::current_exception();
    }
    return nullptr;
  };
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, run, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace
}  // namespace fulgurite
