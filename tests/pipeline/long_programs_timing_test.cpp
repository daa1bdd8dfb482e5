// Compilation, without the C compiler's part, takes time nearly in proportion to the length of a program, and
// a stack that does not depend on it.
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>

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

// The better of two runs: others may disturb one.
double seconds(const std::function<void()>& f) {
  double best = 1e9;
  for (int run = 0; run < 2; ++run) {
    const auto start = std::chrono::steady_clock::now();
    f();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// Four times the operations take less than ten times as long: quadratic time would be sixteen.
void expect_nearly_linear(const char* name, const std::function<void(int)>& compile) {
  SCOPED_TRACE(name);
  const double few = seconds([&] { compile(2500); }), many = seconds([&] { compile(10000); });
  EXPECT_LT(many, 10 * few + 0.5) << few << " s for 2500 operations";
  EXPECT_LT(many, 40);
}

TEST(LongProgramsTiming, ChainsOfTenThousandOperations) {
  const auto chain = [](const char* name, auto f) {
    expect_nearly_linear(
        name, [&](int n) { compile_only([=](Numbers x, Exp<i64> a, Exp<i64> b) { return f(n, x, a, b); }); });
  };
  chain("operators", operators);
  chain("diamonds", diamonds);
  chain("three results", three_results);
  chain("choices", choices);
  chain("summed", summed);
}

TEST(LongProgramsTiming, NestsOfThreeHundredLevels) {
  const auto nest = [](const char* name, auto compile) {
    SCOPED_TRACE(name);
    const double few = seconds([&] { compile(75); }), many = seconds([&] { compile(300); });
    EXPECT_LT(many, 40 * few + 0.5) << few << " s for 75 levels";
    EXPECT_LT(many, 40);
  };
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

TEST(LongProgramsTiming, TenThousandOperationsNeedNoDeepStack) {
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
