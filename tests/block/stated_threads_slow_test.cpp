// Blocks of a stated number of threads.
#include <algorithm>
#include <numeric>

#include "everywhere.h"
#include "programs.h"
#include "refusals.h"

namespace fulgurite {
namespace {

using namespace papers;
using k::Index;
using test::expect_everywhere, test::expect_says, test::numbers, test::refusal;
using Ints = std::vector<int>;

int count(const std::string& text, std::string_view part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}
bool has_condition(const std::string& ir) {
  return ir.find("select(") != ir.npos || ir.find("if ") != ir.npos || ir.find(" when ") != ir.npos;
}

Ints sorted_in_blocks(Ints xs, std::int64_t n) {
  for (auto at = xs.begin(); at != xs.end(); at += n) std::sort(at, at + n);
  return xs;
}

// On OpenCL, whose compiler is slow, where it is asked for.
template <class K>
void expect_on_engines(const Ints& expected, const K& kernel, const Ints& xs, bool on_all) {
  if (on_all) return expect_everywhere(expected, kernel, xs);
  EXPECT_EQ(k::execute(cpu(), kernel, xs).to_vector(), expected);
  for (std::uint64_t seed : {1u, 2u, 3u})
    EXPECT_EQ(k::execute(emulator(seed), kernel, xs).to_vector(), expected);
}

TEST(StatedThreads, SlowASorterOfAnyNumberOfThreads) {
  const Ints xs = numbers(3 * 256);
  for (const std::int64_t threads : {1, 7, 16, 32, 48, 64, 100, 128, 200, 256, 1024}) {
    SCOPED_TRACE(threads);
    const auto kernel = k::kernel("sorter", k::threads(threads), k::block<int>(256), vsort);
    EXPECT_EQ(k::traffic(kernel, xs).threads, std::min<std::int64_t>(threads, 256));
    expect_on_engines(sorted_in_blocks(xs, 256), kernel, xs, threads == 48);
  }
}

TEST(StatedThreads, SlowScansAndReductionsOfAnyNumberOfThreads) {
  const std::int64_t n = 300;
  const Ints xs = numbers(2 * n, 100);
  Ints sums = xs, totals;
  for (auto at = sums.begin(); at != sums.end(); at += n) {
    std::partial_sum(at, at + n, at);
    totals.push_back(at[n - 1]);
  }
  for (const std::int64_t threads : {5, 32, 40, 96}) {
    SCOPED_TRACE(threads);
    const auto with = [&](const auto& f) {
      return k::kernel("it", k::threads(threads), k::block<int>(n), f);
    };
    expect_on_engines(sums, with([](Pull<int> a) { return k::sklansky(plus, a); }), xs, threads == 40);
    expect_on_engines(sums, with([](Pull<int> a) { return k::kogge_stone(plus, a); }), xs, false);
    expect_on_engines(sums, with([](Pull<int> a) { return k::block_scan(plus, a); }), xs, false);
    expect_on_engines(totals, with([](Pull<int> a) { return k::pair_reduce(plus, a); }), xs, false);
  }
}

// Parts of warps, whose barriers are of the block where threads are no whole warps.
TEST(StatedThreads, SlowWarpsOfAnyNumberOfThreads) {
  const Ints xs = numbers(2 * 256);
  const auto in_warps = [](Pull<int> a) { return k::warps(64, vsort, a); };
  for (const std::int64_t threads : {8, 32, 48, 64, 96}) {
    SCOPED_TRACE(threads);
    const auto kernel = k::kernel("warps", k::threads(threads), k::block<int>(256), in_warps);
    expect_on_engines(sorted_in_blocks(xs, 64), kernel, xs, threads == 48);
    EXPECT_EQ(count(k::to_ir(kernel), "sync block") == 0, threads != 48) << k::to_ir(kernel);
  }
}

// Branches and loops, and threads that hold values of several elements, in turns that are loops.
TEST(StatedThreads, SlowBranchesAndManyTurns) {
  const std::int64_t n = 1000;
  const auto halved = [](Pull<int> a) {
    return Push<int>(a.size(), [=](const Push<int>::Write& write) {
      k::par(a.size(), [&](Index i) {
        k::when(a[i] % 2 == 0, [&] { write(i, a[i] / 2); });
        k::when(a[i] % 2 != 0, [&] { write(i, -a[i]); });
      });
    });
  };
  const Ints xs = numbers(2 * n);
  Ints expected;
  for (const int x : xs) expected.push_back(x % 2 == 0 ? x / 2 : -x);
  for (const std::int64_t threads : {3, 32, 64}) {
    const auto kernel = k::kernel("halved", k::threads(threads), k::block<int>(n), halved);
    expect_on_engines(expected, kernel, xs, threads == 3);
    EXPECT_EQ(k::traffic(kernel, xs).threads, threads);
  }
}

// DAMP 2012, section 3.2: the last sync copies with one thread for each of the 16 elements; columns have 8.
TEST(StatedThreads, TheThreadsOfThePapersMerger) {
  const auto merger = [](std::int64_t threads) {
    return k::kernel("bmerge_2", k::threads(threads), k::block<int>(16),
                     [](Pull<int> a) { return bmerge_2(4, a); });
  };
  const std::string of_paper = k::to_ir(merger(16));
  EXPECT_EQ(count(of_paper, "< 8 {"), 4) << of_paper;
  EXPECT_EQ(count(of_paper, "< 16 {"), 1) << of_paper;
  EXPECT_NE(k::to_cuda(merger(16)).find("__launch_bounds__(16)"), std::string::npos);
  const std::string unstated =
      k::to_ir(k::kernel("bmerge_2", k::block<int>(16), [](Pull<int> a) { return bmerge_2(4, a); }));
  EXPECT_EQ(k::to_ir(merger(8)), unstated);
  EXPECT_FALSE(has_condition(k::to_ir(merger(8))));
  // With two pairs for each thread the first two columns join elements of one thread: no barrier is between
  // them, and no array (section 3.6, "the fusion of adjacent columns of comparators").
  const std::string two_pairs = k::to_ir(merger(4));
  EXPECT_FALSE(has_condition(two_pairs));
  EXPECT_EQ(count(two_pairs, "< 4 {"), 4) << two_pairs;
  EXPECT_EQ(count(two_pairs, "alloc shared"), 3);
  EXPECT_EQ(count(unstated, "alloc shared"), 4);
}

// k indices for each thread: the columns of 2^k elements keep their threads, and the last copy has no more.
TEST(StatedThreads, KIndicesForEachThreadKeepTheirThreads) {
  for (const int stages : {1, 2, 3}) {
    const auto columns = [=](Pull<int> a) {
      const auto compare = [](std::vector<Exp<int>> held) {
        std::ranges::reverse(held);
        return held;
      };
      for (int i = 6 - stages; i >= 0; i -= stages) a = k::sync(k::ilv_k(i, stages, compare, a));
      return k::reverse(a);
    };
    const auto kernel = k::kernel("columns", k::block<int>(64), columns);
    const std::string threads = std::to_string(64 >> stages), ir = k::to_ir(kernel);
    EXPECT_EQ(count(ir, "par block"), count(ir, "< " + threads + " {")) << ir;
    EXPECT_FALSE(has_condition(ir)) << ir;
    EXPECT_EQ(k::traffic(kernel, numbers(64)).threads, 64 >> stages);
  }
}

TEST(StatedThreads, WhatIsWrongIsSaid) {
  for (const std::int64_t threads : {-1, 0, 1025})
    expect_says(refusal([&] { k::kernel("it", k::threads(threads), k::block<int>(4), rev_add); }),
                "threads: it has 1 to 1024");
  const auto scans = [](Pull<int> a) {
    return k::warps(32, [](Pull<int> part) { return k::warp_scan(plus, part); }, a);
  };
  expect_says(refusal([&] { k::kernel("it", k::threads(48), k::block<int>(128), scans); }),
              "needs whole warps: 48 threads are no multiple of 32");
  EXPECT_EQ(refusal([&] { k::kernel("it", k::threads(48), k::block<int>(32), scans); }),
            "nothing was refused");
  const Ints xs = numbers(256, 100);
  Ints sums = xs;
  for (auto at = sums.begin(); at != sums.end(); at += 32) std::partial_sum(at, at + 32, at);
  expect_everywhere(sums, k::kernel("it", k::threads(64), k::block<int>(128), scans), xs);
}

}  // namespace
}  // namespace fulgurite
