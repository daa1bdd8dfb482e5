// Kernels called from array programs, on all engines; on the interpreter that is the emulator.
#include <fulgurite/explain.h>
#include <fulgurite/kernel.h>
#include <gtest/gtest.h>

#include <numeric>

#include "../runtime/pocl.h"
#include "refusals.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index;
using k::Pull;
using test::expect_says, test::refusal;

std::vector<int> iota_of(int n) {
  std::vector<int> xs(static_cast<std::size_t>(n));
  std::iota(xs.begin(), xs.end(), 0);
  return xs;
}

Options on(Engine engine) {
  if (engine == Engine::opencl) runtime::test::prepare_pocl();
  return {.engine = engine};
}
template <class F, class Check>
void on_both(F f, Check&& check) {
  check(compile(f));
  check(compile(f, Options{.engine = Engine::interpreter}));
}

const auto& block_sum() {
  static const auto kernel =
      k::kernel("block_sum", k::block<int>(64), [](Pull<int> a) { return k::tree_reduce(plus, a); });
  return kernel;
}
constexpr int line_of_total = __LINE__ + 2;
Exp<int> total(Vec<int> xs) {
  return sum(k::call(block_sum(), xs));
}

TEST(KernelCall, ResultsFlowIntoArrayPrograms) {
  on_both(total, [](auto f) {
    EXPECT_EQ(f(iota_of(256)), 255 * 128);
    EXPECT_EQ(f(std::vector<int>()), 0);
    expect_says(
        refusal([&] { f(iota_of(100)); }),
        "call_test.cpp:" + std::to_string(line_of_total) +
            ": fulgurite::ShapeError: argument 1 of kernel 'block_sum' has 100 elements, which are no "
            "blocks of 64");
  });
}

// Arrays that are made for a kernel are in memory; what reads its result fuses.
TEST(KernelCall, ArgumentsAreArraysInMemory) {
  const auto around = [](Vec<int> xs) { return k::call(block_sum(), xs * 2) + 1; };
  on_both(around, [](auto f) { EXPECT_EQ(f(iota_of(128)).to_vector(), (std::vector<int>{4033, 12225})); });
}

const auto& raise() {
  static const auto kernel =
      k::kernel("raise", k::updated<int>(), k::scalar<int>(), [](k::Updated<int> a, Exp<int> by) {
        const k::Tiles tiles = k::neighbours(a.size(), 16);
        return k::update(a, tiles, k::map([by](Exp<int> x) { return x + by; }, k::tile(a, tiles)));
      });
  return kernel;
}

TEST(KernelCall, ScalarsMayBeElementsAndQuotients) {
  const auto raised = [](Vec<int> xs, Exp<int> by) {
    const Vec<int> ys = xs * 2;
    return k::call(raise(), k::call(raise(), ys, ys[1]), xs[2] / by);
  };
  on_both(raised, [](auto f) {
    std::vector<int> expected = iota_of(32);
    for (int& x : expected) x = 2 * x + 3;
    EXPECT_EQ(f(iota_of(32), 2).to_vector(), expected);
    EXPECT_THROW(f(iota_of(32), 0), ArithmeticError);
  });
}

TEST(KernelCall, UpdatesLeaveTheOldArrayToWhoReadsIt) {
  const auto both = [](Vec<int> xs) {
    const Vec<int> ys = xs + xs;
    return std::tuple{k::call(raise(), ys, 5), ys, k::call(raise(), xs, 1)};
  };
  on_both(both, [](auto f) {
    const std::vector<int> xs = iota_of(32);
    const auto [raised, ys, argument] = f(xs);
    for (int i = 0; i < 32; ++i) {
      EXPECT_EQ(raised[i], 2 * i + 5);
      EXPECT_EQ(ys[i], 2 * i);
      EXPECT_EQ(argument[i], i + 1);
      EXPECT_EQ(xs[static_cast<std::size_t>(i)], i);
    }
  });
}

Vec<int> raise_again_and_again(Vec<int> xs, Exp<std::int64_t> n) {
  return iterate(n, [](Exp<std::int64_t> i, Vec<int> a) { return k::call(raise(), a, cast<int>(i)); }, xs);
}

TEST(KernelCall, LoopsUpdateInPlace) {
  on_both(raise_again_and_again, [](auto f) {
    const auto raised = f(iota_of(64), 10);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(raised[i], i + 45);
  });
  auto f = compile(raise_again_and_again);
  const std::vector<int> xs = iota_of(1 << 16);
  f(xs, 3);
  const Stats before = stats();
  f(xs, 100);
  const Stats after = stats();
  // The first one copies the argument, into memory that the others work in.
  EXPECT_LE(after.bytes_allocated - before.bytes_allocated, std::uint64_t{1} << 18);
}

TEST(KernelCall, SeveralResultsAndComposites) {
  using Pair = std::pair<int, double>;
  const auto split =
      k::kernel("split", k::block<Pair>(8), k::scalar<double>(), [](Pull<Pair> a, Exp<double> by) {
        return std::tuple{
            k::map([](Exp<Pair> x) { return x.get<0>(); }, a),
            k::map([by](Exp<Pair> x) { return make<Pair>(x.get<0>() + 1, x.get<1>() * by); }, a)};
      });
  const auto program = [split](Vec<Pair> xs) {
    const auto [keys, pairs] = k::call(split, xs, 0.5);
    return std::tuple{sum(keys), pairs};
  };
  on_both(program, [](auto f) {
    const auto [keys, pairs] = f(std::vector<Pair>(16, {3, 4.0}));
    EXPECT_EQ(keys, 48);
    EXPECT_EQ(Pair(pairs[15]), (Pair{4, 2.0}));
  });
}

