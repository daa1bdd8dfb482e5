// Loops of a block: rounds counted by an argument, a size or a number, and ended by what has been computed.
#include <algorithm>
#include <numeric>
#include <random>

#include "everywhere.h"
#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Pull, k::Push;
using test::expect_everywhere, test::expect_says, test::refusal;

std::vector<int> numbers(std::int64_t n, int below = 1000) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<int> xs(static_cast<std::size_t>(n));
  for (int& x : xs) x = static_cast<int>(random() % static_cast<unsigned>(below));
  return xs;
}

// Each element and its left neighbour, round by round, and the round's number.
Pull<int> smear(Index round, Pull<int> a) {
  const Pull<int> left = k::shift(1, Exp<int>(7), a);
  return k::zip_with([=](Exp<int> x, Exp<int> y) { return x + y * 3 + cast<int>(round); }, a, left);
}
std::vector<int> smeared(std::vector<int> xs, std::int64_t n, std::int64_t rounds) {
  for (auto at = xs.begin(); at != xs.end(); at += n)
    for (std::int64_t r = 0; r < rounds; ++r) {
      const std::vector<int> old(at, at + n);
      for (std::int64_t i = 0; i < n; ++i) {
        const int left = i == 0 ? 7 : old[static_cast<std::size_t>(i - 1)];
        at[i] = static_cast<int>(static_cast<unsigned>(old[static_cast<std::size_t>(i)]) +
                                 static_cast<unsigned>(left) * 3u + static_cast<unsigned>(r));
      }
    }
  return xs;
}

TEST(Iterate, RoundsAreCountedByAnArgument) {
  const auto kernel = k::kernel("smear", k::block<int>(96), k::scalar<std::int64_t>(),
                                [](Pull<int> a, Index n) { return k::iterate(n, smear, a); });
  const std::vector<int> xs = numbers(96 * 3);
  for (std::int64_t rounds : {-3, 0, 1, 2, 9}) {
    SCOPED_TRACE(rounds);
    expect_everywhere(smeared(xs, 96, rounds), kernel, xs, rounds);
  }
}

TEST(Iterate, RoundsAreCountedByASizeOrANumber) {
  const auto by_size =
      k::kernel("by_size", k::block<int>(40), k::whole<int>(), [](Pull<int> a, k::Whole<int> b) {
        return k::iterate(
            b.size(), [b](Index r, Pull<int> x) { return k::map([=](Exp<int> v) { return v + b[r]; }, x); },
            a);
      });
  std::vector<int> xs = numbers(80);
  const std::vector<int> ys{5, 1, -9};
  std::vector<int> expected = xs;
  for (int& x : expected) x -= 3;
  expect_everywhere(expected, by_size, xs, ys);
  const auto many =
      k::kernel("many", k::block<int>(64), [](Pull<int> a) { return k::iterate(1001, smear, a); });
  EXPECT_LT(k::to_ir(many).size(), 4000u);  // it is a loop
  EXPECT_EQ(k::execute(cpu(), many, numbers(64)).to_vector(), smeared(numbers(64), 64, 1001));
  EXPECT_EQ(k::execute(emulator(1), many, numbers(64)).to_vector(), smeared(numbers(64), 64, 1001));
}

// The bitonic merger's columns as rounds: their distance is known only in the loop.
TEST(Iterate, ANetworkWhoseColumnsAreRounds) {
  const auto merge = [](Pull<int> a) {
    const int n = k::log2(a.size());
    return k::iterate(
        n,
        [=](Index round, Pull<int> x) {
          const Index by = Exp<std::int64_t>(1) << (n - 1 - round);
          return Push<int>(x.size(), [=](const Push<int>::Write& write) {
            k::par(x.size() / 2, [&](Index t) {
              const Index low = t + (t & -by), high = low + by;
              write(low, min(x[low], x[high]));
              write(high, max(x[low], x[high]));
            });
          });
        },
        a);
  };
  std::vector<int> xs = numbers(512);
  for (auto at = xs.begin(); at != xs.end(); at += 128) {
    std::sort(at, at + 64);
    std::sort(at + 64, at + 128, std::greater());
  }
  std::vector<int> expected = xs;
  for (auto at = expected.begin(); at != expected.end(); at += 128) std::sort(at, at + 128);
  expect_everywhere(expected, k::kernel("merge", k::block<int>(128), merge), xs);
}

