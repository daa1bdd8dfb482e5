// Which sums take a product without rounding it first: what docs/semantics.md says in its rows `contraction`,
// on every engine.
#include "engines.h"

#include <cmath>
#include <cstring>
#include <random>

using fg::i64;

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

/// Those that run in CI, whatever FULGURITE_TEST_ENGINE says.
std::vector<std::pair<std::string, fg::Engine>> all_engines() {
  auto engines = tested_engines();
  if (std::getenv("FULGURITE_TEST_ENGINE") != nullptr) return engines;
  engines.emplace_back("emulator", fg::Engine::emulator);
  try {
    if (fg::compile([](Exp<int> x) { return x + 1; }, {.engine = fg::Engine::opencl})(1) == 2)
      engines.emplace_back("opencl", fg::Engine::opencl);
  } catch (const fg::DeviceError&) {
  }
  return engines;
}

template <class T>
std::vector<T> numbers(i64 n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> between(-2, 2);
  std::vector<T> values;
  for (i64 i = 0; i < n; ++i) values.push_back(between(random));
  return values;
}

template <class F, class Check>
void everywhere(const F& f, const Check& check) {
  for (const auto& [name, engine] : all_engines())
    for (const bool fuse : {true, false}) {
      if (!fuse && engine != fg::Engine::cpu) continue;
      SCOPED_TRACE(name + (fuse ? "" : ", not fused"));
      check(fg::compile(f, {.engine = engine, .fuse = fuse}));
    }
}

template <class T>
void expect_zeros(const std::vector<T>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], T(0)) << i;
}

template <class T>
void expect_bits(const std::vector<T>& got, const std::vector<T>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(std::memcmp(&got[i], &expected[i], sizeof(T)), 0)
        << "element " << i << " is " << got[i] << " instead of " << expected[i];
}

/// Whether a * b + c is one operation here.
bool has_fma() {
  static const bool has = [] {
    const float e = 0x1p-12F;
    return fg::compile([](Vec<float> a, Vec<float> c) { return a * a + c; })(Floats{1 + e},
                                                                             Floats{-(1 + 2 * e)})[0] != 0;
  }();
  return has;
}

constexpr i64 n = 203;

TEST(Contraction, DifferencesOfEqualProductsAreZero) {
  const Floats x = numbers<float>(n, 1), y = numbers<float>(n, 2);
  const auto f = [](Vec<float> a, Vec<float> b, Vec<float> c, Vec<float> d) {
    const auto of_points = [](Exp<float> p, Exp<float> q, Exp<float> r, Exp<float> s) {
      return p * q - r * s;
    };
    const auto half = [](Exp<float> p, Exp<float> r, Exp<float> s) { return p - r * s; };
    const auto other_half = [](Exp<float> p, Exp<float> q, Exp<float> r) { return p * q - r; };
    return std::tuple{fg::map(of_points, a, b, c, d),   a * b - c * d,    fg::map(half, a * b, c, d),
                      fg::map(other_half, a, b, c * d), a * b + (-c) * d, -(a * b) + c * d};
  };
  everywhere(f, [&](const auto& g) {
    const auto [points, arrays, half, other_half, plus, minus] = g(x, y, x, y);
    expect_zeros(points.to_vector());
    expect_zeros(arrays.to_vector());
    expect_zeros(half.to_vector());
    expect_zeros(other_half.to_vector());
    expect_zeros(plus.to_vector());
    expect_zeros(minus.to_vector());
  });
}

TEST(Contraction, DifferencesOfChosenProductsAreZero) {
  const Floats x = numbers<float>(n, 1), y = numbers<float>(n, 2);
  const auto f = [](Vec<float> a, Vec<float> b, Vec<float> c, Vec<float> d) {
    const auto by_select = [](Exp<float> p, Exp<float> q, Exp<float> r, Exp<float> s) {
      return fg::select(p < 0.0f, p * q, q * p) - r * s;
    };
    const auto by_cond = [](Exp<float> p, Exp<float> q, Exp<float> r, Exp<float> s) {
      return fg::cond(p < 0.0f, [&] { return p * q; }, [&] { return q * p; }) - r * s;
    };
    const auto magnitudes = [](Exp<float> p, Exp<float> q, Exp<float> r, Exp<float> s) {
      return fg::abs(p * q) - fg::abs(r * s);
    };
    return std::tuple{fg::map(by_select, a, b, c, d), fg::map(by_cond, a, b, c, d),
                      fg::map(magnitudes, a, b, c, d)};
  };
  everywhere(f, [&](const auto& g) {
    const auto [select, cond, magnitudes] = g(x, y, x, y);
    expect_zeros(select.to_vector());
    expect_zeros(cond.to_vector());
    expect_zeros(magnitudes.to_vector());
  });
}

