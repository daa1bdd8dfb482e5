// Threads that call one program with axes of several short lengths, which are compiled for meanwhile.
#include "engines.h"

#include <atomic>
#include <thread>

namespace {

TEST(ShortAxes, OfSeveralThreads) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    const auto f =
        fg::compile([](Mat<int> a) { return fg::sum(a, fg::axis(1)); },
                    {.engine = engine, .policy = "short_axis_elements=0 block_short_axis_elements=0"});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 6; ++thread)
      threads.emplace_back([&, thread] {
        for (int call = 0; call < 12; ++call) {
          const int columns = 1 + (thread + call) % 4;
          const fg::Array<int, 2> ones(std::vector<int>(static_cast<std::size_t>(5 * columns), 1),
                                       {5, columns});
          if (f(ones).to_vector() != std::vector<int>(5, columns)) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
