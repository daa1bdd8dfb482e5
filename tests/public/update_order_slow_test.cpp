// Updates beside reads, and beside updates of other arrays, in one pass: what is read is what was there
// before the pass, on every engine.
#include "engines.h"

#include <numeric>
#include <tuple>

namespace {

using fg::i64;

std::vector<int> numbers(std::size_t n, int first, int step) {
  std::vector<int> xs(n);
  for (std::size_t i = 0; i < n; ++i) xs[i] = first + static_cast<int>(i % 1000) * step;
  return xs;
}

template <class T>
std::vector<T> plain(const fg::Array<T, 1>& array) {
  return array.to_vector();
}
template <class T>
  requires std::is_arithmetic_v<T>
T plain(T scalar) {
  return scalar;
}

/// The program of two arrays gives on every engine what the interpreter gives without any fusion.
template <class P>
void expect_old_values(const P& program, std::initializer_list<std::size_t> sizes = {2, 40, 1000}) {
  const auto call = [](const auto& f, std::size_t n) {
    return std::apply([](const auto&... result) { return std::tuple{plain(result)...}; },
                      f(numbers(n, 1, 1), numbers(n, 10, 10)));
  };
  const auto unfused = fg::compile(program, {.engine = fg::Engine::interpreter, .fuse = false});
  for (fg::Engine engine :
       {fg::Engine::interpreter, fg::Engine::cpu, fg::Engine::opencl, fg::Engine::emulator}) {
    const auto f = fg::compile(program, {.engine = engine});
    for (std::size_t n : sizes) {
      if (engine == fg::Engine::emulator && n > 5000) continue;
      EXPECT_TRUE(call(f, n) == call(unfused, n)) << "engine " << static_cast<int>(engine) << ", n = " << n;
    }
  }
}

TEST(UpdateOrderSlow, ElementsOfTwoArraysChangePlaces) {
  expect_old_values([](Vec<int> x, Vec<int> y) {
    return fg::iterate(
        2,
        [](Exp<i64> i, Vec<int> a, Vec<int> b) {
          auto u = a[i], v = b[i];
          return std::tuple{fg::with(a, i, v), fg::with(b, i, u)};
        },
        x, y);
  });
}

TEST(UpdateOrderSlow, ElementsOfThreeArraysRotate) {
  expect_old_values([](Vec<int> x, Vec<int> y) {
    auto [a, b, c] = fg::iterate(
        2,
        [](Exp<i64> i, Vec<int> p, Vec<int> q, Vec<int> r) {
          auto u = p[i], v = q[i + 0], w = r[i];
          return std::tuple{fg::with(p, i, v), fg::with(q, i, w), fg::with(r, i, u)};
        },
        x, y, x + y);
    return std::tuple{a, b, c};
  });
}

TEST(UpdateOrderSlow, ElementsMoveBetweenArrays) {
  expect_old_values([](Vec<int> x, Vec<int> y) {
    return fg::iterate(
        2,
        [](Exp<i64> i, Vec<int> rest, Vec<int> least) {
          auto best = fg::cast<i64>(fg::argmin(rest));
          return std::tuple{fg::with(rest, best, 1000000), fg::with(least, i, rest[best])};
        },
        x, y);
  });
}

TEST(UpdateOrderSlow, AScalarBesideAnUpdate) {
  expect_old_values([](Vec<int> x, Vec<int> y) {
    auto [a, total] = fg::iterate(
        2, [&](Exp<i64> i, Vec<int> p, Exp<int> t) { return std::tuple{fg::with(p, i, y[i]), t + p[i] * 3}; },
        x, 0);
    return std::tuple{a, total};
  });
}

TEST(UpdateOrderSlow, SlicesOfTwoArraysChangePlaces) {
  expect_old_values(
      [](Vec<int> x, Vec<int> y) {
        auto n = x.size();
        return fg::iterate(
            3,
            [&](Exp<i64>, Vec<int> a, Vec<int> b) {
              return std::tuple{fg::with(a, fg::Range{0, n, 2}, b.slice(1, n, 2)),
                                fg::with(b, fg::Range{1, n, 2}, a.slice(0, n, 2))};
            },
            x, y);
      },
      {2, 40, 1000, 150000});
}

TEST(UpdateOrderSlow, HalvesOfTwoArraysChangePlacesOutsideOfLoops) {
  expect_old_values(
      [](Vec<int> x, Vec<int> y) {
        auto n = x.size();
        auto a = fg::scan(fg::plus, 0, x), b = fg::scan(fg::plus, 0, y);
        return std::tuple{fg::with(a, fg::Range{0, n / 2}, b.slice(0, n / 2)),
                          fg::with(b, fg::Range{0, n / 2}, a.slice(0, n / 2))};
      },
      {2, 40, 1000, 150000});
}

TEST(UpdateOrderSlow, AGatherOfThePlacesThatAScatterStoresTo) {
  expect_old_values(
      [](Vec<int> x, Vec<int>) {
        auto s = fg::scan(fg::plus, 0, x);
        auto at = fg::iota(s.size());
        return std::tuple{fg::scatter(s, at, fg::cast<int>(at * 0 - 1)), fg::gather(s, at)};
      },
      {2, 40, 1000, 150000});
  expect_old_values([](Vec<int> x, Vec<int>) {
    auto s = fg::scan(fg::plus, 0, x);
    auto at = fg::cast<i64>(fg::sort(x) - 1);
    return std::tuple{fg::scatter(s, at, fg::cast<int>(at * 0 - 1)), fg::gather(s, at)};
  });
}

TEST(UpdateOrderSlow, AGatherBesideAScatterInALoop) {
  expect_old_values([](Vec<int> x, Vec<int> y) {
    return fg::iterate(
        2,
        [](Exp<i64> k, Vec<int> s, Vec<int>) {
          auto at = fg::generate(s.size() / 2, [&](Exp<i64> i) { return 2 * i + k; });
          return std::tuple{fg::scatter(s, at, fg::cast<int>(at * 0 - 1)), fg::gather(s, at)};
        },
        x, y);
  });
  expect_old_values([](Vec<int> x, Vec<int> y) {
    auto at = fg::cast<i64>(x % fg::cast<int>(y.size()));
    return fg::iterate(
        2,
        [&](Exp<i64>, Vec<int> s, Vec<int> g) {
          return std::tuple{fg::scatter(s, at, fg::cast<int>(at * 0 - 1)), fg::gather(s, at) + g};
        },
        x, y);
  });
}

TEST(UpdateOrderSlow, ReductionsOfWhatIsUpdated) {
  expect_old_values(
      [](Vec<int> x, Vec<int> y) {
        auto last = [](Exp<int> a, Exp<int> b) { return fg::select(b % 7 != 0, b, a); };
        auto [a, sum, kept] = fg::iterate(
            2,
            [&](Exp<i64>, Vec<int> p, Exp<int> s, Exp<int> k) {
              return std::tuple{fg::with(p, fg::Range{0, p.size()}, y + p), s + fg::sum(p),
                                k + fg::reduce(last, 0, p)};
            },
            x, 0, 0);
        return std::tuple{a, sum, kept};
      },
      {2, 40, 1000, 150000});
}

TEST(UpdateOrderSlow, ScansAndFiltersOfWhatIsUpdated) {
  expect_old_values(
      [](Vec<int> x, Vec<int> y) {
        auto a = fg::scan(fg::plus, 0, x);
        auto n = a.size();
        auto odd = fg::filter([](Exp<int> v) { return v % 2 != 0; }, a);
        return std::tuple{fg::with(a, fg::Range{0, n}, y), fg::scan(fg::max, 0, a), odd, fg::reverse(a)};
      },
      {2, 40, 1000, 150000});
}

TEST(UpdateOrderSlow, StartValuesThatAreUpdated) {
  expect_old_values(
      [](Vec<int> x, Vec<int> y) {
        auto a = fg::scan(fg::plus, 0, x);
        auto n = a.size();
        return std::tuple{fg::with(a, fg::Range{0, n}, y), fg::fold(fg::plus, a[n - 1], y),
                          fg::exclusive_scan(fg::plus, a[0], y)};
      },
      {2, 40, 1000, 150000});
}

TEST(UpdateOrderSlow, TwoUpdatesOfOneArray) {
  expect_old_values([](Vec<int> x, Vec<int> y) {
    auto a = fg::scan(fg::plus, 0, x);
    return std::tuple{fg::with(a, 0, y[1]), fg::with(a, 1, y[0]), a[0] + a[1]};
  });
}

TEST(UpdateOrderSlow, RowsOfTwoMatricesChangePlaces) {
  const auto program = [](Vec<int> x, Vec<int> y) {
    auto n = x.size() / 2;
    auto [a, b] = fg::iterate(
        2,
        [&](Exp<i64> k, Mat<int> p, Mat<int> q) {
          auto row = [&](Mat<int> m) { return m.slice({k, k + 1}, {0, n}); };
          return std::tuple{fg::with(p, {fg::Range{k, k + 1}, fg::Range{0, n}}, row(q)),
                            fg::with(q, {fg::Range{k, k + 1}, fg::Range{0, n}}, row(p))};
        },
        fg::reshape(x, {2, n}), fg::reshape(y, {2, n}));
    return std::tuple{fg::flatten(a), fg::flatten(b)};
  };
  expect_old_values(program);
}

// The swap takes as long for long arrays as for short ones: nothing is copied.
TEST(UpdateOrderSlow, TheSwapStaysInPlace) {
  const auto swap = fg::compile(
      [](Exp<int> n, Exp<int> times) {
        return fg::iterate(
            times,
            [](Exp<i64> i, Vec<int> a, Vec<int> b) {
              auto u = a[i], v = b[i];
              return std::tuple{fg::with(a, i, v), fg::with(b, i, u)};
            },
            fg::replicate(n, 1), fg::replicate(n, 2));
      },
      {.engine = fg::Engine::cpu});
  constexpr int n = 100000;
  swap(n, 2);
  fg::reset_stats();
  const auto [a, b] = swap(n, 300);
  EXPECT_LT(static_cast<double>(fg::stats().bytes_allocated), 2.5 * 4 * n + 100000);
  EXPECT_EQ(a[299], 2);
  EXPECT_EQ(b[299], 1);
}

}  // namespace
