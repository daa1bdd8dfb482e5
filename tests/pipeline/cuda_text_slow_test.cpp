// The CUDA text of whole programs, by NVRTC where its library is found, for three generations of devices:
// that of the benchmarks compiles and spills no register; so compiles, in
// `./dev test --large`, that of the rows of docs/semantics.md and of every program of the tests of the public
// interface. What these are the plans in a cache tell: test_public and test_public_slow are run on the
// stand-in for a device (tests/runtime/cuda_stand_in/machine.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "../emit/nvrtc.h"
#include "../runtime/kernels.h"
#include "../runtime/temporary_directory.h"
#include "../soac/semantics_rows.h"
#include "cuda_programs.h"
#include "plan/text.h"
#include "runtime/disk_cache.h"
#include "soac/parse.h"

namespace fulgurite {
namespace {

namespace fs = std::filesystem;
using bench::CudaKernel;

const std::vector<std::string> generations = {"sm_75", "sm_80", "sm_90"};

// How many threads of sm_90 run at once in blocks of `block_size` threads (CUDA C++ Programming Guide,
// "Compute Capabilities"): of 64 warps, 16 of each quarter of a multiprocessor, whose 16384 registers go to
// warps in units of 256; of 32 blocks; of blocks that share 227 KiB, and 1 KiB each that is the system's.
int threads_at_once(int block_size, int registers, int shared_bytes) {
  const int warps = (block_size + 31) / 32, of_warp = (32 * registers + 255) / 256 * 256;
  const int blocks = std::min(
      {32, 64 / warps, 4 * std::min(16, 16384 / of_warp) / warps, (227 << 10) / (shared_bytes + (1 << 10))});
  return blocks * block_size;
}

base::Digest digest_of(const std::string& hex) {
  base::Digest digest;
  for (std::size_t k = 0; k < 16; ++k)
    (k < 8 ? digest.first : digest.second) |= std::stoull(hex.substr(2 * k, 2), nullptr, 16) << (8 * (k % 8));
  return digest;
}

// The same text once.
std::vector<CudaKernel> distinct(const std::vector<CudaKernel>& kernels) {
  std::set<std::string> texts;
  std::vector<CudaKernel> result;
  for (const CudaKernel& kernel : kernels)
    if (texts.insert(kernel.text).second) result.push_back(kernel);
  return result;
}

class CudaText : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_.is_there()) GTEST_SKIP() << "there is no libnvrtc.so";
  }

  // The compiled code of each kernel for each of the targets.
  std::vector<test::Nvrtc::Result> compiled(const std::vector<CudaKernel>& kernels,
                                            const std::vector<std::string>& targets) const {
    std::vector<test::Nvrtc::Result> found(kernels.size() * targets.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i; (i = next++) < found.size();)
        found[i] = nvrtc_(kernels[i / targets.size()].text, targets[i % targets.size()]);
    };
    std::vector<std::thread> threads(std::max(1U, std::thread::hardware_concurrency()));
    for (std::thread& thread : threads) thread = std::thread(work);
    for (std::thread& thread : threads) thread.join();
    return found;
  }

  void expect_compile(const std::vector<CudaKernel>& kernels, const std::vector<std::string>& targets,
                      bool without_spills) {
    const std::vector<test::Nvrtc::Result> found = compiled(kernels, targets);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const CudaKernel& kernel = kernels[i / targets.size()];
      SCOPED_TRACE(kernel.program + ", kernel " + kernel.name + ", " + targets[i % targets.size()]);
      EXPECT_TRUE(found[i].is_compiled) << found[i].log << "\n" << kernel.text;
      if (!found[i].is_compiled || !without_spills) continue;
      const std::vector<test::PtxasReport> reports = test::ptxas_reports(found[i].log);
      EXPECT_EQ(reports.size(), kernel.block_sizes.size());
      for (const test::PtxasReport& report : reports) {
        EXPECT_LE(report.spill_stores, 0) << report.function;
        EXPECT_LE(report.spill_loads, 0) << report.function;
      }
    }
  }

 private:
  const test::Nvrtc nvrtc_;
};

TEST_F(CudaText, SlowKernelsOfTheBenchmarksCompileAndSpillNothing) {
  const std::vector<CudaKernel> kernels = distinct(bench::cuda_kernels_of_benchmarks());
  EXPECT_GE(kernels.size(), 31U);
  expect_compile(kernels, generations, true);
}