template <class T>
Exp<T> orientation(Exp<T> ax, Exp<T> ay, Exp<T> bx, Exp<T> by, Exp<T> cx, Exp<T> cy) {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

// What a convex hull is built on: turned round it is its negative, and of collinear points it is 0.
TEST(Contraction, OrientationIsAntisymmetricAndZeroOnLines) {
  const Doubles ax = numbers<double>(n, 1), ay = numbers<double>(n, 2), bx = numbers<double>(n, 3),
                by = numbers<double>(n, 4), cx = numbers<double>(n, 5), cy = numbers<double>(n, 6);
  const auto f = [](Vec<double> a_x, Vec<double> a_y, Vec<double> b_x, Vec<double> b_y, Vec<double> c_x,
                    Vec<double> c_y) {
    return std::tuple{fg::map(orientation<double>, a_x, a_y, b_x, b_y, c_x, c_y),
                      fg::map(orientation<double>, a_x, a_y, c_x, c_y, b_x, b_y),
                      fg::map(orientation<double>, a_x, a_y, b_x, b_y, b_x, b_y)};
  };
  everywhere(f, [&](const auto& g) {
    const auto [there, back, same] = g(ax, ay, bx, by, cx, cy);
    for (i64 i = 0; i < n; ++i) ASSERT_EQ(there[i], -back[i]) << i;
    expect_zeros(same.to_vector());
  });
}

TEST(Contraction, AProductWithSeveralUsesIsRoundedOnce) {
  const Floats x = numbers<float>(n, 1), y = numbers<float>(n, 2), z = numbers<float>(n, 3);
  const auto f = [](Vec<float> a, Vec<float> b, Vec<float> c) {
    const auto of_points = [](Exp<float> p, Exp<float> q, Exp<float> r) {
      const Exp<float> product = p * q;
      return std::tuple{product + r, product};
    };
    const auto [sum, product] = fg::unzip(fg::map(of_points, a, b, c));
    const Vec<float> array = a * b;
    return std::tuple{sum, product, array + c, array};
  };
  everywhere(f, [&](const auto& g) {
    const auto [sum, product, array_sum, array] = g(x, y, z);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<i64>(i);
      volatile float rounded = x[i] * y[i];
      ASSERT_EQ(product[at], rounded);
      ASSERT_EQ(sum[at], rounded + z[i]) << i;
      ASSERT_EQ(array[at], rounded);
      ASSERT_EQ(array_sum[at], rounded + z[i]) << i;
    }
  });
}

TEST(Contraction, SumsThatTakeAProductRoundOnce) {
  if (!has_fma()) GTEST_SKIP() << "this hardware has no fused multiply-add";
  const Floats x = numbers<float>(n, 1), y = numbers<float>(n, 2), z = numbers<float>(n, 3);
  const auto f = [](Vec<float> a, Vec<float> b, Vec<float> c) {
    const auto points = [](Exp<float> p, Exp<float> q, Exp<float> r) {
      return std::tuple{p * q + r, p * q + r * 0.1f, p * (q * 3.0f) - r, r - p * (q * 5.0f)};
    };
    const auto [plus, both, less, from] = fg::unzip(fg::map(points, a, b, c));
    return std::tuple{both,        less,
                      from,        fg::map([](Exp<float> p, Exp<float> q) { return p * q + 0.3f; }, b, c),
                      a * b + c,   c - a * c,
                      -(b * b) + a};
  };
  everywhere(f, [&](const auto& g) {
    const auto [both, less, from, constant, arrays, from_arrays, negative] = g(x, y, z);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<i64>(i);
      volatile float left = x[i] * y[i], right = z[i] * 0.1f, three = y[i] * 3, five = y[i] * 5;
      ASSERT_EQ(both[at], left + right) << i;
      ASSERT_EQ(less[at], std::fma(x[i], three, -z[i])) << i;
      ASSERT_EQ(from[at], std::fma(-x[i], five, z[i])) << i;
      ASSERT_EQ(constant[at], std::fma(y[i], z[i], 0.3F)) << i;
      ASSERT_EQ(arrays[at], std::fma(x[i], y[i], z[i])) << i;
      ASSERT_EQ(from_arrays[at], std::fma(-x[i], z[i], z[i])) << i;
      ASSERT_EQ(negative[at], std::fma(-y[i], y[i], x[i])) << i;
    }
  });
}

