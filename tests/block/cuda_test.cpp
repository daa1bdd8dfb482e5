// What NVRTC makes of sorters and mergers of 512 elements for sm_90, where it is found, and what the emulator
// counts of them. docs/performance.md has the figures of all (`./dev bench kernels`).
#include <gtest/gtest.h>

#include "../emit/nvrtc.h"
#include "programs.h"

namespace fulgurite {
namespace {

using namespace papers;

template <class F>
auto recorded(F f) {
  return k::kernel("network", k::block<int>(512), f);
}

TEST(PapersCuda, SlowSortersAndMergersNeedNoMemoryOfTheThreads) {
  const test::Nvrtc nvrtc;
  if (!nvrtc.is_there()) GTEST_SKIP() << "there is no libnvrtc.so";
  const auto expect_lean = [&](const char* name, const auto& kernel) {
    const test::Nvrtc::Result result = nvrtc(k::to_cuda(kernel), "sm_90");
    ASSERT_TRUE(result.is_compiled) << result.log;
    const test::PtxasReport report = test::ptxas_report(result.log);
    EXPECT_EQ(report.spill_stores, 0) << name << result.log;
    EXPECT_EQ(report.spill_loads, 0) << name << result.log;
    EXPECT_EQ(report.stack, 0) << name << result.log;
    EXPECT_EQ(report.shared_bytes, 2 * 512 * 4) << name << result.log;
    EXPECT_GT(report.registers, 0);
    EXPECT_LE(report.registers, 32) << name << result.log;  // 2048 threads on a multiprocessor
  };
  expect_lean("tsort_1", recorded(tsort_1));
  expect_lean("tsort_2", recorded(tsort_2));
  expect_lean("vsort_1", recorded(vsort_1));
  expect_lean("vsort", recorded(vsort));
  expect_lean("vsort_r", recorded(vsort_r));
  expect_lean("bmerge", recorded([](Pull<int> a) { return bmerge(9, a); }));
  expect_lean("bmerge_2", recorded([](Pull<int> a) { return bmerge_2(9, a); }));
  expect_lean("tmerge", recorded([](Pull<int> a) { return tmerge(9, a); }));
  expect_lean("tmerge_2", recorded([](Pull<int> a) { return tmerge_2(9, a); }));
  expect_lean("bpmerge_2", recorded([](Pull<int> a) { return bpmerge_2(9, a); }));
}

}  // namespace
}  // namespace fulgurite
