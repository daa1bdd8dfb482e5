// Functions of elements that make arrays of few elements, whose extents are known while tracing, against the
// interpreter: loops that replace elements, branches, several results, failures; at numbers of points around
// those of vectors and tiles.
#include "engines.h"

#include <cmath>
#include <random>

namespace {

using fg::i64;
template <class T>
using Matrices = fg::Acc<T, 3>;

constexpr std::int64_t all_points[] = {0, 1, 2, 7, 8, 9, 16, 31, 67, 300};
const char* const policies[] = {"", "cheap_tile=64 moderate_tile=64 expensive_tile=64"};

template <class T>
std::vector<T> values(std::int64_t n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& value : x)
    value = std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(random() % 2000) / 256 - 3.9)
                                        : static_cast<T>(random() % 200);
  return x;
}

template <class T, int N>
void expect_same(const fg::Array<T, N>& ours, const fg::Array<T, N>& theirs) {
  ASSERT_EQ(ours.shape(), theirs.shape());
  const auto bits = [](const fg::Array<T, N>& x) {
    std::vector<T> all = x.to_vector();
    for (T& value : all)
      if (value != value) value = T(-12345);  // whichever NaN
    return all;
  };
  EXPECT_EQ(bits(ours), bits(theirs));
}
template <class... Rs>
void expect_same(const std::tuple<Rs...>& ours, const std::tuple<Rs...>& theirs) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (expect_same(std::get<k>(ours), std::get<k>(theirs)), ...);
  }(std::index_sequence_for<Rs...>());
}

// Whether a product and a sum are rounded together, as the interpreter does.
bool has_fma() {
  const char* cpu = std::getenv("FULGURITE_CPU");
  return cpu == nullptr || std::string(cpu) != "x86-64-v2";
}

// test(f on an engine, f on the interpreter)
template <class F, class Test>
void beside_the_interpreter(F f, Test test) {
  for (const fg::Precision precision : {fg::Precision::fast, fg::Precision::strict}) {
    const auto reference = fg::compile(f, {.engine = fg::Engine::interpreter, .precision = precision});
    for (const auto& [name, engine] : tested_engines())
      for (const char* policy : policies) {
        if (precision == fg::Precision::fast && engine == fg::Engine::cpu && !has_fma()) continue;
        if (engine == fg::Engine::interpreter || (*policy != '\0' && engine != fg::Engine::cpu)) continue;
        SCOPED_TRACE("engine " + name + ", policy " + policy);
        try {
          test(fg::compile(f, {.engine = engine, .precision = precision, .policy = policy}), reference);
        } catch (const fg::DeviceError&) {
          EXPECT_EQ(precision, fg::Precision::strict);  // a device that does not have it
        }
      }
  }
}

template <class T>
fg::Array<T, 3> matrices(std::int64_t n, std::int64_t rows, std::int64_t columns, unsigned seed = 1) {
  return {values<T>(n * rows * columns, seed), {n, rows, columns}};
}

template <class T>
Matrices<T> of_extents(const Matrices<T>& x, std::int64_t rows, std::int64_t columns) {
  return fg::reshape(x, {x.size(0), rows, columns});
}

// LU decomposition as a matrix in each step.
template <class T>
Mat<T> factors(const Mat<T>& m, std::int64_t n) {
  return fg::iterate(
      n - 1,
      [&](Exp<i64> k, Mat<T> u) {
        return fg::generate({n, n}, [&](Exp<i64> i, Exp<i64> j) {
          const Exp<T> factor = u(i, k) / u(k, k);
          const Exp<T> element = fg::select(j > k, u(i, j) - factor * u(k, j), factor);
          return fg::select(i > k && j >= k, element, u(i, j));
        });
      },
      m);
}
// The factors by updates of a matrix.
template <class T>
Mat<T> updated_factors(const Mat<T>& m, std::int64_t n) {
  return fg::iterate(
      n - 1,
      [&](Exp<i64> k, Mat<T> u) {
        return fg::iterate(
            n - 1 - k,
            [&](Exp<i64> below, Mat<T> v) {
              const Exp<i64> i = k + 1 + below;
              const Exp<T> factor = v(i, k) / v(k, k);
              return fg::iterate(
                  n - 1 - k,
                  [&](Exp<i64> behind, Mat<T> w) {
                    const Exp<i64> j = k + 1 + behind;
                    return fg::with(w, {i, j}, w(i, j) - factor * w(k, j));
                  },
                  fg::with(v, {i, k}, factor));
            },
            u);
      },
      m);
}