TEST(KernelCall, FailuresReachTheCaller) {
  const auto divide = k::kernel("divide", k::block<int>(4), k::scalar<int>(), [](Pull<int> a, Exp<int> by) {
    return k::map([by](Exp<int> x) { return x / by; }, a);
  });
  const auto program = [divide](Vec<int> xs, Exp<int> by) { return k::call(divide, xs, by); };
  on_both(program, [](auto f) {
    EXPECT_EQ(f(iota_of(8), 2)[7], 3);
    expect_says(refusal([&] { f(iota_of(8), 0); }), "ArithmeticError: an integer is divided by zero");
    EXPECT_EQ(f(iota_of(8), 1)[7], 7);
  });
}

TEST(KernelCall, TheInterpreterProvesKernels) {
  const auto racy =
      k::kernel("racy", k::block<int>(64), [](Pull<int> a) { return k::reverse(k::commit(a)); });
  const auto f =
      compile([racy](Vec<int> xs) { return k::call(racy, xs); }, Options{.engine = Engine::interpreter});
  EXPECT_THROW(f(iota_of(64)), KernelError);
}

TEST(KernelCall, NotForEachElement) {
  expect_says(refusal([] {
                compile([](Mat<int> m) {
                  return map([](Vec<int> row) { return sum(k::call(block_sum(), row)); }, rows(m));
                });
              }),
              "a function of elements, given to map, calls a kernel");
  expect_says(refusal([] {
                k::kernel("outer", k::block<int>(4), [](Pull<int> a) {
                  const Vec<int> sums = k::call(block_sum(), iota<int>(64));
                  return k::map([sums](Exp<int> x) { return x + sums[0]; }, a);
                });
              }),
              "use pull and push arrays");
}

// A branch that calls a kernel runs as one; nothing reads it element by element.
TEST(KernelCall, InBranches) {
  const auto program = [](Vec<int> xs, Exp<bool> is) {
    const Vec<int> chosen = cond(is, [&] { return k::call(raise(), xs, 7); }, [&] { return xs * 3; });
    return chosen + 1;
  };
  on_both(program, [](auto f) {
    EXPECT_EQ(f(iota_of(16), true)[5], 13);
    EXPECT_EQ(f(iota_of(16), false)[5], 16);
  });
}

TEST(KernelCall, ProgramsAreKeptOnDiskWithTheirKernels) {
  const auto with = [](int by) {
    const auto add = k::kernel("add", k::block<int>(4),
                               [by](Pull<int> a) { return k::map([by](Exp<int> x) { return x + by; }, a); });
    return compile([add](Vec<int> xs) { return k::call(add, xs); })(iota_of(4))[0];
  };
  EXPECT_EQ(with(1), 1);
  EXPECT_EQ(with(2), 2);  // another kernel, though the programs around them are alike
}

// On a device whose memory is its own.
TEST(KernelCall, OnOpenCl) {
  const auto f = compile(raise_again_and_again, on(Engine::opencl));
  const auto raised = f(iota_of(64), 10);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(raised[i], i + 45);
  EXPECT_EQ(f(std::vector<int>(), 10).size(), 0);
  EXPECT_EQ(f(iota_of(32), 0).to_vector(), iota_of(32));
  expect_says(refusal([&] { f(iota_of(8), 1); }), "an array of 8 elements is no tiles of 16");

  const auto twice = [](Vec<int> xs) {
    return std::tuple{k::call(raise(), xs, 5), k::call(raise(), xs, 1), xs};
  };
  const auto [five, one, none] = compile(twice, on(Engine::opencl))(iota_of(32));
  EXPECT_EQ(five[3], 8);
  EXPECT_EQ(one[3], 4);
  EXPECT_EQ(none[3], 3);
  EXPECT_EQ(compile(total, on(Engine::opencl))(iota_of(64)), 2016);
}

TEST(KernelCall, OpenClReportsFailuresOnce) {
  const auto divide = k::kernel("divide", k::block<int>(4), k::scalar<int>(), [](Pull<int> a, Exp<int> by) {
    return k::map([by](Exp<int> x) { return x / by; }, a);
  });
  const auto f =
      compile([divide](Vec<int> xs, Exp<int> by) { return k::call(divide, xs, by); }, on(Engine::opencl));
  expect_says(refusal([&] { f(iota_of(8), 0); }), "ArithmeticError: an integer is divided by zero");
  EXPECT_EQ(f(iota_of(8), 2)[7], 3);
}

// What computes the same is launched once.
TEST(KernelCall, EqualCallsAreOne) {
  const auto f =
      compile([](Vec<int> xs) { return std::tuple{k::call(block_sum(), xs), k::call(block_sum(), xs)}; });
  f(iota_of(64));
  const std::uint64_t before = stats().launches;
  f(iota_of(64));
  EXPECT_EQ(stats().launches, before + 1);
}

TEST(KernelCall, IsExplained) {
  testing::internal::CaptureStdout();
  explain(compile(total));
  const std::string text = testing::internal::GetCapturedStdout();
  expect_says(text, "block_sum");
  expect_says(text,
              "as written: blocks of 32 threads, 192 bytes of shared memory, 0 barriers and 5 of a warp");
}

}  // namespace
}  // namespace fulgurite
