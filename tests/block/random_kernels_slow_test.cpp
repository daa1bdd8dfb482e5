// The passes change nothing of what random kernels compute, on the CPU and, without races, in any order of
// threads.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "programs.h"
#include "random_kernel.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Pull;
using random_kernels::drawn, random_kernels::staged, random_kernels::Step, random_kernels::Steps;
using Ints = std::vector<int>;

int wrapping_sum(int x, int y) {
  return static_cast<int>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
}

int wrapping(std::int64_t x) {
  return static_cast<int>(static_cast<std::uint32_t>(x));
}
int of_own_array(int by, int x) {
  const auto at = [&](std::int64_t j) {
    return wrapping(std::int64_t{x ^ by} + std::int64_t{wrapping(j * x)});
  };
  return wrapping(std::int64_t{at(x & 3)} - at(by % 4));
}
int of_rounds(int by, int x) {
  int s = x;
  for (int j = 0; j < (x & 3); ++j) s = wrapping(std::int64_t{wrapping(std::int64_t{s} * 3)} + by);
  while ((s & 7) != by % 8) s = wrapping(std::int64_t{s} + 1);
  return s;
}
void put_in_order(int& x, int& y) {
  const int low = std::min(x, y), high = std::max(x, y);
  const bool is_more = wrapping(std::int64_t{x} + 1) > low;
  x = low, y = is_more ? high : 0;
}

int of_pair(int by, int x) {
  return wrapping(std::int64_t{x} * by + std::int64_t{static_cast<std::int16_t>(x)});
}
Ints of_counted(int by, const Ints& xs) {
  std::array<int, 8> least;
  std::array<unsigned, 8> counts;
  least.fill(1000);
  counts.fill(5);
  for (int x : xs) {
    const auto at = static_cast<std::size_t>(x & 7);
    least[at] = std::min(least[at], x);
    if (static_cast<int>(at) <= by % 8) ++counts[at];
  }
  Ints ys;
  for (int x : xs) {
    const int at = x & 7;
    const auto count = static_cast<int>(counts[static_cast<std::size_t>(at % (by % 8 + 1))]);
    ys.push_back(wrapping_sum(least[static_cast<std::size_t>(at)], wrapping(std::int64_t{count} * x)));
  }
  return ys;
}

Ints plain(const Steps& steps, Ints xs);
Ints plain(const Step& s, const Ints& xs) {
  const std::size_t n = xs.size();
  const auto bit = static_cast<std::size_t>(s.number % k::log2(static_cast<std::int64_t>(n)));
  Ints ys(n);
  const auto joined = [&](std::size_t flips) {  // the smaller one where the highest of these bits is 0
    for (std::size_t i = 0; i < n; ++i)
      ys[i] = (i >> bit & 1) == 0 ? std::min(xs[i], xs[i ^ flips]) : std::max(xs[i], xs[i ^ flips]);
  };
  const auto parts = [&](auto&& place) {
    for (std::size_t part = 0; part < 2; ++part) {
      Ints own(n / 2);
      for (std::size_t i = 0; i < n / 2; ++i) own[i] = xs[place(part, i)];
      own = plain(s.parts, own);
      for (std::size_t i = 0; i < n / 2; ++i) ys[place(part, i)] = own[i];
    }
  };
  switch (s.kind) {
    case Step::reverse: std::reverse_copy(xs.begin(), xs.end(), ys.begin()); break;
    case Step::add:
      std::ranges::transform(xs, ys.begin(), [&](int x) { return wrapping_sum(x, s.number); });
      break;
    case Step::ilv:
    case Step::ilv_1: joined(std::size_t{1} << bit); break;
    case Step::vee:
    case Step::vee_1: joined((std::size_t{2} << bit) - 1); break;
    case Step::odd_even:
      for (std::size_t i = 0; i < n; ++i) ys[i] = i < n / 2 ? xs[2 * i + 1] : xs[2 * (i - n / 2)];
      break;
    case Step::shift:
      for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t from = static_cast<std::int64_t>(i) - (s.number % 5 - 2);
        ys[i] = 0 <= from && from < static_cast<std::int64_t>(n) ? xs[static_cast<std::size_t>(from)] : 7;
      }
      break;
    case Step::riffle:
      for (std::size_t i = 0; i < n; ++i) ys[i] = xs[i / 2 + i % 2 * (n / 2)];
      break;
    case Step::fold:
      for (std::size_t i = 0; i < n; ++i) ys[i] = wrapping_sum(xs[i], xs[n - 1 - i]);
      break;
    case Step::scan: std::inclusive_scan(xs.begin(), xs.end(), ys.begin(), wrapping_sum); break;
    case Step::own_array:
      std::ranges::transform(xs, ys.begin(), [&](int x) { return of_own_array(s.number, x); });
      break;
    case Step::ordered:
      ys = xs;
      for (std::size_t i = 0; i < n; i += 2) put_in_order(ys[i], ys[i + 1]);
      break;
    case Step::in_rounds:
      std::ranges::transform(xs, ys.begin(), [&](int x) { return of_rounds(s.number, x); });
      break;
    case Step::loop:
      ys = xs;
      for (int round = 0; round < s.number % 4; ++round) {
        const Ints before = ys;
        for (std::size_t i = 0; i < n; ++i)
          ys[i] = wrapping_sum(before[i], wrapping_sum(before[n - 1 - i], round));
      }
      break;
    case Step::in_global: std::reverse_copy(xs.begin(), xs.end(), ys.begin()); break;
    case Step::pairs:
      for (std::size_t i = 0; i < n; ++i) ys[i] = of_pair(s.number, xs[n - 1 - i]);
      break;
    case Step::counted: ys = of_counted(s.number, xs); break;
    case Step::two: parts([&](std::size_t part, std::size_t i) { return part * (n / 2) + i; }); break;
    default: parts([](std::size_t part, std::size_t i) { return 2 * i + part; });
  }
  return ys;
}
Ints plain(const Steps& steps, Ints xs) {
  for (const Step& s : steps) xs = plain(s, xs);
  return xs;
}

TEST(RandomKernels, SlowPropertyPassesKeepWhatIsComputed) {
  const bool held = rc::check("kernels compute what plain C++ does", [] {
    std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
    const int bits = 1 + static_cast<int>(random() % 8);
    const std::size_t n = std::size_t{1} << bits, blocks = 1 + random() % 3;
    const Steps steps = drawn(random, bits, 6);
    Ints xs(n * blocks), expected;
    for (int& x : xs) x = static_cast<int>(random() % 100);
    for (auto at = xs.begin(); at != xs.end(); at += static_cast<std::ptrdiff_t>(n)) {
      const Ints block = plain(steps, Ints(at, at + static_cast<std::ptrdiff_t>(n)));
      expected.insert(expected.end(), block.begin(), block.end());
    }
    const auto kernel = k::kernel("random", k::block<int>(static_cast<std::int64_t>(n)),
                                  [&](Pull<int> a) { return staged(steps, a); });
    for (const k::Runner& engine : {emulator(random()), emulator(random()), cpu()}) {
      Ints made;
      try {
        made = k::execute(engine, kernel, xs).to_vector();
      } catch (const Error& e) {
        RC_FAIL(std::string(e.what()) + "\n" + k::to_ir(kernel));
      }
      if (made != expected) RC_FAIL(std::string(engine.engine) + " differs\n" + k::to_ir(kernel));
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace fulgurite
