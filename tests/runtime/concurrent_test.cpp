// What several threads do at once: compile, call, allocate, read and write the caches. Also run under
// ThreadSanitizer.
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "kernels.h"
#include "runtime/cpu/device.h"
#include "runtime/failure.h"
#include "runtime/join_map.h"
#include "runtime/pool.h"
#include "runtime/stats.h"
#include "temporary_directory.h"

namespace fulgurite::runtime {
namespace {

using test::TemporaryDirectory;

void on_threads(int n, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) threads.emplace_back([&, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(JoinMap, MakesOnceWhatManyAskFor) {
  JoinMap<int, std::string> map;
  std::atomic<int> n_made{0}, n_found{0};
  on_threads(8, [&](int) {
    for (int key = 0; key < 50; ++key) {
      bool found = false;
      const std::string value = map.get(
          key,
          [&] {
            ++n_made;
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            return std::to_string(key);
          },
          &found);
      EXPECT_EQ(value, std::to_string(key));
      n_found += found ? 1 : 0;
    }
  });
  EXPECT_EQ(n_made, 50);
  EXPECT_EQ(n_found, 7 * 50);
  EXPECT_EQ(map.size(), 50U);
}

TEST(JoinMap, AFailureReachesAllWhoWaitAndIsForgotten) {
  JoinMap<int, int> map;
  std::atomic<int> n_failed{0}, n_attempts{0};
  on_threads(8, [&](int) {
    try {
      map.get(1, [&]() -> int {
        ++n_attempts;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        throw CompileError("no");
      });
    } catch (const CompileError&) {
      ++n_failed;
    }
  });
  EXPECT_EQ(n_failed, 8);
  EXPECT_LT(n_attempts, 8);
  EXPECT_EQ(map.size(), 0U);
  EXPECT_EQ(map.get(1, [] { return 5; }), 5);
}

TEST(FailureRecord, KeepsTheLowestOfManyThreads) {
  FailureRecord record;
  on_threads(8, [&](int thread) {
    for (std::int64_t element = 20000 - thread; element >= 100; element -= 8)
      record.report({thread, element, element, 10});
  });
  const auto lowest = record.lowest();
  ASSERT_TRUE(lowest);
  EXPECT_EQ(lowest->element, 100);
}

TEST(Pool, GivesABlockToOneThreadAtATime) {
  BufferPool pool(1 << 20);
  on_threads(8, [&](int thread) {
    for (int i = 0; i < 3000; ++i) {
      const std::size_t bytes = 64U << (i % 12);
      auto* block = static_cast<int*>(pool.allocate(bytes));
      block[0] = thread;
      block[bytes / sizeof(int) - 1] = thread;
      if (i % 500 == 0) pool.trim();
      EXPECT_EQ(block[0], thread);
      EXPECT_EQ(block[bytes / sizeof(int) - 1], thread);
      pool.release(block, bytes);
    }
  });
  EXPECT_LE(pool.retained_bytes(), std::size_t{1} << 20);
  pool.trim();
  EXPECT_EQ(pool.retained_bytes(), 0U);
}

TEST(DiskCache, IsSharedByThreads) {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path(), 100000);
  on_threads(8, [&](int thread) {
    for (int i = 0; i < 100; ++i) {
      const std::string payload(1000, static_cast<char>('a' + i % 20));
      const base::Digest key = base::digest(std::to_string(i % 20));
      if (thread % 2 == 0) cache.write(EntryKind::kernel, key, payload);
      const auto read = cache.read(EntryKind::kernel, key);
      EXPECT_TRUE(!read || *read == payload);
    }
  });
  EXPECT_EQ(cache.verify().n_damaged, 0U);
}

// Eight threads ask for the same ten kernels, and run them.
TEST(CpuDevice, EightThreadsCompileAndCall) {
  const TemporaryDirectory directory;
  DiskCache disk(directory.path(), std::uint64_t{64} << 20);
  cpu::CpuDevice device("native", disk);
  reset_stats();
  on_threads(8, [&](int thread) {
    std::vector<std::int64_t> x(50000), partial(51);
    std::iota(x.begin(), x.end(), thread);
    const std::int64_t n = 50000, tasks[] = {50, 1};
    for (int i = 0; i < 10; ++i) {
      KernelSource source = test::sum();
      source.text += "static const int number = " + std::to_string((i + thread) % 10) + ";\n";
      const auto kernel = device.build(source);
      for (int call = 0; call < 5; ++call) {
        std::int64_t result = 0;
        void* buffers[] = {x.data(), partial.data(), &result};
        EXPECT_EQ(device.launch(*kernel, {buffers, {&n, 1}, tasks}), std::nullopt);
        EXPECT_EQ(result, n * (n - 1) / 2 + n * thread);
      }
    }
  });
  EXPECT_EQ(stats().compilations, 10U);
  EXPECT_EQ(stats().memory_hits, 70U);
  EXPECT_EQ(stats().launches, 400U);
}

}  // namespace
}  // namespace fulgurite::runtime
