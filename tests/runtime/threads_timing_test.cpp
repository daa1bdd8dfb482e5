// The thread pool's bars: hot loops of short kernels, and calls after a rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/cpu/threads.h"
#include "runtime/host.h"

namespace fulgurite::runtime::cpu {
namespace {

double microseconds(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// The bars, with room for a loaded machine: the best of some rounds counts.
class PoolTiming : public testing::Test {
 protected:
  // A kernel of some 10 us in 8 tasks.
  static void kernel(void* context, std::int64_t first, std::int64_t last) {
    auto* x = static_cast<float*>(context);
    for (std::int64_t task = first; task < last; ++task)
      for (int round = 0; round < 10; ++round)
        for (int i = 0; i < 512; ++i) x[task * 512 + i] = x[task * 512 + i] * 0.5F + 1.0F;
  }
  std::vector<float> data_ = std::vector<float>(8 * 512, 1.0F);
};

TEST_F(PoolTiming, TimingOfAHotLoop) {
  if (host().n_cores < 2) GTEST_SKIP() << "one core";
  ThreadPool pool(2);
  double best = 0;
  for (int round = 0; round < 30 && best < 1.6; ++round) {
    std::vector<double> serial, parallel;
    for (int i = 0; i < 4000; ++i) serial.push_back(microseconds([&] { kernel(data_.data(), 0, 8); }));
    for (int i = 0; i < 4000; ++i)
      parallel.push_back(microseconds([&] { pool.run(8, kernel, data_.data()); }));
    best = std::max(best, median(serial) / median(parallel));
  }
  EXPECT_GE(best, 1.6);
}

TEST_F(PoolTiming, TimingAfterARest) {
  ThreadPool pool(2);
  pool.run(8, kernel, data_.data());
  double best = 1e9;
  for (int round = 0; round < 10 && best > 5; ++round) {
    std::vector<double> serial, parallel;
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      serial.push_back(microseconds([&] { kernel(data_.data(), 0, 8); }));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      parallel.push_back(microseconds([&] { pool.run(8, kernel, data_.data()); }));
    }
    best = std::min(best, median(parallel) - median(serial));
  }
  EXPECT_LE(best, 5) << "microseconds";
}

}  // namespace
}  // namespace fulgurite::runtime::cpu
