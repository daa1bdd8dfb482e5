// What NVRTC makes of sorters and mergers of 512 elements for sm_90, where it is found, and what the emulator
// counts of them. docs/performance/kernels_of_sorters.csv has the figures of all (`./dev bench kernels`).
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

// What the emulator counts of one block.
template <class F>
k::Traffic counted(F f) {
  return k::traffic(recorded(f), std::vector<int>(512));
}

// A warp of a push kernel joins 32 pairs of elements with one access for the one partners and one for the
// other. Partners that differ in bit b (and perhaps in lower ones): 32 neighbouring pairs lie within 64
// elements if b < 5, and of each bank both words are of one of the accesses: 2 passes instead of 1. If b >= 5
// the elements of an access are 32 neighbours. Pull kernels read and write such neighbours only, in twice as
// many accesses.
std::int64_t forced(int columns, int accesses) {
  constexpr int warps = 256 / 32;
  return std::int64_t{1} * columns * warps * accesses;
}

TEST(PapersCounts, BankConflictsAreThoseOfPartnersInTwoBanks) {
  // How many columns in the nine mergers of vsort have partners less than 32 apart.
  const int of_a_sorter = 1 + 2 + 3 + 4 + 5;
  EXPECT_EQ(counted(vsort).bank_conflicts, forced(of_a_sorter, 4));
  EXPECT_EQ(counted(vsort_r).bank_conflicts, forced(of_a_sorter, 4));
  // In tsort, mergers 1 to 5 have 1 to 5 such columns, the others five each; the first reads global memory.
  EXPECT_EQ(counted(tsort_2).bank_conflicts, forced(1 + 2 + 3 + 4 + 5 + 4 * 5 - 1, 4) + forced(1, 2));
  EXPECT_EQ(counted([](Pull<int> a) { return bmerge_2(9, a); }).bank_conflicts, forced(5, 4));
  EXPECT_EQ(counted([](Pull<int> a) { return tmerge_2(9, a); }).bank_conflicts, forced(5, 4));
  EXPECT_EQ(counted([](Pull<int> a) { return bpmerge_2(9, a); }).bank_conflicts, forced(5, 4));
  for (const auto& f : {vsort_1, tsort_1}) EXPECT_EQ(counted(f).bank_conflicts, 0);
}

TEST(PapersCounts, GlobalMemoryIsReadAndWrittenByNeighbours) {
  for (const auto& f : {vsort, vsort_r, vsort_1, tsort_1}) {
    const k::Traffic t = counted(f);
    EXPECT_EQ(t.transactions, t.least_transactions);
  }
  // A first column of neighbours reads every second element at a time, but not after a sync (2008,
  // section 4.2).
  const k::Traffic apart = counted(tsort_2),
                   together = counted([](Pull<int> a) { return tsort_2(k::sync(a)); });
  EXPECT_EQ(apart.bytes, apart.least_bytes);
  EXPECT_EQ(2 * apart.transactions, 3 * apart.least_transactions);
  EXPECT_EQ(together.transactions, together.least_transactions);
}

TEST(PapersCounts, PushKernelsHaveHalfTheThreads) {
  const auto compare = [](const k::Traffic& push, const k::Traffic& pull) {
    EXPECT_EQ(push.threads, 256);
    EXPECT_EQ(pull.threads, 512);
    EXPECT_EQ(push.idle_lanes, 0);
    EXPECT_EQ(pull.idle_lanes, 0);  // what it chooses, it chooses by value
    EXPECT_LT(3 * push.lanes, 2 * pull.lanes);
  };
  compare(counted(vsort), counted(vsort_1));
  compare(counted(tsort_2), counted(tsort_1));
  compare(counted([](Pull<int> a) { return bmerge_2(9, a); }),
          counted([](Pull<int> a) { return bmerge(9, a); }));
}

}  // namespace
}  // namespace fulgurite
