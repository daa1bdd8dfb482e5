// The papers' programs: what their kernels look like, and that they compute what plain C++ does.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "../runtime/pocl.h"
#include "programs.h"

namespace fulgurite {
namespace {

using namespace papers;

int count(const std::string& text, std::string_view part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}
bool has_condition(const std::string& ir) {
  return ir.find("select(") != ir.npos || ir.find("if ") != ir.npos || ir.find(" when ") != ir.npos;
}

// Where the lines of two descriptions differ, the code may still be the same.
std::string without_lines(const std::string& ir) {
  std::string text;
  bool at_start = true;
  for (std::size_t i = 0; i < ir.size(); ++i) {
    if (at_start && std::isdigit(static_cast<unsigned char>(ir[i])) != 0) {
      while (ir[i] != ':') ++i;
      ++i;
      at_start = false;
      continue;
    }
    at_start = ir[i] == '\n' || (at_start && ir[i] == ' ');
    text += ir[i];
  }
  return text;
}

template <class F>
auto recorded(const char* name, std::int64_t n, const F& f) {
  return k::kernel(name, k::block<int>(n), f);
}
template <class F>
std::string ir_of(std::int64_t n, const F& f) {
  return without_lines(k::to_ir(recorded("it", n, f)));
}

TEST(Papers, MapsFuse) {
  const std::string fused = ir_of(32, map_fusion);
  EXPECT_EQ(count(fused, "alloc"), 0);
  EXPECT_EQ(count(fused, "sync"), 0);
  EXPECT_EQ(count(fused, "load"), 1);
  const std::string unfused = ir_of(32, map_unfused);
  EXPECT_EQ(count(unfused, "sync"), 0);  // each thread reads what it wrote: nothing is ordered
  EXPECT_EQ(count(unfused, "load"), 1);  // and nothing needs to be in memory
  const std::string turned =
      ir_of(64, [](Pull<int> a) { return map_fusion(k::reverse(k::sync(map_fusion(a)))); });
  EXPECT_EQ(count(turned, "alloc shared"), 1);
  EXPECT_EQ(count(turned, "sync block"), 1);
}

TEST(Papers, ReductionsHalveTheirThreads) {
  const std::string tree = ir_of(8, tree_sum);
  for (const char* par : {"tid < 4", "tid_1 < 2", "tid_2 < 1"}) EXPECT_EQ(count(tree, par), 1) << tree;
  EXPECT_EQ(count(tree, "sync warp"), 2) << tree;  // of 8 elements: all in a warp; the last is one thread's
  EXPECT_EQ(count(ir_of(512, tree_sum), "sync block"), 3);  // 256, 128 and 64 sums; 32 are one warp's
  const std::string sequential = ir_of(8, reduce_s);
  EXPECT_EQ(count(sequential, "par block tid < 1"), 1);
  EXPECT_EQ(count(sequential, "load"), 8);
  EXPECT_EQ(count(sequential, "alloc"), 0);
}

TEST(Papers, PushArraysNeedNoConditionsAndHalfTheThreads) {
  const auto two_arrays = [](const auto& f) {
    return without_lines(k::to_ir(k::kernel("it", k::block<int>(16), k::block<int>(16), f)));
  };
  const std::string cat = two_arrays(cat_arrays), cat_p = two_arrays(cat_arrays_p);
  EXPECT_TRUE(has_condition(cat));
  EXPECT_EQ(count(cat, "tid < 32"), 1);
  EXPECT_FALSE(has_condition(cat_p));
  EXPECT_EQ(count(cat_p, "par block"), 1);
  EXPECT_EQ(count(cat_p, "tid < 16"), 1);
  const std::string zip = two_arrays(zip_unpair), zip_p = two_arrays(zip_unpair_p);
  EXPECT_TRUE(has_condition(zip));
  EXPECT_FALSE(has_condition(zip_p));
  EXPECT_EQ(count(zip_p, "par block tid < 16"), 1);
}

TEST(Papers, ABitonicMergerHasTwoBuffersInTurn) {
  const std::string merger = ir_of(16, [](Pull<int> a) { return bmerge(4, a); });
  EXPECT_EQ(count(merger, "alloc shared"), 3);  // the last stage's results need none
  EXPECT_EQ(count(merger, "at 0\n"), 2) << merger;
  EXPECT_EQ(count(merger, "at 64\n"), 1);
  EXPECT_EQ(count(merger, "par block"), 4);  // a thread writes the result that it has computed
}

TEST(Papers, SortersOfPushArrays) {
  for (const auto& f : {tsort_2, vsort}) {
    const std::string sorter = ir_of(512, f);
    EXPECT_FALSE(has_condition(sorter));
    EXPECT_EQ(count(sorter, "< 256 {"), 46);  // and the result, in two turns
    EXPECT_EQ(count(sorter, "< 512 {"), 0);
  }
  for (const auto& f : {tsort_1, vsort_1}) EXPECT_EQ(count(ir_of(512, f), "< 512 {"), 45);
}

// The appendix's sort: a thread for each element in all 45 columns, a condition for who of two acts and one
// for the direction. What is generated from `vsort` has half the threads and neither.
TEST(Papers, TheHandwrittenSortHasConditionsAndAThreadForEachElement) {
  const std::string by_hand = ir_of(512, bitonic);
  EXPECT_EQ(count(by_hand, "< 512 {"), 45 + 2) << by_hand;  // the copies in and out
  EXPECT_EQ(count(by_hand, "if "), 45);
  EXPECT_TRUE(has_condition(by_hand));
  EXPECT_FALSE(has_condition(ir_of(512, vsort)));
  const std::vector<int> xs(2048, 1);
  const auto hand = k::traffic(recorded("hand", 512, bitonic), xs),
             push = k::traffic(recorded("push", 512, vsort), xs);
  EXPECT_EQ(hand.threads, 512);
  EXPECT_EQ(push.threads, 256);
  EXPECT_GT(hand.idle_lanes, 0);
  EXPECT_EQ(push.idle_lanes, 0);
  EXPECT_LT(push.lanes, hand.lanes);
}

TEST(Papers, SortersOnTheCpuTouchNeighbours) {
  for (const auto& f : {tsort_2, vsort, vsort_r}) {
    const std::string c = k::to_c(recorded("it", 512, f));
    EXPECT_GE(count(c, "fg_min_i32_x"), 45);
    for (const char* apart : {"gather", "scatter", "strided"}) EXPECT_EQ(count(c, apart), 0) << apart;
  }
  // The network has more elements than a block has threads.
  const std::string large = k::to_c(recorded("it", 4096, vsort));
  for (const char* apart : {"gather", "scatter", "strided"}) EXPECT_EQ(count(large, apart), 0) << apart;
}

TEST(Papers, RecursiveSortersAreIterativeOnes) {
  for (std::int64_t n : {2, 4, 8, 32, 64, 512}) EXPECT_EQ(ir_of(n, vsort_r), ir_of(n, vsort)) << n;
}

TEST(Papers, SklanskyHasAStageForEachBit) {
  for (int bits = 1; bits <= 9; ++bits) {
    const std::string scan = ir_of(std::int64_t{1} << bits, scan_add);
    EXPECT_FALSE(has_condition(scan)) << scan;
    const int arrays = bits == 1 ? 1 : bits - 1;  // the last stage writes the result
    EXPECT_EQ(count(scan, "sync"), arrays) << scan;
    EXPECT_EQ(count(scan, "alloc shared"), arrays);
    const int in_first = count(scan, "] at 0\n"), bytes = (1 << bits) * 4;
    EXPECT_EQ(count(scan, "] at " + std::to_string((bytes + 15) / 16 * 16) + "\n"), arrays - in_first)
        << scan;
  }
}

// What the emulator counts.

TEST(Papers, PushKernelsHaveFewerIdleLanesAndNoMoreTraffic) {
  const std::vector<int> xs(2048, 1);
  const auto pull = k::traffic(recorded("pull", 512, vsort_1), xs),
             push = k::traffic(recorded("push", 512, vsort), xs);
  EXPECT_LT(push.lanes, pull.lanes);
  EXPECT_LE(push.idle_lanes, pull.idle_lanes);
  for (const k::Traffic& t : {pull, push}) {
    EXPECT_EQ(t.least_bytes, 2 * 2048 * 4);
    EXPECT_EQ(t.shared_bytes, 2 * 512 * 4);
  }
  // Each element is read and written once, in whole transactions.
  EXPECT_EQ(push.bytes, push.least_bytes);
  EXPECT_EQ(push.transactions, push.least_transactions);
}

// What is computed.

std::vector<int> numbers(std::int64_t n, int below, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> xs(static_cast<std::size_t>(n));
  for (int& x : xs) x = static_cast<int>(random() % static_cast<unsigned>(below)) - below / 4;
  return xs;
}

bool has_opencl() {
  static const bool has = [] {
    runtime::test::prepare_pocl();
    try {
      k::execute(opencl(), recorded("probe", 1, map_fusion), std::vector<int>{1});
      return true;
    } catch (const DeviceError&) {
      return false;
    }
  }();
  return has;
}

constexpr std::int64_t largest = 512;
constexpr std::uint64_t seeds = 6;

template <class F, class Reference>
void expect_blocks(std::int64_t n, const F& f, Reference&& reference) {
  if (n > largest) return;
  const auto kernel = recorded("it", n, f);
  for (std::int64_t blocks : {0, 1, 3, 70}) {
    const std::vector<int> xs = numbers(n * blocks, 1000, static_cast<unsigned>(n));
    std::vector<int> expected;
    for (auto at = xs.begin(); at != xs.end(); at += n) {
      const std::vector<int> part = reference(std::vector<int>(at, at + n));
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_EQ(k::execute(cpu(), kernel, xs).to_vector(), expected) << n << " x " << blocks;
    if (blocks == 70 && (n == 37 || n == 64) && has_opencl()) {  // its compiler is slow: two sizes are all
      EXPECT_EQ(k::execute(opencl(), kernel, xs).to_vector(), expected) << n << " x " << blocks;
    }
    if (blocks > 3) continue;  // the emulator proves them, in several orders of threads
    for (std::uint64_t seed = 0; seed < seeds; seed += n > 100 ? 7 : 1)
      EXPECT_EQ(k::execute(emulator(seed), kernel, xs).to_vector(), expected) << n << " x " << blocks;
  }
}

std::vector<int> sorted(std::vector<int> xs) {
  std::ranges::sort(xs);
  return xs;
}
std::vector<int> scanned(std::vector<int> xs) {
  std::inclusive_scan(xs.begin(), xs.end(), xs.begin());
  return xs;
}
std::vector<int> summed(const std::vector<int>& xs) {
  return {std::accumulate(xs.begin(), xs.end(), 0)};
}

TEST(Papers, MapsCompute) {
  const auto twice_and_one = [](std::vector<int> xs) {
    for (int& x : xs) x = x * 2 + 1;
    return xs;
  };
  expect_blocks(32, map_fusion, twice_and_one);
  expect_blocks(32, map_unfused, twice_and_one);
  expect_blocks(256, rev_add, [](std::vector<int> xs) {
    std::ranges::reverse(xs);
    for (int& x : xs) ++x;
    return xs;
  });
}

TEST(Papers, ReductionsAndScansCompute) {
  for (std::int64_t n : {1, 2, 8, 64, 512}) {
    expect_blocks(n, tree_sum, summed);
    expect_blocks(n, pair_sum, summed);
    expect_blocks(n, scan_add, scanned);
    expect_blocks(n, scan_add_2, scanned);
    expect_blocks(n, [](Pull<int> a) { return k::kogge_stone(plus, a); }, scanned);
    expect_blocks(n, [](Pull<int> a) { return k::brent_kung(plus, a); }, scanned);
  }
  expect_blocks(8, reduce_s, summed);
  for (std::int64_t n : {3, 5, 7, 10, 37, 100}) {
    expect_blocks(n, pair_sum, summed);
    expect_blocks(n, scan_add, scanned);
    expect_blocks(n, [](Pull<int> a) { return k::kogge_stone(plus, a); }, scanned);
    expect_blocks(n, [](Pull<int> a) { return k::brent_kung(plus, a); }, scanned);
  }
}

TEST(Papers, SortersSort) {
  for (std::int64_t n : {2, 4, 16, 64, 512}) {
    for (const auto& f : {tsort_1, tsort_2, vsort_1, vsort, vsort_r, bitonic}) expect_blocks(n, f, sorted);
  }
  expect_blocks(256, periodic, sorted);
}

TEST(Papers, MergersActOnPartsOfALongerInput) {
  const auto parts = [](std::vector<int> xs) {
    for (std::size_t at = 0; at < xs.size(); at += 16) {
      std::sort(xs.begin() + static_cast<std::ptrdiff_t>(at),
                xs.begin() + static_cast<std::ptrdiff_t>(at) + 16);
    }
    return xs;
  };
  const auto bitonic = [](Pull<int> a) {  // makes its input one that bmerge sorts
    const Pull<int> pieces = k::two_k(3, [](Pull<int> half) { return vsort(half); }, a);
    const Pull<int> turned =
        k::ix_map([](k::Index i) { return select((i & 8) == 0, i, i ^ k::Index(7)); }, pieces);
    return bmerge_2(4, turned);
  };
  expect_blocks(64, bitonic, parts);
}

// Each thread of the result counts what its operands' order was: string concatenation in numbers.
TEST(Papers, OrderIsKeptWhereTheOperatorDoesNotCommute) {
  using Affine = std::pair<std::int32_t, std::int32_t>;  // x -> first * x + second
  const auto after = [](Exp<Affine> f, Exp<Affine> g) {
    return make<Affine>(f.get<0>() * g.get<0>(), g.get<0>() * f.get<1>() + g.get<1>());
  };
  const auto check = [&](std::int64_t n, const auto& scan, bool all) {
    const auto kernel = k::kernel("affine", k::block<Affine>(n), scan);
    std::vector<Affine> xs;
    std::mt19937 random(3);
    for (std::int64_t i = 0; i < 5 * n; ++i)
      xs.emplace_back(static_cast<int>(random() % 7) * 2 + 1, static_cast<int>(random() % 100));
    const auto results = k::execute(cpu(), kernel, xs);
    const auto proved = k::execute(emulator(5), kernel, xs);
    EXPECT_TRUE(std::equal(results.begin(), results.end(), proved.begin()));
    std::size_t next = 0;
    for (std::int64_t b = 0; b < 5; ++b) {
      std::uint32_t a = 1, c = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto [p, q] = xs[static_cast<std::size_t>(b * n + i)];
        a *= static_cast<std::uint32_t>(p);
        c = c * static_cast<std::uint32_t>(p) + static_cast<std::uint32_t>(q);
        if (!all && i + 1 < n) continue;
        const Affine expected(static_cast<int>(a), static_cast<int>(c));
        EXPECT_EQ(results[static_cast<std::int64_t>(next++)], expected) << n << " " << b << " " << i;
      }
    }
  };
  for (std::int64_t n : {1, 2, 7, 16, 31, 64}) {
    check(n, [&](Pull<Affine> a) { return k::sklansky(after, a); }, true);
    check(n, [&](Pull<Affine> a) { return k::kogge_stone(after, a); }, true);
    check(n, [&](Pull<Affine> a) { return k::brent_kung(after, a); }, true);
    check(n, [&](Pull<Affine> a) { return k::pair_reduce(after, a); }, false);
    check(n, [&](Pull<Affine> a) { return k::block_reduce(after, a); }, false);
  }
}

}  // namespace
}  // namespace fulgurite
