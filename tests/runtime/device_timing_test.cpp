// What loading a kernel and launching one cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "kernels.h"
#include "runtime/cpu/device.h"
#include "temporary_directory.h"

namespace fulgurite::runtime::cpu {
namespace {

using test::TemporaryDirectory;

// The target: at most 1 ms a kernel, checksum included.
TEST(CpuDevice, TimingOfALoadFromDisk) {
  const TemporaryDirectory directory;
  DiskCache disk(directory.path(), std::uint64_t{64} << 20);
  CpuDevice device("native", disk);
  device.build(test::saxpy());
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    device.forget_kernels();
    const auto start = std::chrono::steady_clock::now();
    device.build(test::saxpy());
    best = std::min(
        best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  EXPECT_LT(best, 1.0);
}

// A launch of a small kernel adds almost nothing to the bare function: far below the microsecond that a whole
// call may take.
TEST(CpuDevice, TimingOfALaunchOnAHundredElements) {
  CpuDevice& device = CpuDevice::shared();
  const auto kernel = device.build(test::saxpy());
  std::vector<float> x(100, 1), y(100, 1);
  void* buffers[] = {x.data(), y.data()};
  const std::int64_t scalars[] = {0, 100}, tasks[] = {1};
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) device.launch(*kernel, {buffers, scalars, tasks});
    best = std::min(
        best,
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / 1000);
  }
  EXPECT_LT(best, 200) << "nanoseconds";
}

}  // namespace
}  // namespace fulgurite::runtime::cpu
