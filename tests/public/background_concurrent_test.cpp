// Programs that are called while their kernels compile. Also run under ThreadSanitizer.
#include "engines.h"

#include <chrono>
#include <thread>

namespace {

// Another program in each process and for each k, so that its kernels are in no cache; of several kernels.
int factor_of(int k) {
  static const auto now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  return 8 * static_cast<int>(now % 100'000) + k;
}

auto compile_new(int k, fg::Engine engine) {
  return fg::compile(
      [factor = static_cast<float>(factor_of(k))](Vec<float> x) {
        const auto sorted = fg::sort(x * factor);
        return std::tuple{fg::scan(fg::plus, 0.0f, sorted), fg::max(sorted), sorted};
      },
      {.engine = engine, .background = true});
}

void expect_right(const auto& f, int k) {
  const auto factor = static_cast<float>(factor_of(k));
  const auto [sums, most, sorted] = f(std::vector<float>{3, 1, 2});
  EXPECT_EQ(most, 3 * factor);
  EXPECT_EQ(sorted.to_vector(), (std::vector<float>{factor, 2 * factor, 3 * factor}));
  EXPECT_EQ(sums.to_vector(), (std::vector<float>{factor, 3 * factor, 6 * factor}));
}

TEST(Background, CallsFromManyThreadsWhileKernelsCompile) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    const auto f = compile_new(1, engine);
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&, t] {
        if (t == 5) return f.wait();
        while (t == 4 && !f.ready()) std::this_thread::yield();
        for (int call = 0; call < 4; ++call) expect_right(f, 1);
      });
    for (std::thread& thread : threads) thread.join();
    const auto same = f;
    EXPECT_TRUE(same.ready());
    same.wait();
    expect_right(same, 1);
    const auto again = compile_new(1, engine);
    EXPECT_TRUE(again.ready()) << "its kernels are known";
    expect_right(again, 1);
  }
}

TEST(Background, ProgramsThatAreGoneBeforeTheyAreReady) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    compile_new(2, engine);
    expect_right(compile_new(2, engine), 2);
  }
}

// Those of values that came so far.
TEST(Background, ProgramsForEachConstant) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    const auto f = fg::compile([](Vec<float> x, int k) { return fg::sum(x) + static_cast<float>(k); },
                               {.engine = engine, .background = true});
    EXPECT_TRUE(f.ready());
    f.wait();
    for (const int k : {7, 8, 7}) EXPECT_EQ(f(std::vector<float>{1, 2}, k), 3.0f + static_cast<float>(k));
    f.wait();
    EXPECT_TRUE(f.ready());
  }
}

// What a program says about its arguments does not depend on kernels.
TEST(Background, ErrorsOfTracingComeAtOnceAndOfCallsFromCalls) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    const fg::Options options{.engine = engine, .background = true};
    EXPECT_THROW(fg::compile([](Vec<float> x) { return x.size(-3); }, options), fg::Error);
    const auto f = fg::compile([](Vec<float> x, Exp<fg::i64> i) { return fg::sort(x)[i]; }, options);
    EXPECT_THROW(f(std::vector<float>{1, 2}, 2), fg::IndexError);
    EXPECT_EQ(f(std::vector<float>{2, 1}, 1), 2.0f);
    f.wait();
  }
}

}  // namespace
