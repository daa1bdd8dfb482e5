// Lanes that exchange values: shuffles of every kind, scans and reductions of warps, and what is refused.
#include <numeric>

#include "everywhere.h"
#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Pull, k::Push;
using test::expect_everywhere, test::expect_says, test::refusal;

std::vector<int> numbers(std::int64_t n) {
  return test::numbers(n, 1009);
}

// f of each lane's value in blocks of 128, by warps of n elements.
template <class T, class F>
auto by_lanes(std::int64_t n, const F& f) {
  return k::kernel("exchange", k::block<T>(128), [=](Pull<T> a) {
    return k::warps(
        32,
        [=](Pull<T> part) {
          const auto lanes = [=](Pull<T> piece) { return k::sync(k::lanes(f, piece)); };
          if (n == 32) return lanes(part);
          Pull<T> all = k::two_k(k::log2(32 / n), lanes, part);
          return all;
        },
        a);
  });
}
// Applies f to each part of n elements.
template <class T, class F>
std::vector<T> in_parts(std::vector<T> xs, std::size_t n, const F& f) {
  for (std::size_t at = 0; at < xs.size(); at += n) {
    const std::vector<T> part(xs.begin() + static_cast<std::ptrdiff_t>(at),
                              xs.begin() + static_cast<std::ptrdiff_t>(at + n));
    for (std::size_t l = 0; l < n; ++l) xs[at + l] = f(part, l);
  }
  return xs;
}
using Part = const std::vector<int>&;

TEST(Lanes, ReadWhatOthersHold) {
  const std::vector<int> xs = numbers(384);
  for (const std::size_t n : {32u, 8u, 2u}) {
    SCOPED_TRACE(n);
    const auto of = [&](const auto& f) { return by_lanes<int>(static_cast<std::int64_t>(n), f); };
    expect_everywhere(in_parts(xs, n, [](Part p, std::size_t l) { return p[l] - p[p.size() - 1 - l]; }),
                      of([n](Index lane, Exp<int> x) {
                        return x - k::shuffle(x, static_cast<std::int64_t>(n) - 1 - lane);
                      }),
                      xs);
    expect_everywhere(in_parts(xs, n, [](Part p, std::size_t l) { return p[l < 1 ? l : l - 1] * 2; }),
                      of([](Exp<int> x) { return k::shuffle_up(x * 2, 1); }), xs);
    expect_everywhere(
        in_parts(xs, n,
                 [](Part p, std::size_t l) { return p[l + 1 < p.size() ? l + 1 : l] + static_cast<int>(l); }),
        of([](Index lane, Exp<int> x) { return k::shuffle_down(x, 1) + cast<int>(lane); }), xs);
    expect_everywhere(in_parts(xs, n, [](Part p, std::size_t l) { return p[l ^ 1]; }),
                      of([](Exp<int> x) { return k::shuffle_xor(x, 1); }), xs);
    // From where the data say; numbers are taken modulo the part's size.
    expect_everywhere(
        in_parts(xs, n, [](Part p, std::size_t l) { return p[static_cast<std::size_t>(p[l]) % p.size()]; }),
        of([](Exp<int> x) { return k::shuffle(x, cast<std::int64_t>(x)); }), xs);
  }
}

TEST(Lanes, KeepValuesOverShuffles) {
  const auto several = [](Index lane, Exp<int> x) {
    const Exp<int> square = x * x;
    const Exp<int> chosen = cond(x % 2 == 0, [&] { return square + 1; }, [&] { return x; });
    const Exp<int> first = k::shuffle_xor(chosen, 4);
    const Exp<int> second = k::shuffle_up(first + square, 3);
    return first * 3 + second - chosen + cast<int>(lane);
  };
  const auto chosen = [](int x) { return x % 2 == 0 ? x * x + 1 : x; };
  expect_everywhere(in_parts(numbers(256), 32,
                             [&](Part p, std::size_t l) {
                               const auto first = [&](std::size_t i) { return chosen(p[i ^ 4]); };
                               const std::size_t up = l < 3 ? l : l - 3;
                               return first(l) * 3 + first(up) + p[up] * p[up] - chosen(p[l]) +
                                      static_cast<int>(l);
                             }),
                    by_lanes<int>(32, several), numbers(256));
}