TEST(Contraction, StrictHasNone) {
  const Floats x = numbers<float>(n, 1), y = numbers<float>(n, 2), z = numbers<float>(n, 3);
  const auto f = [](Vec<float> a, Vec<float> b, Vec<float> c) {
    return std::tuple{a * b + c, fg::map([](Exp<float> p, Exp<float> q) { return p - p * q; }, a, b)};
  };
  for (const auto& [name, engine] : all_engines()) {
    SCOPED_TRACE(name);
    const auto g = fg::compile(f, {.engine = engine, .precision = fg::Precision::strict});
    const auto [plus, less] = g(x, y, z);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<i64>(i);
      volatile float product = x[i] * y[i];
      ASSERT_EQ(plus[at], product + z[i]) << i;
      ASSERT_EQ(less[at], x[i] - product) << i;
    }
  }
}

TEST(Contraction, FmaOfTheUserRoundsOnceUnderBoth) {
  const Floats x = numbers<float>(n, 1), y = numbers<float>(n, 2), z = numbers<float>(n, 3);
  const auto f = [](Vec<float> a, Vec<float> b, Vec<float> c) { return fg::fma(a, b, c); };
  for (const auto& [name, engine] : all_engines())
    for (const auto precision : {fg::Precision::fast, fg::Precision::strict}) {
      SCOPED_TRACE(name);
      const auto g = fg::compile(f, {.engine = engine, .precision = precision});
      const Floats got = g(x, y, z).to_vector();
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], std::fma(x[i], y[i], z[i])) << i;
    }
}

/// Random expressions of three numbers by + - * / min max neg abs and select, of which many share products.
template <class T>
class RandomExpression {
 public:
  explicit RandomExpression(unsigned seed) : random_(seed) {}
  Exp<T> operator()(Exp<T> a, Exp<T> b, Exp<T> c) {
    std::vector<Exp<T>> known{a, b, c, a * b, Exp<T>(T(0.3))};
    for (int k = 0; k < 24; ++k) known.push_back(next(known));
    Exp<T> all = known.back();
    for (std::size_t k = known.size() - 4; k < known.size(); ++k) all = all + known[k] * pick(known);
    return all;
  }

 private:
  Exp<T> pick(const std::vector<Exp<T>>& known) {
    return known[std::uniform_int_distribution<std::size_t>(0, known.size() - 1)(random_)];
  }
  Exp<T> next(const std::vector<Exp<T>>& known) {
    const Exp<T> x = pick(known), y = pick(known), z = pick(known);
    switch (std::uniform_int_distribution<int>(0, 11)(random_)) {
      case 0:
      case 1: return x + y;
      case 2:
      case 3: return x - y;
      case 4:
      case 5: return x * y;
      case 6: return x * y + z;
      case 7: return z - x * y;
      case 8: return -x;
      case 9: return fg::select(x < y, x * z, z);
      case 10: return fg::min(x, y) * z;
      default: return fg::abs(x) - y * z;
    }
  }
  std::mt19937 random_;
};

template <class T>
void expect_the_interpreters_bits(unsigned seed) {
  const auto f = [seed](Vec<T> a, Vec<T> b, Vec<T> c) {
    const Vec<T> first =
        fg::map([seed](Exp<T> p, Exp<T> q, Exp<T> r) { return RandomExpression<T>(seed)(p, q, r); }, a, b, c);
    const Vec<T> product = a * first;
    // Elementwise operations, of which some meet only when they are fused.
    return std::tuple{first, product + c, b * c - first, b - a * b, first * c + fg::reverse(b) * a};
  };
  const std::vector<T> x = numbers<T>(n, seed), y = numbers<T>(n, seed + 1), z = numbers<T>(n, seed + 2);
  const auto reference = fg::compile(f, {.engine = fg::Engine::interpreter})(x, y, z);
  for (const auto& [name, engine] : all_engines())
    for (const bool fuse : {true, false}) {
      if (!fuse && engine != fg::Engine::cpu) continue;
      SCOPED_TRACE(name + (fuse ? "" : ", not fused") + ", seed " + std::to_string(seed));
      const auto got = fg::compile(f, {.engine = engine, .fuse = fuse})(x, y, z);
      expect_bits(std::get<0>(got).to_vector(), std::get<0>(reference).to_vector());
      expect_bits(std::get<1>(got).to_vector(), std::get<1>(reference).to_vector());
      expect_bits(std::get<2>(got).to_vector(), std::get<2>(reference).to_vector());
      expect_bits(std::get<3>(got).to_vector(), std::get<3>(reference).to_vector());
      expect_bits(std::get<4>(got).to_vector(), std::get<4>(reference).to_vector());
    }
}

