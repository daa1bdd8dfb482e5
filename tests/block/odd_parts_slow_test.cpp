// Patterns on arrays that cannot be dealt evenly: parts of two sizes, whose barriers are one.
#include <algorithm>
#include <functional>
#include <numeric>

#include "everywhere.h"
#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Pull, k::Push;
using test::expect_says, test::numbers, test::refusal;
using Ints = std::vector<int>;

int count(const std::string& text, std::string_view part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

const auto turned = [](Pull<int> a) { return k::sync(k::reverse(a)); };
const auto turned_push = [](Pull<int> a) { return k::push(k::reverse(k::sync(a))); };

// A scan as the 2008 paper writes it (section 2), for any size.
Pull<int> scan(Pull<int> a) {
  if (a.size() == 1) return a;
  const Pull<int> both = k::two(scan, a);
  const auto halves = k::halve(both);
  const Pull<int> low = halves.first;
  const auto fan = [low](Exp<int> x) { return low[low.size() - 1] + x; };
  return k::sync(k::conc_p(low, k::map(fan, halves.second)));
}

// Sizes of the parts of `size` elements in n parts.
std::vector<std::size_t> part_sizes(std::size_t size, std::size_t n) {
  std::vector<std::size_t> sizes;
  for (std::size_t part = 0; part < n; ++part) sizes.push_back(size / n + (part < size % n ? 1 : 0));
  return sizes;
}

// OpenCL's compiler is slow: one size is all.
template <class K>
void expect_on_engines(const Ints& expected, const K& kernel, const Ints& xs, bool on_all) {
  if (on_all) return test::expect_everywhere(expected, kernel, xs);
  EXPECT_EQ(k::execute(cpu(), kernel, xs).to_vector(), expected);
  for (std::uint64_t seed : {1u, 2u, 3u})
    EXPECT_EQ(k::execute(emulator(seed), kernel, xs).to_vector(), expected);
}

TEST(OddParts, SlowHalvesAndPartsOfNeighbours) {
  for (const int bits : {1, 2, 3}) {
    for (const std::int64_t n : {8, 9, 11, 15, 37, 65}) {
      SCOPED_TRACE(testing::Message() << n << " in 2^" << bits);
      const Ints xs = numbers(3 * n);
      Ints expected;
      auto at = xs.begin();
      for (int block = 0; block < 3; ++block)
        for (const std::size_t size : part_sizes(static_cast<std::size_t>(n), std::size_t{1} << bits)) {
          const auto end = at + static_cast<std::ptrdiff_t>(size);
          expected.insert(expected.end(), std::reverse_iterator(end), std::reverse_iterator(at));
          at = end;
        }
      const auto with = [&](const auto& f) {
        return k::kernel("parts", k::block<int>(n), [=](Pull<int> a) { return k::two_k(bits, f, a); });
      };
      expect_on_engines(expected, with(turned), xs, n == 37 && bits == 2);
      expect_on_engines(expected, with(turned_push), xs, n == 37 && bits == 2);
    }
  }
}

TEST(OddParts, SlowInterleavedParts) {
  for (const int bits : {1, 2, 3}) {
    for (const std::int64_t n : {8, 9, 11, 15, 37, 65}) {
      SCOPED_TRACE(testing::Message() << n << " in 2^" << bits);
      const Ints xs = numbers(2 * n);
      Ints expected(xs.size());
      const auto size = static_cast<std::size_t>(n), apart = std::size_t{1} << bits;
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const std::size_t block = i / size * size, part = i % size % apart, in_part = i % size / apart;
        const std::size_t last = part_sizes(size, apart)[part] - 1;
        expected[i] = xs[block + (last - in_part) * apart + part];
      }
      const auto with = [&](const auto& f) {
        return k::kernel("parts", k::block<int>(n), [=](Pull<int> a) { return k::ilv(bits, f, a); });
      };
      expect_on_engines(expected, with(turned), xs, n == 37 && bits == 2);
      expect_on_engines(expected, with(turned_push), xs, n == 37 && bits == 2);
    }
  }
}

TEST(OddParts, SlowAScanOfHalvesOfAnySize) {
  for (std::int64_t n = 1; n <= 40; ++n) {
    const Ints xs = numbers(2 * n, 100);
    Ints expected = xs;
    for (auto at = expected.begin(); at != expected.end(); at += n) std::partial_sum(at, at + n, at);
    const auto kernel = k::kernel("scan", k::block<int>(n), scan);
    expect_on_engines(expected, kernel, xs, n == 37);
  }
}

