// Blocks of more elements than a device has threads for: 1024 threads do them in turns.
#include <algorithm>
#include <numeric>

#include "everywhere.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Pull, k::Push;
using test::expect_everywhere, test::numbers;
using Ints = std::vector<int>;

TEST(BigBlocks, HaveAtMost1024Threads) {
  for (const std::int64_t n : {1024, 1025, 1500, 4096, 5000}) {
    SCOPED_TRACE(n);
    const auto kernel = k::kernel("reversed", k::block<int>(n), [](Pull<int> a) {
      return k::reverse(k::sync(k::map([](Exp<int> x) { return x + 1; }, a)));
    });
    const Ints xs = numbers(2 * n);
    Ints expected;
    for (std::size_t b = 0; b < 2; ++b)
      for (std::int64_t i = n - 1; i >= 0; --i)
        expected.push_back(xs[b * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)] + 1);
    expect_everywhere(expected, kernel, xs);
    EXPECT_EQ(k::traffic(kernel, xs).threads, 1024);
    EXPECT_NE(k::to_cuda(kernel).find("__launch_bounds__(1024)"), std::string::npos) << k::to_cuda(kernel);
  }
}

TEST(BigBlocks, ReduceScanAndSort) {
  const std::int64_t n = 4096;
  const Ints xs = numbers(n);
  expect_everywhere(Ints{std::accumulate(xs.begin(), xs.end(), 0)},
                    k::kernel("sum", k::block<int>(n), [](Pull<int> a) { return k::tree_reduce(plus, a); }),
                    xs);
  Ints sums(xs.size());
  std::inclusive_scan(xs.begin(), xs.end(), sums.begin());
  expect_everywhere(
      sums, k::kernel("scan", k::block<int>(n), [](Pull<int> a) { return k::block_scan(plus, a); }), xs);
}

TEST(BigBlocks, ExchangeInWarps) {
  const std::int64_t n = 2048 + 64;
  const auto kernel = k::kernel("warps", k::block<int>(n), [](Pull<int> a) {
    return k::warps(32, [](Pull<int> part) { return k::warp_scan(plus, part); }, a);
  });
  const Ints xs = numbers(n, 100);
  Ints expected(xs.size());
  for (auto at = 0; at < n; at += 32)
    std::inclusive_scan(xs.begin() + at, xs.begin() + at + 32, expected.begin() + at);
  expect_everywhere(expected, kernel, xs);
}

TEST(BigBlocks, BranchAndHaveArraysOfTheirThreads) {
  const std::int64_t n = 3000;
  const auto kernel = k::kernel("branches", k::block<int>(n), [=](Pull<int> a) {
    return Push<int>(n, [=](const Push<int>::Write& write) {
      k::par(n, [&](Index i) {
        const Pull<int> mine = k::sync(
            k::push<k::Level::thread>(Pull<int>(3, [=](const Index& j) { return a[i] * cast<int>(j); })));
        k::when(a[i] % 2 == 0, [&] { write(i, mine[2]); });
        k::when(a[i] % 2 != 0, [&] { write(i, mine[cast<std::int64_t>(a[i] % 3)]); });
      });
    });
  });
  const Ints xs = numbers(n);
  Ints expected;
  for (int x : xs) expected.push_back(x % 2 == 0 ? 2 * x : x * (x % 3));
  expect_everywhere(expected, kernel, xs);
}

}  // namespace
}  // namespace fulgurite
