// The CPU device: building through the caches, launching.
#include "runtime/cpu/device.h"
#include "temporary_directory.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <numeric>
#include <vector>

#include "kernels.h"
#include "runtime/cpu/compiler.h"
#include "runtime/cpu/levels.h"
#include "runtime/stats.h"

namespace fulgurite::runtime::cpu {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

constexpr std::uint64_t plenty = std::uint64_t{64} << 20;

TEST(CpuDevice, BuildsOnceThenFindsInMemoryThenOnDisk) {
  const TemporaryDirectory directory;
  DiskCache disk(directory.path(), plenty);
  CpuDevice device("native", disk);
  reset_stats();
  const auto first = device.build(test::saxpy());
  EXPECT_EQ(stats().compilations, 1U);
  EXPECT_EQ(stats().misses, 1U);
  EXPECT_EQ(device.build(test::saxpy()), first);
  EXPECT_EQ(stats().memory_hits, 1U);
  device.forget_kernels();
  EXPECT_NE(device.build(test::saxpy()), first);
  EXPECT_EQ(stats().disk_hits, 1U);
  CpuDevice other("native", disk);
  other.build(test::saxpy());
  EXPECT_EQ(stats().disk_hits, 2U);
  EXPECT_EQ(stats().compilations, 1U);
}

TEST(CpuDevice, TellsKernelsApart) {
  const TemporaryDirectory directory;
  DiskCache disk(directory.path(), plenty);
  CpuDevice device("native", disk);
  reset_stats();
  KernelSource source = test::saxpy();
  device.build(source);
  source.text += "\n";
  device.build(source);
  CpuDevice old(std::string(levels.front()), disk);
  old.build(source);
  EXPECT_EQ(stats().compilations, 3U);
}

TEST(CpuDevice, ADamagedEntryIsCompiledAgain) {
  const TemporaryDirectory directory;
  DiskCache disk(directory.path(), plenty);
  CpuDevice device("native", disk);
  device.build(test::saxpy());
  for (const auto& file : fs::directory_iterator(directory.path())) fs::resize_file(file.path(), 300);
  device.forget_kernels();
  reset_stats();
  device.build(test::saxpy());
  EXPECT_EQ(stats().compilations, 1U);
  device.forget_kernels();
  device.build(test::saxpy());
  EXPECT_EQ(stats().disk_hits, 1U);
}

// A second process with a warm cache: nothing is compiled, and the compiler is not even loaded.
TEST(CpuDevice, AWarmStartLoadsNoCompiler) {
  const TemporaryDirectory directory;
  const auto child = [&](bool cold) {
    const pid_t pid = fork();
    if (pid == 0) {
      DiskCache disk(directory.path(), plenty);
      CpuDevice device("native", disk);
      const bool loaded_before = compiler_loaded();
      device.build(test::saxpy());
      device.build(test::sum());
      if (cold) _exit(stats().compilations == 2 ? 0 : 1);
      _exit(stats().compilations == 0 && stats().disk_hits == 2 && compiler_loaded() == loaded_before ? 0
                                                                                                      : 2);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
  };
  reset_stats();
  EXPECT_EQ(child(true), 0);
  EXPECT_EQ(child(false), 0);
}

TEST(CpuDevice, LaunchesInPhasesAndCounts) {
  CpuDevice& device = CpuDevice::shared();
  const auto kernel = device.build(test::sum());
  for (const std::int64_t n : {0, 1, 999, 1000, 1001, 1000000}) {
    std::vector<std::int64_t> x(static_cast<std::size_t>(n) + 1), partial(1001);
    std::iota(x.begin(), x.end(), 1);
    std::int64_t result = -1;
    void* buffers[] = {x.data(), partial.data(), &result};
    const std::int64_t tasks[] = {(n + 999) / 1000, 1};
    reset_stats();
    EXPECT_EQ(device.launch(*kernel, {buffers, {&n, 1}, tasks, 80, 8}), std::nullopt);
    EXPECT_EQ(result, n * (n + 1) / 2);
    EXPECT_EQ(stats().launches, 1U);
    EXPECT_EQ(stats().bytes_moved, 88U);
  }
}

TEST(CpuDevice, ReportsTheLowestFailureAndStopsAfterItsPhase) {
  CpuDevice& device = CpuDevice::shared();
  const auto kernel = device.build(test::gather());
  std::vector<std::int64_t> from(50), index(100000), to(100000);
  std::iota(from.begin(), from.end(), 0);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(i % 50);
  std::int64_t second_phase = 0;
  void* buffers[] = {from.data(), index.data(), to.data(), &second_phase};
  const std::int64_t n = 50, tasks[] = {100000, 1};
  EXPECT_EQ(device.launch(*kernel, {buffers, {&n, 1}, tasks}), std::nullopt);
  EXPECT_EQ(second_phase, 1);
  second_phase = 0;
  for (const std::size_t i : {99999UL, 60000UL, 34567UL, 34568UL})
    index[i] = -3 - static_cast<std::int64_t>(i % 2);
  for (int round = 0; round < 20; ++round)
    EXPECT_EQ(device.launch(*kernel, {buffers, {&n, 1}, tasks}), (Failure{7, 34567, -4, 50}));
  EXPECT_EQ(second_phase, 0);
}

TEST(CpuDevice, HasMemory) {
  CpuDevice& device = CpuDevice::shared();
  reset_stats();
  const Memory a = device.allocate(12), b = device.allocate(12);
  std::vector<char> in(12, 'x'), out(12);
  device.upload(a, in.data(), 12);
  device.copy(b, a, 12);
  device.download(out.data(), b, 12);
  EXPECT_EQ(in, out);
  EXPECT_EQ(stats().bytes_allocated, 24U);
  EXPECT_EQ(stats().bytes_copied, 36U);
  device.release(a);
  device.release(b);
  EXPECT_THROW(device.allocate(std::size_t{1} << 60), OutOfMemory);
  const Description description = device.describe();
  EXPECT_EQ(description.engine, "cpu");
  EXPECT_TRUE(description.is_host);
}

}  // namespace
}  // namespace fulgurite::runtime::cpu