TEST(Contraction, EnginesGiveTheInterpretersBits) {
  if (!has_fma()) GTEST_SKIP() << "this hardware has no fused multiply-add";
  for (unsigned seed = 1; seed <= 3; ++seed) {
    expect_the_interpreters_bits<float>(seed);
    expect_the_interpreters_bits<double>(seed + 100);
  }
}

TEST(Contraction, LoopsGiveTheInterpretersBits) {
  if (!has_fma()) GTEST_SKIP() << "this hardware has no fused multiply-add";
  const auto f = [](Vec<float> a, Vec<float> b) {
    return fg::map(
        [](Exp<float> x, Exp<float> y) {
          return fg::iterate(
              20, [&](Exp<i64> i, Exp<float> s) { return s * 0.5f + x * y + fg::cast<float>(i) * x; }, x);
        },
        a, b);
  };
  const Floats x = numbers<float>(n, 1), y = numbers<float>(n, 2);
  const Floats reference = fg::compile(f, {.engine = fg::Engine::interpreter})(x, y).to_vector();
  everywhere(f, [&](const auto& g) { expect_bits(g(x, y).to_vector(), reference); });
}

TEST(Contraction, SumsOfProductsAreWithinTheBoundOfSums) {
  const auto f = [](Vec<float> a, Vec<float> b) { return fg::sum(a * b); };
  const auto many = [](Mat<float> a, Vec<float> b) { return fg::matvec(a, b); };
  for (const auto& [name, engine] : all_engines()) {
    SCOPED_TRACE(name);
    const Floats x = numbers<float>(5000, 1), y = numbers<float>(5000, 2);
    double exact = 0, magnitude = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      exact += static_cast<double>(x[i]) * y[i];
      magnitude += std::fabs(static_cast<double>(x[i]) * y[i]);
    }
    const double bound = 2 * std::log2(5000.0) * 0x1p-23 * magnitude;
    for (const auto precision : {fg::Precision::fast, fg::Precision::strict}) {
      EXPECT_NEAR(fg::compile(f, {.engine = engine, .precision = precision})(x, y), exact, bound);
      const auto rows = fg::compile(many, {.engine = engine, .precision = precision})(
          fg::view(x.data(), {5, 1000}), Floats(y.begin(), y.begin() + 1000));
      EXPECT_EQ(rows.size(), 5);
    }
  }
}

using Parts = std::tuple<float, float, float>;

TEST(Contraction, SumsOfTuplesAndRowsOfProducts) {
  const auto f = [](Vec<float> x, Vec<float> y, Mat<float> m) {
    const auto join = [](Exp<Parts> a, Exp<Parts> b) {
      auto [sum, most, squares] = a;
      auto [sum_b, most_b, squares_b] = b;
      return fg::make<Parts>(sum + sum_b, fg::max(most, most_b), squares + squares_b);
    };
    const auto [sum, most, squares] = fg::reduce(join, Parts{0, -1e30F, 0}, fg::zip(x * y, x, x * x));
    return std::tuple{sum,
                      most,
                      squares,
                      fg::map([&](Vec<float> row) { return fg::sum(row * row); }, fg::rows(m)),
                      fg::sum(m * m, fg::axis(0)),
                      fg::fold([](Exp<float> a, Exp<float> b) { return a + b; }, 2.5f, x * y)};
  };
  // Small whole numbers: exact in any order.
  Floats x, y;
  double sum = 0, squares = 0;
  for (int i = 0; i < 700; ++i) {
    x.push_back(static_cast<float>(i % 11 - 5));
    y.push_back(static_cast<float>(i % 7 - 2));
    sum += static_cast<double>(x.back()) * y.back();
    squares += static_cast<double>(x.back()) * x.back();
  }
  everywhere(f, [&](const auto& g) {
    const auto [s, most, q, rows, columns, folded] = g(x, y, fg::view(x.data(), {7, 100}));
    EXPECT_EQ(s, sum);
    EXPECT_EQ(most, 5);
    EXPECT_EQ(q, squares);
    EXPECT_EQ(folded, sum + 2.5);
    double all_rows = 0, all_columns = 0;
    for (float v : rows.to_vector()) all_rows += v;
    for (float v : columns.to_vector()) all_columns += v;
    EXPECT_EQ(all_rows, squares);
    EXPECT_EQ(all_columns, squares);
  });
}

}  // namespace