TEST(Lanes, HoldElementsOfEveryType) {
  using Pair = std::pair<double, std::int8_t>;
  const auto turned = [](Exp<Pair> x) { return k::shuffle_xor(x, 31); };
  std::vector<Pair> xs(128), expected;
  for (std::size_t i = 0; i < 128; ++i) xs[i] = {static_cast<double>(i) / 3, static_cast<std::int8_t>(i)};
  for (std::size_t i = 0; i < 128; ++i) expected.push_back(xs[i ^ 31]);
  test::on_every_engine(
      [&](const auto& result) { EXPECT_TRUE(std::equal(result.begin(), result.end(), expected.begin())); },
      by_lanes<Pair>(32, turned), xs);
}

TEST(Lanes, ScanAndReduceWithoutMemory) {
  const std::vector<int> xs = numbers(256);
  const auto in_warps = [](const auto& f) {
    return k::kernel("it", k::block<int>(128), [=](Pull<int> a) { return k::warps(32, f, a); });
  };
  const auto scan = in_warps([](Pull<int> part) { return k::warp_scan(plus, part); });
  const auto reduce = in_warps([](Pull<int> part) { return k::warp_reduce(max, part); });
  expect_everywhere(in_parts(xs, 32,
                             [](Part p, std::size_t l) {
                               return std::accumulate(p.begin(),
                                                      p.begin() + static_cast<std::ptrdiff_t>(l) + 1, 0);
                             }),
                    scan, xs);
  expect_everywhere(
      in_parts(xs, 32, [](Part p, std::size_t) { return *std::max_element(p.begin(), p.end()); }), reduce,
      xs);
  const std::string ir = k::to_ir(scan);
  EXPECT_EQ(ir.find("alloc"), ir.npos) << ir;
  EXPECT_EQ(ir.find("sync"), ir.npos);
  EXPECT_NE(k::to_cuda(scan).find("fg_shuffle_i32(0xffffffffu, "), std::string::npos) << k::to_cuda(scan);
}

TEST(Lanes, AScanOfABlockByWarps) {
  // Each warp scans 32 elements, one warp their sums, and all add what is before theirs.
  const auto scan = [](Pull<int> a) {
    const Pull<int> parts = k::sync(k::warps(32, [](Pull<int> part) { return k::warp_scan(plus, part); }, a));
    const Pull<int> sums(32, [parts](Index i) { return parts[i * 32 + 31]; });
    const Pull<int> before =
        k::sync(k::warps(32, [](Pull<int> part) { return k::warp_scan(plus, part); }, sums));
    return Pull<int>(a.size(), [=](Index i) {
      const Index warp = i / 32;
      return parts[i] + select(warp == 0, Exp<int>(0), before[max(warp, Index(1)) - 1]);
    });
  };
  const std::vector<int> xs = numbers(2048);
  std::vector<int> expected = xs;
  for (auto at = expected.begin(); at != expected.end(); at += 1024) std::inclusive_scan(at, at + 1024, at);
  expect_everywhere(expected, k::kernel("scan", k::block<int>(1024), scan), xs);
}

template <class E, class F>
std::string refused(std::int64_t n, const F& f) {
  return refusal<E>([&] { k::kernel("it", k::block<int>(n), f); });
}

TEST(Lanes, WhatIsWrongIsSaid) {
  const auto turned = [](Exp<int> x) { return k::shuffle_xor(x, 1); };
  const auto in_warps = [&](std::int64_t n, const auto& f) {
    return [=](Pull<int> a) { return k::warps(n, f, a); };
  };
  expect_says(refused<TraceError>(32, [&](Pull<int> a) { return k::sync(k::lanes(turned, a)); }),
              "given to warps()");
  expect_says(refused<TraceError>(32, [&](Pull<int> a) { return k::map(turned, a); }),
              "given to lanes() only");
  const auto lanes = [=](Pull<int> part) { return k::lanes(turned, part); };
  expect_says(refused<ShapeError>(64, in_warps(64, lanes)), "lanes() of 64 elements");
  expect_says(refused<ShapeError>(64, in_warps(16, lanes)), "here a warp has 16");
  expect_says(refused<ShapeError>(64, in_warps(32,
                                               [=](Pull<int> part) {
                                                 return k::ilv(
                                                     1, [=](Pull<int> p) { return k::sync(lanes(p)); }, part);
                                               })),
              "here a warp has 32, interleaved");
  expect_says(refused<TraceError>(32, in_warps(32,
                                               [=](Pull<int> part) {
                                                 return k::lanes(
                                                     [](Exp<int> x) {
                                                       return cond(
                                                           x > 0, [&] { return k::shuffle_xor(x, 1); },
                                                           [&] { return x; });
                                                     },
                                                     part);
                                               })),
              "outside of branches and loops");
}

}  // namespace
}  // namespace fulgurite