template <class T>
void test_factors(std::int64_t n) {
  const auto f = [n](Matrices<T> a) {
    const auto squares = fg::slices(of_extents(a, n, n));
    return std::tuple{fg::map([n](Mat<T> m) { return factors(m, n); }, squares),
                      fg::map([n](Mat<T> m) { return updated_factors(m, n); }, squares)};
  };
  beside_the_interpreter(f, [&](const auto& ours, const auto& reference) {
    for (const std::int64_t points : all_points) {
      SCOPED_TRACE(points);
      const fg::Array<T, 3> a = matrices<T>(points, n, n);
      expect_same(ours(a), reference(a));
    }
  });
}

TEST(SmallArrays, FactorsOf4x4Property) {
  test_factors<float>(4);
}
TEST(SmallArrays, FactorsOf3x3Property) {
  test_factors<double>(3);
}
TEST(SmallArrays, FactorsOf5x5Property) {
  test_factors<float>(5);
}

TEST(SmallArrays, SolutionsProperty) {
  const auto f = [](Matrices<float> a, Mat<float> b) {
    return fg::map(
        [](Mat<float> l, Vec<float> r) {
          return fg::iterate(
              4,
              [&](Exp<i64> i, Vec<float> x) {
                const Exp<float> rest =
                    fg::iterate(i, [&](Exp<i64> k, Exp<float> s) { return s - l(i, k) * x[k]; }, x[i]);
                return fg::with(x, i, rest / l(i, i));
              },
              r);
        },
        fg::slices(of_extents(a, 4, 4)), fg::rows(fg::reshape(b, {b.size(0), 4})));
  };
  beside_the_interpreter(f, [&](const auto& ours, const auto& reference) {
    for (const std::int64_t points : all_points) {
      const auto a = matrices<float>(points, 4, 4);
      const fg::Array<float, 2> b(values<float>(points * 4, 2), {points, 4});
      expect_same(ours(a, b), reference(a, b));
    }
  });
}

// Sums of integers are exact in any order; those of floats are compared within bounds.
template <class T>
void test_products(std::int64_t m, std::int64_t k, std::int64_t n) {
  const auto f = [=](Matrices<T> a, Matrices<T> b) {
    return fg::map([](Mat<T> x, Mat<T> y) { return fg::matmul(x, y); }, fg::slices(of_extents(a, m, k)),
                   fg::slices(of_extents(b, k, n)));
  };
  beside_the_interpreter(f, [&](const auto& ours, const auto& reference) {
    for (const std::int64_t points : {0, 1, 2, 7, 8, 9, 33, 70}) {
      SCOPED_TRACE(::testing::PrintToString(std::vector{points, m, k, n}));
      const auto a = matrices<T>(points, m, k), b = matrices<T>(points, k, n, 2);
      const auto c = ours(a, b), d = reference(a, b);
      ASSERT_EQ(c.shape(), d.shape());
      for (std::int64_t at = 0; at < c.size(); ++at)
        if constexpr (std::is_floating_point_v<T>)
          ASSERT_NEAR(c.data()[at], d.data()[at],
                      400 * static_cast<double>(k) * std::numeric_limits<T>::epsilon())
              << at;
        else
          ASSERT_EQ(c.data()[at], d.data()[at]) << at;
    }
  });
}

TEST(SmallArrays, ProductsProperty) {
  test_products<float>(4, 4, 4);
  test_products<float>(8, 8, 8);
  test_products<float>(3, 5, 9);
  test_products<double>(4, 4, 4);
  test_products<double>(8, 8, 8);
  test_products<int>(4, 4, 4);
  test_products<int>(8, 8, 8);
  test_products<std::uint8_t>(4, 4, 4);
}
TEST(SmallArrays, ProductsOfOtherExtentsProperty) {
  test_products<float>(1, 1, 1);
  test_products<float>(2, 3, 2);
  test_products<int>(1, 4, 3);
  test_products<int>(3, 0, 3);
  test_products<int>(16, 2, 17);
  test_products<float>(2, 33, 2);
}

