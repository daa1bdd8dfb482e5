// Tracing, compiling and calling from several threads at once.
#include "engines.h"

#include <atomic>
#include <thread>

namespace {

template <class F>
void on_threads(int n, F f) {
  std::vector<std::thread> threads;
  for (int k = 0; k < n; ++k) threads.emplace_back(f, k);
  for (std::thread& thread : threads) thread.join();
}

TEST(Calls, OfOneProgramFromEightThreads) {
  on_every_engine([](Vec<int> x, Exp<int> k) { return fg::sum(x * k + fg::iota<int>(x.size())); },
                  [](const auto& f) {
                    std::atomic<int> wrong = 0;
                    on_threads(8, [&](int thread) {
                      for (int call = 0; call < 20; ++call) {
                        const int n = 10 * thread + call;
                        if (f(std::vector<int>(static_cast<std::size_t>(n), 2), thread) !=
                            2 * thread * n + n * (n - 1) / 2)
                          ++wrong;
                      }
                    });
                    EXPECT_EQ(wrong, 0);
                  });
}

TEST(Calls, ThatTraceNewConstants) {
  on_every_engine([](Vec<int> x, int k) { return x * k; },
                  [](const auto& f) {
                    std::atomic<int> wrong = 0;
                    on_threads(8, [&](int thread) {
                      for (int call = 0; call < 12; ++call) {
                        const int k = (thread + call) % 6;
                        if (f(std::vector<int>{3, 4}, k)[1] != 4 * k) ++wrong;
                      }
                    });
                    EXPECT_EQ(wrong, 0);
                  });
}

TEST(Calls, CompilingDifferentProgramsAtOnce) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    std::atomic<int> wrong = 0;
    on_threads(8, [&, where = engine](int thread) {
      const auto f = fg::compile([thread](Vec<float> x) { return x + static_cast<float>(thread % 4); },
                                 {.engine = where});
      if (f(std::vector<float>{1})[0] != 1.0f + static_cast<float>(thread % 4)) ++wrong;
    });
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