TEST(Iterate, BodiesSyncToo) {
  // What is synced in the body and after the loop shares memory with nothing that is in use.
  const auto kernel = k::kernel("it", k::block<int>(64), k::scalar<int>(), [](Pull<int> a, Exp<int> n) {
    const auto turned = k::iterate(
        cast<std::int64_t>(n),
        [](Pull<int> x) {
          const Pull<int> once = k::sync(k::reverse(k::sync(k::map([](Exp<int> v) { return v + 1; }, x))));
          return k::zip_with(minus, k::sync(k::reverse(once)), k::shift(3, Exp<int>(0), x));
        },
        a);
    return k::sync(k::reverse(k::sync(k::reverse(turned))));
  });
  std::vector<int> xs = numbers(192), expected = xs;
  for (auto at = expected.begin(); at != expected.end(); at += 64)
    for (int r = 0; r < 3; ++r)
      for (std::ptrdiff_t i = 63; i >= 0; --i) at[i] = at[i] + 1 - (i < 3 ? 0 : at[i - 3]);
  expect_everywhere(expected, kernel, xs, 3);
  // Three arrays of the body and one after it, of 256 bytes, beside the state's two places.
  EXPECT_LE(k::traffic(kernel, xs, 3).shared_bytes, 4 * 256);
}

TEST(Iterate, TheStateIsSeveralArrays) {
  // A wave: what it is follows from what it was and had been. Every second element is kept beside it.
  const auto kernel =
      k::kernel("wave", k::block<float>(48), k::scalar<std::int64_t>(), [](Pull<float> a, Index n) {
        const auto [last, one_before, evens] = k::iterate(
            n,
            [](Pull<float> now, Pull<float> before, Pull<float> kept) {
              const Pull<float> left = k::shift(1, Exp<float>(0), now),
                                right = k::shift(-1, Exp<float>(0), now);
              const Pull<float> next(
                  now.size(), [=](Index i) { return (left[i] + right[i]) * 0.5f + now[i] - before[i]; });
              return std::tuple(next, now, k::zip_with(plus, kept, k::even(now)));
            },
            std::tuple(a, k::push(a), k::even(a)));
        return std::pair(k::zip_with(minus, last, one_before), evens);
      });
  std::vector<float> now(48), before, kept(24);
  for (std::size_t i = 0; i < 48; ++i) now[i] = static_cast<float>(i % 7);
  const std::vector<float> xs = now;
  before = now;
  for (std::size_t i = 0; i < 24; ++i) kept[i] = now[2 * i];
  for (int r = 0; r < 5; ++r) {
    std::vector<float> next(48);
    for (std::size_t i = 0; i < 48; ++i)
      next[i] = ((i > 0 ? now[i - 1] : 0) + (i < 47 ? now[i + 1] : 0)) * 0.5f + now[i] - before[i];
    for (std::size_t i = 0; i < 24; ++i) kept[i] += now[2 * i];
    before = now, now = next;
  }
  for (std::size_t i = 0; i < 48; ++i) now[i] -= before[i];
  test::on_every_engine(
      [&](const auto& results) {
        EXPECT_EQ(std::get<0>(results).to_vector(), now);
        EXPECT_EQ(std::get<1>(results).to_vector(), kept);
      },
      kernel, xs, std::int64_t{5});
}

TEST(Iterate, InPartsOfTheData) {
  const auto looped = [](Pull<int> part) { return k::iterate(5, smear, part); };
  const std::vector<int> xs = numbers(256);
  expect_everywhere(smeared(xs, 64, 5),
                    k::kernel("halves", k::block<int>(128), [&](Pull<int> a) { return k::two(looped, a); }),
                    xs);
  const auto by_warps =
      k::kernel("warps", k::block<int>(128), [&](Pull<int> a) { return k::warps(64, looped, a); });
  expect_everywhere(smeared(xs, 64, 5), by_warps, xs);
  EXPECT_EQ(k::to_ir(by_warps).find("sync block"), std::string::npos);
  const auto interleaved =
      k::kernel("ilv", k::block<int>(128), [&](Pull<int> a) { return k::ilv(1, looped, a); });
  std::vector<int> expected(256);
  for (std::size_t b = 0; b < 256; b += 128)
    for (std::size_t part = 0; part < 2; ++part) {
      std::vector<int> of_part;
      for (std::size_t i = part; i < 128; i += 2) of_part.push_back(xs[b + i]);
      of_part = smeared(of_part, 64, 5);
      for (std::size_t i = 0; i < 64; ++i) expected[b + 2 * i + part] = of_part[i];
    }
  expect_everywhere(expected, interleaved, xs);
}