// Several results of unequal lengths and kinds, reductions and scans of elements, an operator on tuples that
// does not commute.
TEST(SmallArrays, SeveralResultsProperty) {
  const auto f = [](Mat<int> a, Mat<double> b, Mat<std::uint8_t> c) {
    return fg::map(
        [](Vec<int> x, Vec<double> y, Vec<std::uint8_t> z) {
          const auto sums = fg::scan(fg::plus, 0, x);
          const auto before = fg::exclusive_scan(fg::plus, 10, x);
          const auto composed = fg::reduce(
              [](Exp<std::tuple<int, int>> p, Exp<std::tuple<int, int>> q) {
                return std::tuple{fg::get<0>(p) * fg::get<0>(q),
                                  fg::get<1>(p) * fg::get<0>(q) + fg::get<1>(q)};
              },
              std::tuple{1, 0}, fg::zip(x, sums));
          const auto replaced = fg::with(before, fg::Range{1, 3}, fg::take(sums, 2));
          const auto larger = fg::with(z, 1, z[0] + z[2]);
          const auto reversed = fg::with(fg::reverse(y), 2, fg::max(y));
          return std::tuple{replaced, reversed, larger, fg::get<1>(composed), fg::concat(larger, z)};
        },
        fg::rows(fg::reshape(a, {a.size(0), 5})), fg::rows(fg::reshape(b, {b.size(0), 3})),
        fg::rows(fg::reshape(c, {c.size(0), 7})));
  };
  beside_the_interpreter(f, [&](const auto& ours, const auto& reference) {
    for (const std::int64_t points : all_points) {
      SCOPED_TRACE(points);
      const fg::Array<int, 2> a(values<int>(points * 5), {points, 5});
      const fg::Array<double, 2> b(values<double>(points * 3, 2), {points, 3});
      const fg::Array<std::uint8_t, 2> c(values<std::uint8_t>(points * 7, 3), {points, 7});
      expect_same(ours(a, b, c), reference(a, b, c));
    }
  });
}

// Loops whose number of rounds depends on the point, branches on elements, places that the point computes.
TEST(SmallArrays, LoopsAndBranchesProperty) {
  const auto f = [](Mat<int> a) {
    return fg::map(
        [](Vec<int> x) {
          const auto sorted =
              fg::while_loop([](Vec<int> v) { return v[0] > v[1] || v[1] > v[2] || v[2] > v[3]; },
                             [](Vec<int> v) {
                               return fg::iterate(
                                   3,
                                   [](Exp<i64> i, Vec<int> w) {
                                     const auto low = fg::min(w[i], w[i + 1]), high = fg::max(w[i], w[i + 1]);
                                     return fg::with(fg::with(w, i, low), i + 1, high);
                                   },
                                   v);
                             },
                             x);
          const auto chosen =
              fg::cond(x[0] % 2 == 0, [&] { return fg::reverse(sorted); }, [&] { return sorted + x; });
          const auto marked = fg::scatter(chosen, x % 6, sorted);
          return fg::iterate(x[1] % 4, [](Vec<int> v) { return v * 2 - fg::reverse(v); }, marked);
        },
        fg::rows(fg::reshape(a, {a.size(0), 4})));
  };
  beside_the_interpreter(f, [&](const auto& ours, const auto& reference) {
    for (const std::int64_t points : all_points) {
      const fg::Array<int, 2> a(values<int>(points * 4), {points, 4});
      expect_same(ours(a), reference(a));
    }
  });
}

// With pivots, whose rows the elements decide.
TEST(SmallArrays, PivotsProperty) {
  const auto f = [](Matrices<float> a) {
    return fg::map(
        [](Mat<float> m) {
          return fg::iterate(
              3,
              [](Exp<i64> k, Mat<float> u) {
                const auto column =
                    fg::generate(4, [&](Exp<i64> i) { return fg::select(i >= k, fg::abs(u(i, k)), -1.0f); });
                const Exp<i64> p = fg::argmax(column);
                const auto swapped = fg::generate({4, 4}, [&](Exp<i64> i, Exp<i64> j) {
                  return u(fg::select(i == k, p, fg::select(i == p, k, i)), j);
                });
                return fg::generate({4, 4}, [&](Exp<i64> i, Exp<i64> j) {
                  const auto factor = swapped(i, k) / swapped(k, k);
                  return fg::select(i > k, swapped(i, j) - factor * swapped(k, j), swapped(i, j));
                });
              },
              m);
        },
        fg::slices(of_extents(a, 4, 4)));
  };
  beside_the_interpreter(f, [&](const auto& ours, const auto& reference) {
    for (const std::int64_t points : {0, 1, 9, 67}) {
      const auto a = matrices<float>(points, 4, 4);
      expect_same(ours(a), reference(a));
    }
  });
}