TEST(OddParts, SlowTheLastRunOfWarpsMayBeShorter) {
  const auto sums = [](Pull<int> part) { return k::pair_reduce(plus, part); };
  for (const std::int64_t n : {20, 32, 33, 64, 70, 100}) {
    SCOPED_TRACE(n);
    const auto kernel =
        k::kernel("runs", k::block<int>(n), [&](Pull<int> a) { return k::warps(32, sums, a); });
    const Ints xs = numbers(2 * n, 100);
    Ints expected;
    for (std::int64_t block = 0; block < 2; ++block)
      for (std::int64_t at = 0; at < n; at += 32)
        expected.push_back(std::accumulate(xs.begin() + block * n + at,
                                           xs.begin() + block * n + std::min<std::int64_t>(n, at + 32), 0));
    expect_on_engines(expected, kernel, xs, n == 70);
    EXPECT_EQ(count(k::to_ir(kernel), "sync block"), 0);
  }
}

// The syncs of both halves are one.
TEST(OddParts, BarriersAreShared) {
  const auto syncs = [](std::int64_t n) {
    const std::string ir = k::to_ir(k::kernel("scan", k::block<int>(n), scan));
    EXPECT_EQ(ir.find("if "), ir.npos) << ir;
    EXPECT_EQ(ir.find("select("), ir.npos) << ir;
    return count(ir, "sync ");
  };
  EXPECT_EQ(syncs(64), 5);  // the last stage writes the result
  // A stage for each bit; threads that copy the result read what others wrote.
  for (const std::int64_t n : {33, 45, 63}) EXPECT_EQ(syncs(n), 6) << n;
  const auto thrice = [](Pull<int> a) { return turned(turned(turned(a))); };
  const std::string ir = k::to_ir(
      k::kernel("it", k::block<int>(255), [&](Pull<int> a) { return k::reverse(k::two(thrice, a)); }));
  EXPECT_EQ(count(ir, "sync block"), 3) << ir;
}

// One half waits more often than the other, in loops, too.
TEST(OddParts, ComponentsMayDifferInTheirSteps) {
  const auto by_size = [](Pull<int> a) {
    if (a.size() % 2 == 0) return k::iterate(a.size() / 2, [](Pull<int> x) { return k::reverse(x); }, a);
    return turned(turned(turned(a)));
  };
  for (const std::int64_t n : {5, 7, 9, 71}) {
    const auto kernel =
        k::kernel("it", k::block<int>(n), [&](Pull<int> a) { return k::reverse(k::two(by_size, a)); });
    const Ints xs = numbers(n);
    const auto border = xs.begin() + (n + 1) / 2;
    Ints expected = xs;
    const auto turn = [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t size = end - begin;
      if ((size % 2 == 0 ? size / 2 : 3) % 2 == 1)
        std::reverse(expected.begin() + begin, expected.begin() + end);
    };
    turn(0, border - xs.begin());
    turn(border - xs.begin(), n);
    std::ranges::reverse(expected);
    EXPECT_EQ(k::execute(cpu(), kernel, xs).to_vector(), expected) << n;
    for (std::uint64_t seed = 0; seed < test::n_seeds; ++seed)
      EXPECT_EQ(k::execute(emulator(seed), kernel, xs).to_vector(), expected) << n;
  }
}

TEST(OddParts, WhatCannotBeDealtIsRefused) {
  const auto with = [](std::int64_t n, const auto& f) {
    return refusal([&] { k::kernel("it", k::block<int>(n), f); });
  };
  expect_says(with(1, [](Pull<int> a) { return k::two(turned, a); }),
              "a pattern of 2 parts needs as many elements: the array has 1");
  expect_says(with(1, [](Pull<int> a) { return k::two(turned, a); }), "odd_parts_slow_test.cpp");
  expect_says(with(3, [](Pull<int> a) { return k::ilv(2, turned, a); }), "a pattern of 4 parts");
  const auto square = [](Pull<int> a) {
    return Pull<int>(a.size() * a.size(), [a](Index i) { return a[i % a.size()]; });
  };
  expect_says(with(7, [&](Pull<int> a) { return k::ilv(1, square, a); }),
              "do not interleave: they have 16 and 9 elements, of parts of 4 and 3");
  const auto of_neighbours = with(7, [&](Pull<int> a) { return k::two(square, a); });
  EXPECT_EQ(of_neighbours, "nothing was refused");
}

}  // namespace
}  // namespace fulgurite
