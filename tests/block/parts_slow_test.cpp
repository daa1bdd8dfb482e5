// The parts that block-level kernels are built of, each by itself: block_reduce, block_scan, block_filter,
// block_histogram, of several types, sizes and operators, on every engine, against plain C++.
#include <algorithm>
#include <numeric>
#include <random>

#include "everywhere.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Pull;

// x -> first * x + second, in numbers that wrap; one after the other does not commute.
using Affine = std::pair<std::uint32_t, std::uint32_t>;

template <class T>
std::vector<T> numbers(std::int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n) + sizeof(T));
  std::vector<T> xs(static_cast<std::size_t>(n));
  for (T& x : xs) {
    if constexpr (std::is_same_v<T, Affine>)
      x = {static_cast<std::uint32_t>(random() | 1u), static_cast<std::uint32_t>(random())};
    else
      x = static_cast<T>(static_cast<int>(random() % 200) - (std::is_signed_v<T> ? 100 : 0));
  }
  return xs;
}

// Each operator for staged elements, and for plain ones.
constexpr auto wrapping_sum = [](auto x, auto y) {
  using T = decltype(x);
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) + static_cast<std::make_unsigned_t<T>>(y));
  else
    return x + y;
};
struct Sum {
  static constexpr bool commutes = true;
  auto operator()(const auto& x, const auto& y) const { return wrapping_sum(x, y); }
};
struct Greatest {
  static constexpr bool commutes = true;
  template <class T>
  T operator()(const T& x, const T& y) const {
    if constexpr (std::is_arithmetic_v<T>)
      return std::max(x, y);
    else
      return max(x, y);
  }
};
struct Last {
  static constexpr bool commutes = false;
  auto operator()(const auto&, const auto& y) const { return y; }
};
struct Then {
  static constexpr bool commutes = false;
  Affine operator()(const Affine& f, const Affine& g) const {
    return {f.first * g.first, g.first * f.second + g.second};
  }
  Exp<Affine> operator()(const Exp<Affine>& f, const Exp<Affine>& g) const {
    return make<Affine>(f.get<0>() * g.get<0>(), g.get<0>() * f.get<1>() + g.get<1>());
  }
};

constexpr std::int64_t blocks = 3;

// On OpenCL, whose compiler is slow, at one size.
template <class Check, class K, class... Arguments>
void on_engines(std::int64_t n, const Check& check, const K& kernel, const Arguments&... arguments) {
  SCOPED_TRACE(n);
  if (n == 37) return test::on_every_engine(check, kernel, arguments...);
  check(k::execute(cpu(), kernel, arguments...));
  for (std::uint64_t seed : {1u, 2u}) check(k::execute(emulator(seed), kernel, arguments...));
}

template <class T, class Op>
void expect_reductions_and_scans(const Op& op) {
  for (std::int64_t n : {1, 3, 32, 37, 100, 256}) {
    const std::vector<T> xs = numbers<T>(n * blocks);
    std::vector<T> sums, running = xs;
    for (auto at = running.begin(); at != running.end(); at += n) {
      std::inclusive_scan(at, at + n, at, op);
      sums.push_back(at[n - 1]);
    }
    const auto expect = [](const std::vector<T>& expected) {
      return [&expected](const auto& result) { EXPECT_EQ(result.to_vector(), expected); };
    };
    const auto reduce =
        k::kernel("reduce", k::block<T>(n), [&](Pull<T> a) { return k::block_reduce(op, a); });
    on_engines(n, expect(sums), reduce, xs);
    if (Op::commutes) {
      const auto freely =
          k::kernel("freely", k::block<T>(n), [&](Pull<T> a) { return k::block_reduce(op, a, true); });
      on_engines(n, expect(sums), freely, xs);
    }
    const auto scan = k::kernel("scan", k::block<T>(n), [&](Pull<T> a) { return k::block_scan(op, a); });
    on_engines(n, expect(running), scan, xs);
  }
}

TEST(Parts, SlowReductionsAndScansOfNumbers) {
  expect_reductions_and_scans<std::int32_t>(Sum());
  expect_reductions_and_scans<float>(Sum());  // whole numbers: exact
  expect_reductions_and_scans<std::uint8_t>(Greatest());
}

TEST(Parts, SlowReductionsAndScansThatKeepTheOrder) {
  expect_reductions_and_scans<Affine>(Then());
  expect_reductions_and_scans<std::int32_t>(Last());
}

template <class T, class Keep, class Plain>
void expect_filter(const Keep& keep, const Plain& keeps, const T& fill) {
  for (std::int64_t n : {1, 2, 37, 100, 256}) {
    const std::vector<T> xs = numbers<T>(n * blocks);
    std::vector<T> kept;
    std::vector<std::int32_t> counts;
    for (auto at = xs.begin(); at != xs.end(); at += n) {
      const auto before = static_cast<std::ptrdiff_t>(kept.size());
      std::copy_if(at, at + n, std::back_inserter(kept), keeps);
      counts.push_back(static_cast<std::int32_t>(static_cast<std::ptrdiff_t>(kept.size()) - before));
      kept.resize(static_cast<std::size_t>(before + n), fill);
    }
    const auto filter = k::kernel("filter", k::block<T>(n),
                                  [&](Pull<T> a) { return k::block_filter(keep, a, Exp<T>(fill)); });
    on_engines(
        n,
        [&](const auto& result) {
          EXPECT_EQ(std::get<0>(result).to_vector(), kept);
          EXPECT_EQ(std::get<1>(result).to_vector(), counts);
        },
        filter, xs);
  }
}

TEST(Parts, SlowFilters) {
  expect_filter<std::int32_t>([](Exp<std::int32_t> x) { return x % 3 == 0; },
                              [](int x) { return x % 3 == 0; }, -1);
  expect_filter<std::uint8_t>([](Exp<std::uint8_t>) { return Exp<bool>(false); },
                              [](std::uint8_t) { return false; }, 7);
  expect_filter<std::int64_t>([](Exp<std::int64_t>) { return Exp<bool>(true); },
                              [](std::int64_t) { return true; }, 7);
  expect_filter<Affine>([](Exp<Affine> f) { return f.get<1>() % 2u == 1u; },
                        [](const Affine& f) { return f.second % 2 == 1; }, {1, 0});
}

template <class T>
void expect_histogram(std::int64_t bins) {
  for (std::int64_t n : {1, 37, 256}) {
    const std::vector<T> xs = numbers<T>(n * blocks);  // some are in no bin
    std::vector<std::int32_t> counts(static_cast<std::size_t>(bins * blocks));
    for (std::int64_t i = 0; i < n * blocks; ++i) {
      const auto bin = static_cast<std::int64_t>(xs[static_cast<std::size_t>(i)]);
      if (0 <= bin && bin < bins) ++counts[static_cast<std::size_t>(i / n * bins + bin)];
    }
    const auto histogram =
        k::kernel("histogram", k::block<T>(n), [bins](Pull<T> a) { return k::block_histogram(bins, a); });
    on_engines(n, [&](const auto& result) { EXPECT_EQ(result.to_vector(), counts); }, histogram, xs);
  }
}

TEST(Parts, SlowHistograms) {
  for (std::int64_t bins : {1, 100}) {
    expect_histogram<std::int32_t>(bins);
    expect_histogram<std::uint8_t>(bins);
  }
}

}  // namespace
}  // namespace fulgurite
