// Elements that many threads change: every operation and type, in shared memory and over all blocks.
#include <algorithm>
#include <numeric>

#include "everywhere.h"
#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Accumulated, k::Index, k::Pull;
using test::numbers, test::expect_everywhere, test::expect_says, test::refusal;

constexpr std::int64_t bins = 7;
constexpr std::int64_t n_of_block = 96;

// a[i] changes element a[i] % 9 of 7, by values of type T.
template <class T, class Op, class Reference>
void expect_changes(const Op& op, T initial, const Reference& reference, std::int64_t blocks) {
  const std::vector<int> xs = numbers(n_of_block * blocks);
  const auto changes = [=](Pull<int> a) {
    return k::accumulate(op, bins, initial, k::map([](Exp<int> x) { return x % 9; }, a),
                         k::map([](Exp<int> x) { return cast<T>(x % 100); }, a));
  };
  const auto of = [&](std::int64_t first, std::int64_t last) {
    std::vector<T> made(bins, initial);
    for (std::int64_t i = first; i < last; ++i)
      if (const auto x = xs[static_cast<std::size_t>(i)]; x % 9 < bins) {
        T& bin = made[static_cast<std::size_t>(x % 9)];
        bin = reference(bin, static_cast<T>(x % 100));
      }
    return made;
  };
  expect_everywhere(of(0, n_of_block * blocks), k::kernel("all", k::block<int>(n_of_block), changes), xs);
  std::vector<T> by_block;
  for (std::int64_t b = 0; b < blocks; ++b)
    for (T x : of(b * n_of_block, (b + 1) * n_of_block)) by_block.push_back(x);
  expect_everywhere(
      by_block,
      k::kernel("each", k::block<int>(n_of_block), [=](Pull<int> a) { return k::sync(changes(a)); }), xs);
}

TEST(Accumulate, EveryOperation) {
  expect_changes<int>(plus, 3, [](int a, int b) { return a + b; }, 5);
  expect_changes<int>(min, 50, [](int a, int b) { return std::min(a, b); }, 5);
  expect_changes<int>(max, 50, [](int a, int b) { return std::max(a, b); }, 5);
  expect_changes<int>(bit_and, 127, [](int a, int b) { return a & b; }, 5);
  expect_changes<int>(bit_or, 0, [](int a, int b) { return a | b; }, 5);
  expect_changes<int>(bit_xor, 1024, [](int a, int b) { return a ^ b; }, 5);
}

TEST(Accumulate, NumbersOfManyTypes) {
  expect_changes<std::int64_t>(plus, -1, [](std::int64_t a, std::int64_t b) { return a + b; }, 3);
  expect_changes<std::uint32_t>(max, 7u, [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); }, 3);
  expect_changes<float>(plus, 0.5f, [](float a, float b) { return a + b; }, 3);  // exact: small numbers
  expect_changes<double>(min, 40.0, [](double a, double b) { return std::min(a, b); }, 3);
  expect_changes<std::int16_t>(
      plus, std::int16_t{1}, [](std::int16_t a, std::int16_t b) { return static_cast<std::int16_t>(a + b); },
      3);
}

TEST(Accumulate, ExchangeLeavesOneOfTheValues) {
  const auto kernel = k::kernel("latest", k::block<int>(n_of_block), [](Pull<int> a) {
    return k::accumulate(k::exchange, bins, -1, k::map([](Exp<int> x) { return x % bins; }, a), a);
  });
  const std::vector<int> xs = numbers(n_of_block * 4);
  test::on_every_engine(
      [&](const auto& result) {
        for (std::int64_t b = 0; b < bins; ++b) {
          EXPECT_NE(std::find(xs.begin(), xs.end(), result[b]), xs.end()) << b;
          EXPECT_EQ(result[b] % bins, b);
        }
      },
      kernel, xs);
}

// All threads of the machine meet in few elements.
TEST(Accumulate, HistogramOfAWholeArray) {
  const auto histogram = k::kernel("histogram", k::block<int>(256, -1), [](Pull<int> a) {
    return k::histogram(16, k::map([](Exp<int> x) { return select(x < 0, Exp<int>(-1), x % 20); }, a));
  });
  const auto at_once = k::kernel("at_once", k::block<int>(256, -1), [](Pull<int> a) {
    const Pull<int> bin = k::map([](Exp<int> x) { return select(x < 0, Exp<int>(-1), x % 20); }, a);
    return k::accumulate(plus, 16, 0, bin, k::map([](Exp<int>) { return Exp<int>(1); }, a));
  });
  for (const std::int64_t n : {0, 1, 1000, 100000}) {
    const std::vector<int> xs = numbers(n);
    std::vector<int> expected(16);
    for (int x : xs)
      if (x % 20 < 16) ++expected[static_cast<std::size_t>(x % 20)];
    EXPECT_EQ(k::execute(cpu(), histogram, xs).to_vector(), expected) << n;
    EXPECT_EQ(k::execute(cpu(), at_once, xs).to_vector(), expected) << n;
    if (n == 1000) {
      expect_everywhere(expected, histogram, xs);
      expect_everywhere(expected, at_once, xs);
    }
  }
  // Each block counts by itself, and then changes each bin once.
  const std::vector<int> xs = numbers(4096);
  EXPECT_LT(k::traffic(histogram, xs).bytes, k::traffic(at_once, xs).bytes);
}