// A random function of arrays of n elements: what it does is drawn while it is traced, and, as bodies may be
// traced again, from a seed of its own each time.
Vec<int> drawn_step(const Vec<int>& x, unsigned seed, int n, int depth) {
  std::mt19937 random(seed);
  const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  const auto next = static_cast<unsigned>(random());
  const int a = below(n), b = below(n), c = below(n);
  const auto deeper = [=](const Vec<int>& v, unsigned more) {
    return depth > 0 ? drawn_step(v, next + more, n, depth - 1) : v + c;
  };
  switch (below(11)) {
    case 0: return fg::with(x, a, x[b] * 3 - x[c]);
    case 1: return fg::generate(n, [&](Exp<i64> i) { return x[n - 1 - i] + fg::cast<int>(i) * b; });
    case 2: return fg::iterate(1 + c % 3, [&](Vec<int> v) { return deeper(v, 1); }, x);
    case 3:
      return fg::iterate(
          n - 1, [](Exp<i64> i, Vec<int> v) { return fg::with(v, i + 1, v[i + 1] ^ (v[i] * 5)); }, x);
    case 4: return fg::cond(x[a] > x[b], [&] { return deeper(x, 1); }, [&] { return deeper(x, 2); });
    case 5: return fg::scan(fg::plus, 0, x);
    case 6: return x * 2 - fg::reverse(x);
    case 7: return fg::concat(fg::drop(x, 1), fg::take(x, 1));
    case 8: return fg::iterate(x[a] & 3, [&](Vec<int> v) { return deeper(v, 1); }, x);
    case 9: return fg::scatter(x, (x & 7) - 1, fg::reverse(x));
    default: return fg::with(x, c, fg::sum(x * x) + fg::max(x) * fg::min(x));
  }
}

TEST(SmallArrays, DrawnFunctionsProperty) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const int n = 1 + static_cast<int>(seed % 6);
    const auto f = [=](Mat<int> a) {
      return fg::map(
          [=](Vec<int> row) {
            Vec<int> x = row;
            for (unsigned step = 0; step < 4; ++step) x = drawn_step(x, seed * 1000 + step, n, 2);
            return std::tuple{x, fg::sum(x)};
          },
          fg::rows(fg::reshape(a, {a.size(0), n})));
    };
    const auto reference = fg::compile(f, {.engine = fg::Engine::interpreter});
    for (const auto& [name, engine] : tested_engines()) {
      if (engine == fg::Engine::interpreter) continue;
      const auto ours = fg::compile(f, {.engine = engine});
      for (const std::int64_t points : {0, 1, 8, 67}) {
        SCOPED_TRACE(name + ", points " + std::to_string(points));
        const fg::Array<int, 2> a(values<int>(points * n, seed), {points, n});
        expect_same(ours(a), reference(a));
      }
    }
  }
}

// The lowest point that fails is reported, with the site's own words.
TEST(SmallArrays, Failures) {
  const auto divided = [](Mat<int> a) {
    return fg::map(
        [](Vec<int> x) {
          return fg::iterate(
              3, [](Exp<i64> i, Vec<int> v) { return fg::with(v, i + 1, v[i + 1] + 100 / v[i]); }, x);
        },
        fg::rows(fg::reshape(a, {a.size(0), 4})));
  };
  const auto placed = [](Mat<int> a) {
    return fg::map(
        [](Vec<int> x) {
          return fg::iterate(
              2, [](Exp<i64> i, Vec<int> v) { return fg::with(v, fg::cast<i64>(v[i]), 7); }, x);
        },
        fg::rows(fg::reshape(a, {a.size(0), 4})));
  };
  const auto read = [](Mat<int> a) {
    return fg::map(
        [](Vec<int> x) {
          return fg::iterate(
              2, [](Exp<i64> i, Vec<int> v) { return fg::with(v, i, v[fg::cast<i64>(v[i])]); }, x);
        },
        fg::rows(fg::reshape(a, {a.size(0), 4})));
  };
  std::vector<int> x(40 * 4, 1);
  x[4 * 23] = x[4 * 31] = x[4 * 39] = 0;
  std::vector<int> far(40 * 4, 2);
  far[4 * 21] = far[4 * 38] = 9;
  const fg::Array<int, 2> zero(x, {40, 4}), outside(far, {40, 4});
  const auto compare = [](auto f, const fg::Array<int, 2>& a) {
    const auto message = [&](fg::Engine engine) -> std::string {
      try {
        fg::compile(f, {.engine = engine})(a);
      } catch (const fg::Error& error) {
        return error.what();
      }
      return "";
    };
    const std::string expected = message(fg::Engine::interpreter);
    EXPECT_NE(expected, "");
    for (const auto& [name, engine] : tested_engines()) EXPECT_EQ(message(engine), expected) << name;
  };
  compare(divided, zero);
  compare(placed, outside);
  compare(read, outside);
}

}  // namespace