// With blocks of another size at most an eighth more threads would run at once, if their shared memory grows
// as they do.
TEST_F(CudaText, SlowOtherBlockSizesRunFewMoreThreads) {
  const std::vector<CudaKernel> kernels = distinct(bench::cuda_kernels_of_benchmarks());
  const std::vector<test::Nvrtc::Result> found = compiled(kernels, {"sm_90"});
  int n_phases = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (const test::PtxasReport& report : test::ptxas_reports(found[k].log)) {
      const std::size_t phase = std::stoul(report.function.substr(report.function.rfind('p') + 1));
      const int size = kernels[k].block_sizes.at(phase);
      if (size == 1) continue;  // scalars: there is one block
      const int shared = kernels[k].shared_bytes.empty() ? 0 : kernels[k].shared_bytes.at(phase);
      int best = 0;
      for (int other = 32; other <= 1024; other *= 2)
        best = std::max(best, threads_at_once(other, report.registers,
                                              static_cast<int>(std::int64_t{shared} * other / size)));
      const int threads = threads_at_once(size, report.registers, shared);
      EXPECT_GE(8 * threads, 7 * best) << kernels[k].program << ", " << report.function << ": " << size
                                       << " threads of " << report.registers << " registers that share "
                                       << shared << " bytes: " << threads << " of " << best;
      ++n_phases;
    }
  }
  EXPECT_GE(n_phases, 31);
}

TEST_F(CudaText, SlowKernelsOfALoopThatEndsOnTheDeviceCompile) {
  std::vector<CudaKernel> kernels;
  bench::add_cuda_kernels(kernels, "loop", [](Vec<float> start) {
    auto [result, change] = while_loop([](Vec<float>, Exp<float> last) { return last > 0.01f; },
                                       [](Vec<float> x, Exp<float>) {
                                         auto next = scan(plus, 0.0f, x) / (1.0f + sum(x * x));
                                         return std::tuple{next, max(abs(next - x))};
                                       },
                                       start, 1.0f);
    return result;
  });
  for (const CudaKernel& kernel : kernels) {
    if (kernel.name == "scalar") continue;  // the state at the start
    EXPECT_NE(kernel.text.find("goes_on[0] == 0) return;"), std::string::npos) << kernel.text;
  }
  expect_compile(kernels, generations, true);
}

TEST_F(CudaText, LargeRowsOfTheSemanticsCompile) {
  std::vector<CudaKernel> kernels;
  for (const soac::SemanticsRow& row : soac::semantics_rows())
    bench::add_cuda_kernels(kernels, row.name, soac::parse(row.program, row.name));
  expect_compile(distinct(kernels), generations, false);
}

TEST_F(CudaText, LargeKernelsOfThePublicSuiteCompile) {
  const runtime::test::TemporaryDirectory cache;
  const std::string environment = "FULGURITE_TEST_ENGINE=cuda FULGURITE_CACHE='" + cache.path().string() +
                                  "' LD_LIBRARY_PATH='" FULGURITE_CUDA_STAND_INS "' ";
  int n_tests = 0;
  for (const std::string executable : {FULGURITE_TEST_PUBLIC, FULGURITE_TEST_PUBLIC "_slow"}) {
    // Each test by itself, with a limit of time.
    const std::string list_tests = environment + "timeout 100 " + executable + " --gtest_list_tests > '" +
                                   (cache.path() / "tests").string() + "'";
    ASSERT_EQ(std::system(list_tests.c_str()), 0) << executable;
    std::ifstream list(cache.path() / "tests");
    std::string suite;
    for (std::string line; std::getline(list, line);) {
      if (!line.starts_with("  ")) {
        suite = line.substr(0, line.find(' '));
        continue;
      }
      const std::string name = suite + line.substr(2, line.find(' ', 2) - 2);
      if (name.find("Large") != std::string::npos) continue;
      std::system((environment + "timeout 100 " + executable + " --gtest_filter='" + name + "' > '" +
                   (cache.path() / "log").string() + "' 2>&1")
                      .c_str());
      ++n_tests;
    }
  }
  EXPECT_GE(n_tests, 100);
  std::vector<CudaKernel> kernels;
  runtime::DiskCache disk(cache.path(), std::uint64_t{1} << 30);
  for (const auto& entry : disk.list()) {
    if (entry.kind != runtime::EntryKind::program) continue;
    const plan::Plan plan = plan::parse(disk.read(entry.kind, digest_of(entry.key)).value());
    for (const plan::KernelText& kernel : plan.kernels)
      if (kernel.source.find("__global__") != std::string::npos)  // else it is of a test of another engine
        kernels.push_back({"public", kernel.name, kernel.source, kernel.block_sizes, kernel.shared_bytes});
  }
  kernels = distinct(kernels);
  RecordProperty("kernels", static_cast<int>(kernels.size()));
  EXPECT_GE(kernels.size(), 300U);
  expect_compile(kernels, generations, false);
}

}  // namespace
}  // namespace fulgurite