TEST(Accumulate, IntoAnArrayOfAnySize) {
  const auto kernel = k::kernel("into", k::block<int>(64), k::block<float>(64), k::updated<float>(),
                                [](Pull<int> at, Pull<float> by, k::Updated<float> to) {
                                  return k::accumulate_into(to, plus, at, by);
                                });
  std::vector<int> at(128);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<int>(i) % 13 - 2;  // some at no element
  const std::vector<float> by(128, 0.5f), to{1, 2, 3, 4, 5};
  std::vector<float> expected = to;
  for (int i : at)
    if (i >= 0 && i < 5) expected[static_cast<std::size_t>(i)] += 0.5f;
  expect_everywhere(expected, kernel, at, by, to);
}

// Who comes gets the next place: what was before is the number of it.
TEST(Accumulate, GivesWhatWasBefore) {
  const auto odd_ones = [](Pull<int> a, const Index& n) {
    return Accumulated<int>(plus, n, 0, [a](const Accumulated<int>::Change& change) {
      k::par(a.size(), [&](Index i) {
        const Exp<int> x = a[i];
        const Exp<bool> keeps = x % 2 != 0;
        const Exp<int> place = change(select(keeps, Index(0), Index(-1)), 1);
        change(select(keeps, cast<std::int64_t>(place) + 1, Index(-1)), x);
      });
    });
  };
  const std::vector<int> xs = numbers(512);
  const auto check = [&](const auto& result, std::size_t first, std::size_t n) {
    std::vector<int> expected;
    for (std::size_t i = first; i < first + n; ++i)
      if (xs[i] % 2 != 0) expected.push_back(xs[i]);
    std::vector<int> found(result.begin() + 1, result.end());
    ASSERT_EQ(result[0], static_cast<int>(expected.size()));
    found.resize(expected.size());
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  };
  const auto whole = k::kernel("whole", k::block<int>(64), k::scalar<std::int64_t>(), odd_ones);
  test::on_every_engine([&](const auto& result) { check(result.to_vector(), 0, 512); }, whole, xs,
                        std::int64_t{513});
  const auto each =
      k::kernel("each", k::block<int>(64), [=](Pull<int> a) { return k::sync(odd_ones(a, 65)); });
  test::on_every_engine(
      [&](const auto& result) {
        for (std::size_t b = 0; b < 8; ++b) {
          std::vector<int> part;
          for (std::size_t i = 0; i < 65; ++i) part.push_back(result[static_cast<std::int64_t>(b * 65 + i)]);
          check(part, b * 64, 64);
        }
      },
      each, xs);
}

const auto& histogram_of_digits() {
  static const auto kernel =
      k::kernel("digits", k::block<int>(64, -1), [](Pull<int> a) { return k::histogram(10, a); });
  return kernel;
}
Vec<int> doubled_counts(Vec<int> xs) {
  return map([](Exp<int> n) { return n * 2; }, k::call(histogram_of_digits(), xs));
}

TEST(Accumulate, InArrayPrograms) {
  for (const Engine engine : {Engine::cpu, Engine::interpreter}) {
    auto f = compile(doubled_counts, Options{.engine = engine});
    EXPECT_EQ(f(std::vector<int>(1000, 3)).to_vector(), (std::vector<int>{0, 0, 0, 2000, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(f(std::vector<int>()).to_vector(), std::vector<int>(10));
  }
}

TEST(Accumulate, WhatIsWrongIsSaid) {
  expect_says(refusal<ShapeError>([] {
                k::kernel("it", k::block<int>(8),
                          [](Pull<int> a) { return k::accumulate(plus, 4, 0, k::even(a), a); });
              }),
              "they are 4 and 8");
  expect_says(refusal<TraceError>([] {
                k::kernel("it", k::block<int>(8), k::scalar<std::int64_t>(),
                          [](Pull<int> a, Index n) { return k::sync(k::accumulate(plus, n, 0, a, a)); });
              }),
              "a size that is known");
  expect_says(refusal<TraceError>([] {
                k::kernel("it", k::block<int>(8), [](Pull<int> a) {
                  return Accumulated<int>(plus, 4, 0,
                                          [a](const Accumulated<int>::Change& change) { change(0, a[0]); });
                });
              }),
              "inside of par()");
  const auto sized = k::kernel("it", k::block<int>(8), k::scalar<std::int64_t>(),
                               [](Pull<int> a, Index n) { return k::accumulate(plus, n, 0, a, a); });
  expect_says(refusal<ShapeError>([&] { k::execute(cpu(), sized, std::vector<int>(8), std::int64_t{-1}); }),
              "cannot have -1 elements");
}

}  // namespace
}  // namespace fulgurite
