// The thread pool: every task runs once, whoever calls from wherever. Also run under ThreadSanitizer.
#include "runtime/cpu/threads.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <thread>
#include <vector>

namespace fulgurite::runtime::cpu {
namespace {

using Body = std::function<void(std::int64_t, std::int64_t)>;

void run(ThreadPool& pool, std::int64_t n_tasks, const Body& body) {
  pool.run(
      n_tasks,
      [](void* context, std::int64_t first, std::int64_t last) {
        (*static_cast<const Body*>(context))(first, last);
      },
      const_cast<Body*>(&body));
}

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int n_threads : {1, 2, 3, 8}) {
    ThreadPool pool(n_threads);
    for (const std::int64_t n_tasks : {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 255, 256, 257, 1000, 100003}) {
      // The counts need not be atomic: each task is handed out once, and all stores are visible afterwards.
      std::vector<int> times(static_cast<std::size_t>(n_tasks));
      run(pool, n_tasks, [&](std::int64_t first, std::int64_t last) {
        ASSERT_LT(first, last);
        for (std::int64_t i = first; i < last; ++i) ++times[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(std::count(times.begin(), times.end(), 1), n_tasks) << n_threads << " threads";
    }
  }
}

TEST(ThreadPool, HandlesMoreTasksThanFitItsCounters) {
  ThreadPool pool(2);
  const std::int64_t huge = INT64_MAX - 5;
  std::atomic<std::int64_t> sum{0};
  std::atomic<std::int64_t> largest{0};
  run(pool, huge, [&](std::int64_t first, std::int64_t last) {
    sum += last - first;
    std::int64_t seen = largest.load();
    while (last > seen && !largest.compare_exchange_weak(seen, last)) {
    }
  });
  EXPECT_EQ(sum, huge);
  EXPECT_EQ(largest, huge);
}

TEST(ThreadPool, ManyShortJobsInARow) {
  ThreadPool pool(4);
  std::int64_t total = 0;
  for (int job = 0; job < 20000; ++job) {
    std::int64_t counts[16] = {};
    run(pool, 16, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) counts[i] += i;
    });
    for (const std::int64_t c : counts) total += c;
    if (job % 5000 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // let workers fall asleep
  }
  EXPECT_EQ(total, 20000 * 120);
}

TEST(ThreadPool, WorkersTakePart) {
  ThreadPool pool(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> n_elsewhere{0};
  // Tasks that last until another thread has come, or a long time.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  run(pool, 2, [&](std::int64_t, std::int64_t) {
    if (std::this_thread::get_id() != caller) ++n_elsewhere;
    while (n_elsewhere == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  // The first job after a rest wakes a worker only once it proves long, so the worker may have come for the
  // second task or not at all; a second job in the hot loop finds it awake.
  for (int i = 0; i < 100000 && n_elsewhere == 0; ++i)
    run(pool, 64, [&](std::int64_t, std::int64_t) {
      if (std::this_thread::get_id() != caller) ++n_elsewhere;
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    });
  EXPECT_GT(n_elsewhere, 0);
}

TEST(ThreadPool, CallersAtOnceAndCallsInsideTasks) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> total{0};
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      for (int job = 0; job < 300; ++job) {
        run(pool, 20, [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t i = first; i < last; ++i)
            run(pool, 5, [&](std::int64_t f, std::int64_t l) { total += l - f; });
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 8 * 300 * 20 * 5);
}

TEST(ThreadPool, ComesAndGoes) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(4);
    std::atomic<int> n{0};
    if (i % 2 == 0)
      run(pool, 100, [&](std::int64_t first, std::int64_t last) { n += static_cast<int>(last - first); });
    EXPECT_EQ(n, i % 2 == 0 ? 100 : 0);
  }
}

TEST(ThreadPool, ResultsDoNotDependOnTheNumberOfThreads) {
  // Partial sums of floats, one a task, combined in order.
  std::vector<float> x(100000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0F / static_cast<float>(i + 1);
  std::set<float> results;
  for (const int n_threads : {1, 2, 5}) {
    ThreadPool pool(n_threads);
    std::vector<float> partial(100);
    run(pool, 100, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t task = first; task < last; ++task) {
        float s = 0;
        for (std::size_t i = 0; i < 1000; ++i) s += x[static_cast<std::size_t>(task) * 1000 + i];
        partial[static_cast<std::size_t>(task)] = s;
      }
    });
    float sum = 0;
    for (const float p : partial) sum += p;
    results.insert(sum);
  }
  EXPECT_EQ(results.size(), 1U);
}

}  // namespace
}  // namespace fulgurite::runtime::cpu
