// The functions of the kernel language one by one, tails, scalars and whole arrays, and what is refused.
#include <fulgurite/kernel.h>
#include <gtest/gtest.h>

#include <numeric>

#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Level, k::Pull, k::Push;
using test::expect_says, test::refusal;

std::vector<int> iota_of(std::int64_t n) {
  std::vector<int> xs(static_cast<std::size_t>(n));
  std::iota(xs.begin(), xs.end(), 0);
  return xs;
}

// What f makes of 0, 1, 2 ... in blocks of n.
template <class F>
std::vector<int> of_iota(std::int64_t n, const F& f, std::int64_t blocks = 1) {
  return k::execute(cpu(), k::kernel("it", k::block<int>(n), f), iota_of(n * blocks)).to_vector();
}

TEST(KernelLanguage, Rearrangements) {
  using Ints = std::vector<int>;
  EXPECT_EQ(of_iota(6, [](Pull<int> a) { return k::reverse(a); }), (Ints{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(of_iota(5, [](Pull<int> a) { return k::conc(k::odd(a), k::even(a)); }), (Ints{1, 3, 0, 2, 4}));
  EXPECT_EQ(of_iota(5, [](Pull<int> a) { return k::conc_p(k::odd(a), k::even(a)); }), (Ints{1, 3, 0, 2, 4}));
  EXPECT_EQ(of_iota(5, [](Pull<int> a) { return k::halve(a).first; }), (Ints{0, 1, 2}));
  EXPECT_EQ(of_iota(5, [](Pull<int> a) { return k::halve(a).second; }), (Ints{3, 4}));
  EXPECT_EQ(of_iota(4, [](Pull<int> a) { return k::shift(1, Exp<int>(-1), a); }), (Ints{-1, 0, 1, 2}));
  EXPECT_EQ(of_iota(4, [](Pull<int> a) { return k::shift(-2, Exp<int>(-1), a); }), (Ints{2, 3, -1, -1}));
  EXPECT_EQ(of_iota(8, [](Pull<int> a) { return k::riffle(a); }), (Ints{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(of_iota(4, [](Pull<int> a) { return k::unpair(k::pair(a)); }), iota_of(4));
  EXPECT_EQ(of_iota(6, [](Pull<int> a) { return k::unpair_p(k::pair(a)); }), iota_of(6));
  EXPECT_EQ(of_iota(6, [](Pull<int> a) { return k::split_up(2, a)[1]; }), (Ints{2, 3}));
  EXPECT_EQ(
      of_iota(4, [](Pull<int> a) { return k::ix_map([](Index i) { return i ^ Index(1); }, k::push(a)); }),
      (Ints{1, 0, 3, 2}));
  const auto swapped = [](Exp<int> x, Exp<int> y) { return std::pair(y, x); };
  EXPECT_EQ(of_iota(4, [&](Pull<int> a) { return k::evens(swapped, a); }), (Ints{1, 0, 3, 2}));
  EXPECT_EQ(of_iota(4, [&](Pull<int> a) { return k::shex(2, swapped, a); }), (Ints{3, 2, 1, 0}));
  EXPECT_EQ(of_iota(4,
                    [](Pull<int> a) {
                      return (k::then([](auto x) { return k::reverse(x); }) >> k::synced >>
                              [](auto x) { return k::map([](Exp<int> v) { return v + 1; }, x); })(a);
                    }),
            (Ints{4, 3, 2, 1}));
}

TEST(KernelLanguage, PartsOfTheDataAtOnce) {
  using Ints = std::vector<int>;
  const auto reversed = [](Pull<int> a) { return k::sync(k::reverse(a)); };
  EXPECT_EQ(of_iota(6, [&](Pull<int> a) { return k::two(reversed, a); }), (Ints{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(of_iota(8, [&](Pull<int> a) { return k::two_k(2, reversed, a); }),
            (Ints{1, 0, 3, 2, 5, 4, 7, 6}));
  EXPECT_EQ(of_iota(6, [&](Pull<int> a) { return k::ilv(1, reversed, a); }), (Ints{4, 5, 2, 3, 0, 1}));
  EXPECT_EQ(of_iota(8,
                    [&](Pull<int> a) {
                      return k::two([&](Pull<int> half) { return k::sync(k::ilv(1, reversed, half)); }, a);
                    }),
            (Ints{2, 3, 0, 1, 6, 7, 4, 5}));
  // One barrier for both halves.
  const auto kernel =
      k::kernel("it", k::block<int>(256), [&](Pull<int> a) { return k::reverse(k::two(reversed, a)); });
  const std::string ir = k::to_ir(kernel);
  EXPECT_NE(ir.find("sync block"), ir.npos);
  EXPECT_EQ(ir.find("sync block"), ir.rfind("sync block")) << ir;
}

TEST(KernelLanguage, ThreadsTakePartsOfAnArray) {
  using Ints = std::vector<int>;
  const auto total = [](Pull<int> part) { return k::seq_reduce(plus, part); };
  EXPECT_EQ(of_iota(6, [&](Pull<int> a) { return k::map(total, k::split_up(3, a)); }), (Ints{3, 12}));
  const auto scan = [](Pull<int> part) { return k::seq_scan(plus, part); };
  EXPECT_EQ(of_iota(6, [&](Pull<int> a) { return k::map(scan, k::split_up(3, a)); }),
            (Ints{0, 1, 3, 3, 7, 12}));
  EXPECT_EQ(of_iota(6,
                    [&](Pull<int> a) {
                      return k::map([](Pull<int> p) { return k::reverse(p); }, k::split_up(2, a));
                    }),
            (Ints{1, 0, 3, 2, 5, 4}));
  // A scan of a block by threads that have several elements each.
  const auto by_fours = [&](Pull<int> a) {
    const Pull<int> parts = k::sync(k::map(scan, k::split_up(4, a)));
    const Pull<int> sums =
        k::kogge_stone(plus, Pull<int>(a.size() / 4, [=](Index i) { return parts[i * 4 + 3]; }));
    return Pull<int>(a.size(), [=](Index i) {
      return parts[i] + select(i < 4, Exp<int>(0), sums[max(i / 4, Index(1)) - 1]);
    });
  };
  const auto kernel = k::kernel("by_fours", k::block<int>(128), by_fours);
  Ints expected = iota_of(128);
  std::inclusive_scan(expected.begin(), expected.end(), expected.begin());
  EXPECT_EQ(k::execute(cpu(), kernel, iota_of(128)).to_vector(), expected);
  EXPECT_EQ(k::execute(emulator(), kernel, iota_of(128)).to_vector(), expected);
  EXPECT_THROW(
      k::kernel("it", k::block<int>(6), [&](Pull<int> a) { return k::map(total, k::split_up(4, a)); }),
      ShapeError);
  EXPECT_THROW(k::kernel("it", k::block<int>(6),
                         [](Pull<int> a) {
                           return k::map([](Pull<int> p) { return k::even(p); }, k::split_up(3, a));
                         }),
               ShapeError);
}

TEST(KernelLanguage, WarpsWaitForThemselvesOnly) {
  for (std::int64_t n : {8, 32, 40, 64, 96}) {
    const auto kernel = k::kernel("it", k::block<int>(4 * n), [&](Pull<int> a) {
      return k::warps(n, [](Pull<int> part) { return k::kogge_stone(plus, part); }, a);
    });
    const std::string ir = k::to_ir(kernel);
    EXPECT_NE(ir.find("sync warp"), ir.npos) << ir;
    EXPECT_EQ(ir.find("sync block"), ir.npos) << ir;
    const std::vector<int> xs = iota_of(8 * n);
    std::vector<int> expected = xs;
    for (std::int64_t at = 0; at < 8 * n; at += n)
      std::inclusive_scan(xs.begin() + at, xs.begin() + at + n, expected.begin() + at);
    EXPECT_EQ(k::execute(cpu(), kernel, xs).to_vector(), expected) << n;
  }
}

TEST(KernelLanguage, ThreadsHoldSeveralElements) {
  // Three stages of a bitonic merge without memory between them.
  const auto three = [](std::vector<Exp<int>> held) {
    for (std::size_t by = 4; by > 0; by /= 2)
      for (std::size_t i = 0; i < 8; ++i)
        if ((i & by) == 0) {
          const Exp<int> low = held[i], high = held[i + by];
          held[i] = min(low, high), held[i + by] = max(low, high);
        }
    return held;
  };
  std::vector<int> xs(256), expected;
  for (std::size_t i = 0; i < 256; ++i) xs[i] = static_cast<int>(i * 37 % 101);
  for (int i : {0, 2, 5}) {
    const auto at_once =
        k::kernel("at_once", k::block<int>(256), [&](Pull<int> a) { return k::ilv_k(i, 3, three, a); });
    const auto stages = k::kernel("stages", k::block<int>(256), [&](Pull<int> a) {
      for (int j = 2; j >= 0; --j) a = k::sync(k::ilv(i + j, min, max, a));
      return a;
    });
    EXPECT_EQ(k::execute(cpu(), at_once, xs).to_vector(), k::execute(cpu(), stages, xs).to_vector()) << i;
    EXPECT_NE(k::to_ir(at_once).find("par block tid < 32 "), std::string::npos);
    EXPECT_EQ(k::to_ir(at_once).find("alloc"), std::string::npos);
  }
}

TEST(KernelLanguage, ThreadsHaveMemoryOfTheirOwn) {
  EXPECT_EQ(of_iota(16,
                    [](Pull<int> a) {
                      return Push<int>(8, [a](const Push<int>::Write& write) {
                        k::par(8, [&](Index t) {
                          const Pull<int> mine = k::sync(k::push<Level::thread>(
                              Pull<int>(2, [&](Index i) { return a[t * 2 + (1 - i)] * 10; })));
                          write(t, mine[0] - mine[1]);
                        });
                      });
                    }),
            std::vector<int>(8, 10));
}

TEST(KernelLanguage, TailsAreFilledAndCut) {
  const auto kernel = k::kernel("it", k::block<int>(64, 1000),
                                [](Pull<int> a) { return k::sync(k::reverse(k::sync(k::reverse(a)))); });
  const auto sums =
      k::kernel("sums", k::block<int>(64, 0), [](Pull<int> a) { return k::tree_reduce(plus, a); });
  for (std::int64_t n : {0, 1, 63, 64, 65, 1000}) {
    const std::vector<int> xs = iota_of(n);
    EXPECT_EQ(k::execute(cpu(), kernel, xs).to_vector(), xs) << n;
    const auto result = k::execute(cpu(), sums, xs);
    ASSERT_EQ(result.size(), (n + 63) / 64);
    EXPECT_EQ(std::accumulate(result.begin(), result.end(), 0), n * (n - 1) / 2);
  }
}

// What stands after the end is read in branches and loops of elements, too, and nothing in front of the
// array.
TEST(KernelLanguage, FilledBlocksInBranchesAndLoops) {
  const auto shifted = k::kernel("shifted", k::block<int>(64, 1000), [](Pull<int> a) {
    const Pull<int> right = k::shift(1, Exp<int>(-1), a);
    const Pull<int> both = k::conc(k::halve(right).second, k::halve(a).first);
    return Pull<int>(64, [=](Index i) {
      return iterate(
          Index(3), [=](Index k, Exp<int> sum) { return sum + a[min(i + k, Index(63))]; }, both[i]);
    });
  });
  const auto at = [](const std::vector<int>& xs, std::int64_t i) {
    return i < static_cast<std::int64_t>(xs.size()) ? xs[static_cast<std::size_t>(i)] : 1000;
  };
  for (const std::int64_t n : {1, 64, 100}) {
    const std::vector<int> xs = iota_of(n);
    std::vector<int> expected;
    for (std::int64_t x = 0; x < n; ++x) {
      const std::int64_t first = x / 64 * 64, i = x % 64;
      int sum = i < 32 ? at(xs, first + 31 + i) : at(xs, first + i - 32);
      for (std::int64_t k = 0; k < 3; ++k) sum += at(xs, first + std::min<std::int64_t>(i + k, 63));
      expected.push_back(sum);
    }
    EXPECT_EQ(k::execute(cpu(), shifted, xs).to_vector(), expected) << n;
    EXPECT_EQ(k::execute(emulator(), shifted, xs).to_vector(), expected) << n;
  }
  const auto first = k::kernel("shift_right", k::block<int>(64, 0),
                               [](Pull<int> a) { return k::shift(1, Exp<int>(-1), a); });
  for (const k::Runner& engine : {cpu(), emulator()})
    EXPECT_EQ(k::execute(engine, first, iota_of(3)).to_vector(), (std::vector<int>{-1, 0, 1}));
}

TEST(KernelLanguage, ScalarsWholeArraysAndSeveralResults) {
  const auto kernel = k::kernel("gather", k::block<int>(4), k::whole<float>(), k::scalar<float>(),
                                [](Pull<int> at, k::Whole<float> from, Exp<float> factor) {
                                  const auto taken = k::map(
                                      [=](Exp<int> i) { return from[cast<std::int64_t>(i)] * factor; }, at);
                                  return std::tuple(taken, k::map([](Exp<int> i) { return i + 1; }, at));
                                });
  const auto [taken, next] =
      k::execute(cpu(), kernel, std::vector<int>{2, 0, 1, 1}, std::vector<float>{5, 6, 7}, 2.0f);
  EXPECT_EQ(taken.to_vector(), (std::vector<float>{14, 10, 12, 12}));
  EXPECT_EQ(next.to_vector(), (std::vector<int>{3, 1, 2, 2}));
}

TEST(KernelLanguage, FilterAndHistogramOfABlock) {
  const auto filter = k::kernel("odd_ones", k::block<int>(64), [](Pull<int> a) {
    return k::block_filter([](Exp<int> x) { return x % 2 != 0; }, a, Exp<int>(-1));
  });
  const auto [kept, counts] = k::execute(cpu(), filter, iota_of(128));
  EXPECT_EQ(counts.to_vector(), (std::vector<int>{32, 32}));
  for (std::int64_t i = 0; i < 128; ++i)
    EXPECT_EQ(kept[i], i % 64 < 32 ? (i / 64) * 64 + i % 64 * 2 + 1 : -1) << i;
  const auto histogram = k::kernel("bins", k::block<int>(64), [](Pull<int> a) {
    return k::block_histogram(5, k::map([](Exp<int> x) { return x % 7; }, a));
  });
  const auto bins = k::execute(cpu(), histogram, iota_of(64));
  EXPECT_EQ(bins.to_vector(), (std::vector<int>{10, 9, 9, 9, 9}));
}

TEST(KernelLanguage, FailuresInKernelsAreRaised) {
  const auto kernel = k::kernel("quotients", k::block<int>(4),
                                [](Pull<int> a) { return k::map([](Exp<int> x) { return 100 / x; }, a); });
  for (const k::Runner& engine : {cpu(), emulator()}) {
    EXPECT_THROW(k::execute(engine, kernel, std::vector<int>{1, 2, 0, 3}), ArithmeticError) << engine.engine;
    EXPECT_EQ(k::execute(engine, kernel, std::vector<int>{1, 2, 5, 4}).to_vector(),
              (std::vector<int>{100, 50, 20, 25}));
  }
}

TEST(KernelLanguage, IsPrintedInThreeLanguages) {
  const auto kernel = k::kernel("twice", k::block<int>(64), [](Pull<int> a) {
    return k::sync(k::reverse(k::sync(k::map([](Exp<int> x) { return x * 2; }, a))));
  });
  EXPECT_NE(k::to_cuda(kernel).find(
                "__global__ void __launch_bounds__(64) twice_p0(const i32* input0, i32* result0"),
            std::string::npos);
  EXPECT_NE(k::to_cuda(kernel).find("__syncthreads();"), std::string::npos);
  EXPECT_NE(k::to_opencl(kernel).find("void twice_p0(global const i32* input0, global i32* result0"),
            std::string::npos);
  EXPECT_NE(k::to_c(kernel).find("void twice_p0(const fg_context* context"), std::string::npos);
  const auto three = k::kernel("three", k::block<int>(64), [](Pull<int> a) {
    for (int i = 0; i < 4; ++i) a = k::sync(k::reverse(a));
    return k::reverse(a);
  });
  EXPECT_NE(k::to_c(three).find("i32* const arr2 = arr0;"), std::string::npos) << k::to_c(three);  // in turn
}

TEST(KernelLanguage, WhatIsWrongIsSaidWhereItStands) {
  const auto with = [](const auto& f) { return refusal([&] { k::kernel("it", k::block<int>(6), f); }); };
  expect_says(with([](Pull<int> a) { return k::ilv(1, min, max, a); }), "language_test.cpp");
  expect_says(with([](Pull<int> a) { return k::ilv(1, min, max, a); }),
              "a multiple of 4 elements: the array has 6");
  expect_says(with([](Pull<int> a) { return k::zip_with(plus, a, k::odd(a)); }),
              "they have 6 and 3 elements");
  expect_says(with([](Pull<int> a) { return k::tree_reduce(plus, a); }), "not a power of two");
  expect_says(with([](Pull<int> a) {
                return Push<int>(6, [a](const Push<int>::Write& write) {
                  k::par(6, [&](Index i) { write(i, k::sync(a)[i]); });
                });
              }),
              "sync outside of par()");
  expect_says(with([](Pull<int> a) {
                return k::map([](Exp<int> x) { return x + sum(iota<int>(cast<std::int64_t>(x))); }, a);
              }),
              "use pull and push arrays");
  Pull<int> leaked(0, [](Index) { return Exp<int>(0); });
  expect_says(
      with([&](Pull<int> a) { return k::two([&](Pull<int> half) { return leaked = half, half; }, a); }),
      "nothing was refused");
  expect_says(with([&](Pull<int>) { return leaked; }), "TraceError");
  expect_says(refusal([] { k::sync(Pull<int>(1, [](Index) { return Exp<int>(0); })); }),
              "no kernel is being recorded");
  for (const char* name :
       {"", "int", "1st", "a b", "x; y", "kernel", "__global__", "fg_thing", "threadIdx.x"})
    expect_says(refusal([&] { k::kernel(name, k::block<int>(4), [](Pull<int> a) { return a; }); }),
                "cannot be the name of a kernel");
}

TEST(KernelLanguage, BlocksShareNoMoreThanThereIs) {
  const auto turned = [](std::int64_t n) {
    return k::kernel("turned", k::block<int>(n),
                     [](Pull<int> a) { return k::sync(k::reverse(k::sync(k::reverse(a)))); });
  };
  const auto large = turned(16384);  // 64 KiB
  const std::vector<int> xs = iota_of(16384);
  EXPECT_EQ(k::execute(cpu(), large, xs).to_vector(), xs);
  EXPECT_EQ(k::execute(emulator(0, 64 * 1024), large, xs).to_vector(), xs);
  expect_says(refusal([&] { k::execute(emulator(), large, xs); }),
              "share 65536 bytes, and the device has 49152");
  expect_says(refusal([&] { k::execute(emulator(), large, xs); }), "language_test.cpp");
  expect_says(refusal([&] { k::traffic(large, xs); }), "the device has 49152");
  expect_says(refusal([&] { turned(1 << 19); }), "share 4194304 bytes, and no device has more than 1048576");
  EXPECT_NE(k::to_cuda(large).find("extern __shared__"), std::string::npos);  // of what the launch says
}

TEST(KernelLanguage, ArgumentsThatDoNotFit) {
  const auto add = k::kernel("add", k::block<int>(4), k::block<int>(8),
                             [](Pull<int> a, Pull<int> b) { return k::zip_with(plus, a, k::even(b)); });
  expect_says(refusal([&] { k::execute(cpu(), add, iota_of(6), iota_of(8)); }),
              "argument 1 of kernel 'add' has 6 elements, which are no blocks of 4");
  expect_says(refusal([&] { k::execute(cpu(), add, iota_of(4), iota_of(16)); }),
              "has 2 blocks, what is before it 1");
  EXPECT_EQ(k::execute(cpu(), add, iota_of(8), iota_of(16)).to_vector(),
            (std::vector<int>{0, 3, 6, 9, 12, 15, 18, 21}));
}

}  // namespace
}  // namespace fulgurite