// Neighbours change places until nobody wants to: "odd-even transposition", as many rounds as it takes.
TEST(WhileLoop, EndsWhenTheBlockIsSorted) {
  const auto sort = [](Pull<int> a) {
    const std::int64_t n = a.size();
    const auto column = [n](Pull<int> x, std::int64_t first) {
      return Push<int>(n, [=](const Push<int>::Write& write) {
        k::par((n - first) / 2, [&](Index t) {
          const Index low = t * 2 + first;
          write(low, min(x[low], x[low + 1]));
          write(low + 1, max(x[low], x[low + 1]));
        });
        for (const std::int64_t alone : {std::int64_t{0}, n - 1})
          if ((alone < first) || (alone - first) / 2 >= (n - first) / 2)
            k::par(1, [&](Index) { write(alone, x[alone]); });
      });
    };
    const auto [sorted, changed, rounds] = k::while_loop(
        [](Pull<int>, Pull<int> changes, Pull<int>) { return changes[0] > 0; },
        [&](Index round, Pull<int> x, Pull<int>, Pull<int>) {
          const Pull<int> next = k::sync(column(k::sync(column(x, 0)), 1));
          const auto differ = k::zip_with(
              [](Exp<int> p, Exp<int> q) { return select(p == q, Exp<int>(0), Exp<int>(1)); }, x, next);
          return std::tuple(next, k::tree_reduce(plus, differ),
                            Pull<int>(1, [=](Index) { return cast<int>(round) + 1; }));
        },
        std::tuple(a, Pull<int>(1, [](Index) { return Exp<int>(1); }),
                   Pull<int>(1, [](Index) { return Exp<int>(0); })));
    return std::pair(sorted, rounds);
  };
  const auto kernel = k::kernel("transposition", k::block<int>(32), sort);
  std::vector<int> xs = numbers(96), expected = xs;
  std::iota(xs.begin(), xs.begin() + 32, 0);
  expected = xs;
  for (auto at = expected.begin(); at != expected.end(); at += 32) std::sort(at, at + 32);
  test::on_every_engine(
      [&](const auto& results) {
        EXPECT_EQ(std::get<0>(results).to_vector(), expected);
        EXPECT_EQ(std::get<1>(results)[0], 1);  // it was sorted, and is looked at once
        EXPECT_GT(std::get<1>(results)[1], 3);
      },
      kernel, xs);
}

TEST(Iterate, WhatIsWrongIsSaid) {
  expect_says(refusal<ShapeError>([] {
                k::kernel("it", k::block<int>(8), [](Pull<int> a) {
                  return k::iterate(3, [](Pull<int> x) { return k::even(x); }, a);
                });
              }),
              "has 8 elements, and the body of the loop makes it one of 4");
  expect_says(refusal<TraceError>([] {
                k::kernel("it", k::block<int>(8), [](Pull<int> a) {
                  return Push<int>(8, [a](const Push<int>::Write& write) {
                    k::par(8, [&](Index i) { write(i, k::iterate(3, [](Pull<int> x) { return x; }, a)[i]); });
                  });
                });
              }),
              "sync outside of par()");
  Pull<int> leaked(0, [](Index) { return Exp<int>(0); });
  expect_says(refusal<TraceError>([&] {
                k::kernel("it", k::block<int>(8), k::scalar<std::int64_t>(), [&](Pull<int> a, Index n) {
                  k::iterate(n, [&](Pull<int> x) { return leaked = x; }, a);
                  return leaked;
                });
              }),
              "the function given to loop");
}

TEST(Iterate, NetworksHaveTheirRounds) {
  const auto add_round = [](Index round, Pull<int> x) { return smear(round, x); };
  EXPECT_THROW(
      k::depth(k::kernel("it", k::block<int>(8), [&](Pull<int> a) { return k::iterate(3, add_round, a); })),
      TraceError);  // shift chooses
  const auto columns = [](Pull<int> x) {
    return k::sync(k::ilv(1, min, max, k::sync(k::ilv(0, min, max, x))));
  };
  EXPECT_EQ(
      k::depth(k::kernel("it", k::block<int>(8), [&](Pull<int> a) { return k::iterate(3, columns, a); })), 6);
  const auto unknown = k::kernel("it", k::block<int>(8), k::scalar<std::int64_t>(),
                                 [&](Pull<int> a, Index n) { return k::iterate(n, columns, a); });
  expect_says(refusal<TraceError>([&] { k::draw(unknown); }), "how often a loop goes round");
}

}  // namespace
}  // namespace fulgurite
