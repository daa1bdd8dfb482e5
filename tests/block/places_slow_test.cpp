// Arrays of a block in shared or in global memory, as the user says: the library's networks, scans, loops and
// filters at both places.
#include <algorithm>
#include <functional>
#include <numeric>

#include "../emit/nvrtc.h"
#include "everywhere.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Place, k::Pull;
using test::numbers;
using Ints = std::vector<int>;

constexpr std::int64_t n = 96;  // elements of a block

int count(const std::string& text, std::string_view part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// f(a, place) of blocks of `size`: what plain C++ makes of each; no array at the other place. On OpenCL,
// whose compiler is slow, in global memory.
template <class F, class Reference>
void expect_at_both(const F& f, const Reference& reference, std::int64_t size = n) {
  const Ints xs = numbers(3 * size, 100);
  Ints expected;
  for (auto at = xs.begin(); at != xs.end(); at += size) {
    const Ints part = reference(Ints(at, at + size));
    expected.insert(expected.end(), part.begin(), part.end());
  }
  const auto made = [&](Place place) {
    return k::kernel("it", k::block<int>(size), [&](Pull<int> a) { return f(a, place); });
  };
  const auto shared = made(Place::shared), global = made(Place::global);
  EXPECT_GT(count(k::to_ir(shared), "alloc shared"), 0);
  EXPECT_EQ(count(k::to_ir(shared), "scratch"), 0);
  EXPECT_EQ(count(k::to_ir(global), "alloc shared"), 0) << k::to_ir(global);
  EXPECT_GT(count(k::to_ir(global), "out scratch"), 0);
  EXPECT_EQ(count(k::to_ir(shared), "sync "), count(k::to_ir(global), "sync "));  // the same threads wait
  for (const std::uint64_t seed : {1u, 2u})
    EXPECT_EQ(k::execute(emulator(seed), shared, xs).to_vector(), expected);
  test::expect_everywhere(expected, global, xs);
}

Ints running_sums(Ints xs) {
  std::partial_sum(xs.begin(), xs.end(), xs.begin());
  return xs;
}
Ints sum_of(const Ints& xs) {
  return {std::accumulate(xs.begin(), xs.end(), 0)};
}
Ints sorted(Ints xs) {
  std::ranges::sort(xs);
  return xs;
}

TEST(Places, SlowScans) {
  expect_at_both([](Pull<int> a, Place p) { return k::sklansky(plus, a, p); }, running_sums);
  expect_at_both([](Pull<int> a, Place p) { return k::kogge_stone(plus, a, p); }, running_sums);
  expect_at_both([](Pull<int> a, Place p) { return k::brent_kung(plus, a, p); }, running_sums);
  expect_at_both([](Pull<int> a, Place p) { return k::block_scan(plus, a, p); }, running_sums);
}

TEST(Places, SlowReductions) {
  expect_at_both([](Pull<int> a, Place p) { return k::pair_reduce(plus, a, p); }, sum_of);
  expect_at_both([](Pull<int> a, Place p) { return k::tree_reduce(plus, a, p); }, sum_of, 128);
  expect_at_both([](Pull<int> a, Place p) { return k::block_reduce(plus, a, true, p); }, sum_of, 128);
}

TEST(Places, SlowSortersAndParts) {
  const auto sorter = [](Pull<int> a, Place p) {
    const int bits = k::log2(a.size());
    for (int i = 1; i <= bits; ++i)
      for (int j = 1; j <= i; ++j) a = k::sync(k::ilv_vee(bits - i, i - j, min, max, a), p);
    return a;
  };
  expect_at_both(sorter, sorted, 64);
  const auto compare = [](Exp<int> x, Exp<int> y) { return std::pair(min(x, y), max(x, y)); };
  const auto by_neighbours = [=](Pull<int> a, Place p) { return k::reverse(k::shex(1, compare, a, p)); };
  expect_at_both(by_neighbours, [](const Ints& xs) {
    Ints all;
    for (std::size_t i = 0; i < xs.size() / 2; ++i) {
      const int x = xs[i], y = xs[i + xs.size() / 2];
      all.push_back(std::min(x, y));
      all.push_back(std::max(x, y));
    }
    std::ranges::reverse(all);
    return all;
  });
  const auto halves = [](Pull<int> a, Place p) {
    return k::two([p](Pull<int> half) { return k::sklansky(plus, half, p); }, a);
  };
  expect_at_both(
      halves,
      [](Ints xs) {
        std::partial_sum(xs.begin(), xs.begin() + 49, xs.begin());
        std::partial_sum(xs.begin() + 49, xs.end(), xs.begin() + 49);
        return xs;
      },
      97);
}

TEST(Places, SlowLoopsFiltersAndHistograms) {
  const auto rounds = [](Pull<int> a, Place p) {
    return k::iterate(3, [](Pull<int> x) { return k::reverse(x); }, a, p);
  };
  const auto reversed = [](Ints xs) {
    std::ranges::reverse(xs);
    return xs;
  };
  expect_at_both(rounds, reversed);
  const auto until = [](Pull<int> a, Place p) {
    return k::while_loop([](Index round, Pull<int>) { return round < 3; },
                         [](Index, Pull<int> x) { return k::reverse(x); }, a, p);
  };
  expect_at_both(until, reversed);
  const auto odd = [](Pull<int> a, Place p) {
    return k::filled(-1, k::filter([](Exp<int> x) { return x % 2 != 0; }, a, p));
  };
  expect_at_both(odd, [](const Ints& xs) {
    Ints kept;
    std::ranges::copy_if(xs, std::back_inserter(kept), [](int x) { return x % 2 != 0; });
    kept.resize(xs.size(), -1);
    return kept;
  });
  expect_at_both([](Pull<int> a, Place p) { return k::block_histogram(10, a, p); },
                 [](const Ints& xs) {
                   Ints counts(10);
                   for (const int x : xs)
                     if (x < 10) ++counts[static_cast<std::size_t>(x)];
                   return counts;
                 });
  expect_at_both([](Pull<int> a, Place p) { return k::block_transpose(8, 12, a, p); },
                 [](const Ints& xs) {
                   Ints turned;
                   for (std::size_t column = 0; column < 12; ++column)
                     for (std::size_t row = 0; row < 8; ++row) turned.push_back(xs[row * 12 + column]);
                   return turned;
                 });
}

// 2008, figure 4: both arrays in global memory. Another thread reads what was reversed once more.
TEST(Places, SlowTheArraysOfRevAdd) {
  const auto rev_add = [](Pull<int> a, Place p) {
    const Pull<int> turned = k::sync(k::reverse(a), p);
    return k::reverse(k::sync(k::map([](Exp<int> x) { return x + 1; }, turned), p));
  };
  expect_at_both(rev_add, [](Ints xs) {
    for (int& x : xs) ++x;
    return xs;
  });
}

// One kernel may have both: what does not fit where threads share it lies in global memory.
TEST(Places, SlowBothInOneKernel) {
  const std::int64_t size = 1 << 15;
  const auto kernel = k::kernel("large", k::block<int>(size), [](Pull<int> a) {
    const Pull<int> sums = k::sklansky(plus, a, Place::global);
    return k::sync(Pull<int>(64, [=](Index i) { return sums[(63 - i) * (sums.size() / 64)]; }),
                   Place::shared);
  });
  const Ints xs = numbers(size, 100), sums = running_sums(xs);
  Ints expected;
  for (std::size_t i = 0; i < 64; ++i) expected.push_back(sums[(63 - i) * (xs.size() / 64)]);
  EXPECT_EQ(k::execute(cpu(), kernel, xs).to_vector(), expected);
  EXPECT_EQ(k::execute(emulator(1), kernel, xs).to_vector(), expected);
}

TEST(Places, SlowNvrtcCompilesIt) {
  const test::Nvrtc nvrtc;
  if (!nvrtc.is_there()) GTEST_SKIP() << "there is no libnvrtc.so";
  const auto kernel = k::kernel("scan", k::block<float>(512),
                                [](Pull<float> a) { return k::sklansky(plus, a, Place::global); });
  const test::Nvrtc::Result result = nvrtc(k::to_cuda(kernel), "sm_90");
  EXPECT_TRUE(result.is_compiled) << result.log << k::to_cuda(kernel);
}

}  // namespace
}  // namespace fulgurite
