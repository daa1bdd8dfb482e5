// The mini-benchmarks of the redomap paper (Henriksen, Larsen, Oancea: Design and GPGPU performance of
// Futhark's redomap construct, 2016, figure 7), as the paper defines them, and its figure 3: against plain
// C++ and the interpreter; each is one kernel without an intermediate array.
#include "sizes.h"
#include "structure.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace {

using fg::i64, fg::i8;
using structure::expect_kernel_launched, structure::expect_one_kernel;

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<int> integers(std::size_t n, int low, int high) {
  std::mt19937 random(static_cast<unsigned>(n) + 1);
  std::vector<int> xs(n);
  for (int& x : xs)
    x = static_cast<int>(
        low + static_cast<fg::i64>(random() % static_cast<std::uint64_t>(fg::i64{high} - low + 1)));
  return xs;
}

/// program(xs) == expected(xs) on every engine at every size, for values from low to high.
template <class F, class Expected>
void expect_agreement(F program, Expected expected, int low, int high,
                      std::size_t most_interpreted = 1'000'000) {
  on_every_engine(program, [&](const auto& f) {
    for (std::size_t n : sizes) {
      if (f.options().engine == fg::Engine::interpreter && n > most_interpreted) continue;
      const std::vector<int> xs = integers(n, low, high);
      EXPECT_EQ(f(xs), expected(xs)) << n << " elements";
    }
  });
}

// ---- 1: the sum

Exp<int> reduce_plus(Vec<int> a) {
  return fg::reduce(fg::plus, 0, a);
}

TEST(RedomapPrograms, ReducePlus) {
  const auto expected = [](const std::vector<int>& a) {
    unsigned sum = 0;
    for (int x : a) sum += static_cast<unsigned>(x);
    return static_cast<int>(sum);
  };
  expect_agreement(reduce_plus, expected, -10'000, 10'000);
  expect_agreement(reduce_plus, expected, -2'000'000'000, 2'000'000'000);
  expect_one_kernel(reduce_plus, {"4n", "0"}, 0, integers(1'000'003, -9, 9));
}

// ---- 2: the maximum, from 0, which is not neutral

Exp<int> reduce_max(Vec<int> a) {
  return fg::fold([](Exp<int> x, Exp<int> y) { return fg::select(x < y, y, x); }, 0, a);
}

TEST(RedomapPrograms, ReduceMax) {
  const auto expected = [](const std::vector<int>& a) {
    int most = 0;
    for (int x : a) most = std::max(most, x);
    return most;
  };
  expect_agreement(reduce_max, expected, -10'000, 10'000);
  expect_agreement(reduce_max, expected, -10'000, -1);
  expect_one_kernel(reduce_max, {"4n", "0"}, 0, integers(1'000'003, -9, 9));
}

// ---- 3: the index of the maximum, from (0, 0)

using Indexed = std::tuple<int, int>;

Exp<Indexed> max_with_index(Exp<Indexed> x, Exp<Indexed> y) {
  auto [xv, xi] = x;
  auto [yv, yi] = y;
  return fg::select(xv < yv, y, fg::select(yv < xv, x, fg::select(xi < yi, x, y)));
}
Exp<int> index_of_max(Vec<int> a) {
  auto [value, index] = fg::fold(max_with_index, Indexed{0, 0}, fg::zip(a, fg::iota<int>(a.size())));
  return index;
}

int index_of_max_from_zero(const std::vector<int>& a) {
  int most = 0, index = 0;  // at a tie with the start value its index 0 is the lower one
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > most) most = a[i], index = static_cast<int>(i);
  return index;
}

TEST(RedomapPrograms, IndexOfMax) {
  expect_agreement(index_of_max, index_of_max_from_zero, -10'000, 10'000);
  expect_agreement(index_of_max, index_of_max_from_zero, -3, 2);
  expect_agreement(index_of_max, index_of_max_from_zero, -10'000, 0);
  expect_one_kernel(index_of_max, {"4n", "0"}, 0, integers(1'000'003, -9, 9));
}

// ---- 4: the same, with value and index packed into 64 bits

Exp<int> index_of_max_packed(Vec<int> a) {
  auto larger = [](Exp<i64> x, Exp<i64> y) {
    auto xv = fg::cast<int>(x >> 32), xi = fg::cast<int>(x);
    auto yv = fg::cast<int>(y >> 32), yi = fg::cast<int>(y);
    return fg::select(xv < yv, y, fg::select(yv < xv, x, fg::select(xi < yi, x, y)));
  };
  auto packed = (fg::cast<i64>(a) << 32) | fg::iota(a.size());
  return fg::cast<int>(fg::fold(larger, 0, packed));
}

TEST(RedomapPrograms, IndexOfMaxPack) {
  expect_agreement(index_of_max_packed, index_of_max_from_zero, -10'000, 10'000);
  expect_agreement(index_of_max_packed, index_of_max_from_zero, -3, 2);
  expect_one_kernel(index_of_max_packed, {"4n", "0"}, 0, integers(1'000'003, -9, 9));
}

// ---- 5: products of 2x2 matrices of bytes, 42 times in a loop; the start value is not neutral

struct Bytes {
  Exp<i8> m11, m12, m21, m22;
};
Bytes unpacked(Exp<int> x) {
  return {fg::cast<i8>(x >> 24), fg::cast<i8>(x >> 16), fg::cast<i8>(x >> 8), fg::cast<i8>(x)};
}
Exp<int> packed(const Bytes& b) {
  auto byte = [](Exp<i8> x) { return fg::cast<int>(x) & 0xFF; };
  return (byte(b.m11) << 24) | (byte(b.m12) << 16) | (byte(b.m21) << 8) | byte(b.m22);
}
Exp<int> two_by_two_mult(Exp<int> a, Exp<int> b) {
  const Bytes x = unpacked(a), y = unpacked(b);
  return packed({x.m11 * y.m11 + x.m12 * y.m21, x.m11 * y.m12 + x.m12 * y.m22, x.m21 * y.m11 + x.m22 * y.m21,
                 x.m21 * y.m12 + x.m22 * y.m22});
}
constexpr int start_2x2 = static_cast<int>(0xFF00FF00u);

Exp<int> reduce_2x2(Vec<int> a) {
  return fg::iterate(42, [&](Exp<int> s) { return fg::fold(two_by_two_mult, start_2x2, a + s); }, 1);
}

unsigned product_2x2(unsigned x, unsigned y) {
  const unsigned a = x >> 24, b = x >> 16 & 255, c = x >> 8 & 255, d = x & 255;
  const unsigned e = y >> 24, f = y >> 16 & 255, g = y >> 8 & 255, h = y & 255;
  return (a * e + b * g) << 24 | ((a * f + b * h) & 255) << 16 | ((c * e + d * g) & 255) << 8 |
         ((c * f + d * h) & 255);
}
int fold_2x2(const std::vector<int>& a, unsigned s) {
  unsigned product = 0xFF00FF00u;
  for (int x : a) product = product_2x2(product, static_cast<unsigned>(x) + s);
  return static_cast<int>(product);
}
int reduce_2x2_of(const std::vector<int>& a) {
  int s = 1;
  for (int k = 0; k < 42; ++k) s = fold_2x2(a, static_cast<unsigned>(s));
  return s;
}

TEST(RedomapPrograms, Reduce2x2MM) {
  // Matrices with odd determinants, whose long products are not 0 modulo 256: as they are, and as the first
  // iteration has them. Later ones are not, so that the loop's result is telling at small sizes.
  const auto invertible = [](std::size_t n, int less) {
    std::vector<int> a = integers(n, 0, 2'000'000'000);
    for (int& x : a) x = static_cast<int>((static_cast<unsigned>(x) & 0xFEFFFEFFu) | 0x01000001u) - less;
    return a;
  };
  const auto once = [](Vec<int> a) { return fg::fold(two_by_two_mult, start_2x2, a); };
  on_every_engine(once, [&](const auto& f) {
    for (std::size_t n : sizes) {
      const std::vector<int> a = invertible(n, 0);
      EXPECT_EQ(f(a), fold_2x2(a, 0)) << n << " matrices";
    }
  });
  on_every_engine(reduce_2x2, [&](const auto& f) {
    for (std::size_t n : sizes) {
      if (f.options().engine == fg::Engine::interpreter && n > 1025) continue;
      const std::vector<int> a = invertible(n, 1);
      EXPECT_EQ(f(a), reduce_2x2_of(a)) << n << " matrices";
    }
  });
  expect_kernel_launched(reduce_2x2, 42, {"4n", "0"}, 0, integers(10'007, 0, 99));
}

// ---- 6: the maximum segment sum

struct Segment {
  int best, prefix, suffix, total;
};

Exp<int> maximum_segment_sum(Vec<int> xs) {
  auto map_op = [](Exp<int> x) {
    auto p = fg::max(x, 0);
    return fg::make<Segment>(p, p, p, x);
  };
  auto red_op = [](Exp<Segment> x, Exp<Segment> y) {
    auto [x_best, x_prefix, x_suffix, x_total] = x;
    auto [y_best, y_prefix, y_suffix, y_total] = y;
    return fg::make<Segment>(fg::max(x_best, fg::max(y_best, x_suffix + y_prefix)),
                             fg::max(x_prefix, x_total + y_prefix), fg::max(y_suffix, x_suffix + y_total),
                             x_total + y_total);
  };
  auto [best, prefix, suffix, total] = fg::reduce(red_op, Segment{0, 0, 0, 0}, fg::map(map_op, xs));
  return best;
}

TEST(RedomapPrograms, MaximumSegmentSum) {
  const auto expected = [](const std::vector<int>& xs) {
    int best = 0, here = 0;
    for (int x : xs) best = std::max(best, here = std::max(0, here + x));
    return best;
  };
  expect_agreement(maximum_segment_sum, expected, -100, 100);
  expect_agreement(maximum_segment_sum, expected, -100, -1);
  expect_one_kernel(maximum_segment_sum, {"4n", "0"}, 0, integers(1'000'003, -9, 9));
}

// ---- 7: prefix sums

Vec<int> scan_plus(Vec<int> a) {
  return fg::scan(fg::plus, 0, a);
}

TEST(RedomapPrograms, ScanPlus) {
  on_every_engine(scan_plus, [](const auto& f) {
    for (std::size_t n : sizes) {
      const std::vector<int> a = integers(n, -10'000, 10'000);
      std::vector<int> expected(n);
      unsigned sum = 0;
      for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<int>(sum += static_cast<unsigned>(a[i]));
      EXPECT_EQ(f(a).to_vector(), expected) << n << " elements";
    }
  });
  expect_one_kernel(scan_plus, {"4n", "4n"}, 4 * 1'000'003, integers(1'000'003, -9, 9));
}

// ---- 8: reductions of three kinds beside two arrays, of nothing but n

constexpr float today = 1.683432e7f;

template <class T>  // an Exp<float> or a float
T add_months(T date, T months) {
  return months * 43200.0f + date;
}
template <class T>
T date_365(T t1, T t2) {
  return (t2 - t1) / 518400.0f;
}
Exp<float> zc(Exp<float> t) {
  return fg::exp(-0.03f * date_365(t, Exp<float>(today)));
}

std::tuple<Exp<float>, Exp<float>, Exp<float>, Vec<float>, Vec<float>> redomap_nt(Exp<i64> n) {
  auto maturity = add_months(Exp<float>(today), Exp<float>(360.0f)), freq = 6144.0f / fg::cast<float>(n);
  auto begs = fg::generate(n, [=](Exp<i64> i) { return add_months(maturity, freq * fg::cast<float>(i)); });
  auto ends = fg::map([=](Exp<float> beg) { return add_months(beg, freq); }, begs);
  auto levels =
      fg::map([](Exp<float> beg, Exp<float> end) { return zc(end) * date_365(end, beg); }, begs, ends);
  return {fg::sum(levels), fg::min(begs), fg::max(ends), fg::map(zc, begs), fg::map(zc, ends)};
}

// The result's error where each of n terms is rounded to f32 once more.
double rounding_of_sum(std::size_t n, double magnitudes) {
  return (2 * std::log2(static_cast<double>(n) + 2)) * 0x1p-23 * magnitudes + 1e-30;
}

double discount(float t) {
  const float exponent = -0.03f * date_365(t, today);
  return std::exp(double(exponent));
}

template <class F>
void expect_redomap_nt(const F& f, bool strict) {
  for (std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const auto [sum, least, most, zc_begs, zc_ends] = f(static_cast<i64>(n));
    ASSERT_EQ(zc_begs.size(), static_cast<i64>(n));
    ASSERT_EQ(zc_ends.size(), static_cast<i64>(n));
    const float maturity = add_months(today, 360.0f), freq = 6144.0f / static_cast<float>(n);
    float min_beg = infinity, max_end = -infinity;
    double total = 0, magnitudes = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const float beg = add_months(maturity, freq * static_cast<float>(i)), end = add_months(beg, freq);
      min_beg = std::min(min_beg, beg);
      max_end = std::max(max_end, end);
      const auto at = static_cast<i64>(i);
      // With contraction dates and exponents round differently; an exponent is up to 16.
      const double tolerance = strict ? 5e-7 : 1e-5;
      ASSERT_NEAR(zc_begs[at] / discount(beg), 1, tolerance) << "element " << i;
      ASSERT_NEAR(zc_ends[at] / discount(end), 1, tolerance) << "element " << i;
      const float level = zc_ends[at] * date_365(end, beg);
      total += level;
      magnitudes += std::abs(level);
    }
    if (strict) {  // levels are differences of a few units in the last place of the dates
      EXPECT_EQ(least, min_beg);
      EXPECT_EQ(most, max_end);
      EXPECT_NEAR(sum, total, rounding_of_sum(n, magnitudes));
    } else if (n > 0) {
      EXPECT_FLOAT_EQ(least, min_beg);
      EXPECT_FLOAT_EQ(most, max_end);
    }
  }
}

TEST(RedomapPrograms, RedomapNT) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    expect_redomap_nt(fg::compile(redomap_nt, {.engine = engine, .precision = fg::Precision::strict}), true);
    expect_redomap_nt(fg::compile(redomap_nt, {.engine = engine}), false);
  }
  expect_one_kernel(redomap_nt, {"0", "8a"}, 8 * 1'000'003, i64{1'000'003});
}

// ---- 9: the sum of option prices

Exp<float> normal_cdf(Exp<float> d) {  // Abramowitz and Stegun 26.2.17
  auto l = fg::abs(d), k = 1.0f / (1.0f + 0.2316419f * l);
  auto p =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  auto tail = 0.39894228f * fg::exp(-0.5f * l * l) * p;
  return fg::select(d < 0.0f, tail, 1.0f - tail);
}

Exp<float> option_price(Exp<bool> is_call, Exp<float> price, Exp<float> strike, Exp<float> years) {
  const float rate = 0.08f, volatility = 0.30f;
  auto spread = volatility * fg::sqrt(years);
  auto d1 = (fg::log(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
  auto d2 = d1 - spread, discounted = strike * fg::exp(-rate * years);
  auto n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  return fg::select(is_call, price * n1 - discounted * n2, discounted * (1.0f - n2) - price * (1.0f - n1));
}

Exp<float> black_scholes(Exp<i64> n) {
  return fg::sum(fg::map(
      [=](Exp<i64> day) {
        auto i = fg::cast<float>(day);
        return option_price(day % 2 == 0, 58.0f + 4.0f * i / fg::cast<float>(n), 65.0f, i / 365.0f);
      },
      fg::iota(n) + 1));
}

double black_scholes_of(std::size_t n) {
  double sum = 0;
  for (std::size_t day = 1; day <= n; ++day) {
    const double i = static_cast<double>(day), price = 58 + 4 * i / static_cast<double>(n), years = i / 365;
    const double spread = 0.30 * std::sqrt(years);
    const double d1 = (std::log(price / 65) + (0.08 + 0.5 * 0.30 * 0.30) * years) / spread;
    const double discounted = 65 * std::exp(-0.08 * years);
    const auto normal = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
    const double call = price * normal(d1) - discounted * normal(d1 - spread);
    sum += day % 2 == 0 ? call : call + discounted - price;
  }
  return sum;
}

TEST(RedomapPrograms, BlackScholes) {
  on_every_engine(black_scholes, [](const auto& f) {
    for (std::size_t n : sizes)  // each price, up to 62, is right to 1e-5
      EXPECT_NEAR(f(static_cast<i64>(n)), black_scholes_of(n),
                  2e-5 * static_cast<double>(n) + rounding_of_sum(n, 62.0 * static_cast<double>(n)))
          << n << " days";
  });
  expect_one_kernel(black_scholes, {"0", "0"}, 0, i64{1'000'003});
}

// ---- Figure 3: three reductions, six maps and an iota

std::tuple<Exp<float>, Exp<float>, Exp<float>, Vec<float>, Vec<float>> figure_3(Exp<float> a, Exp<float> b,
                                                                                Exp<i64> n) {
  auto is = fg::map([](Exp<i64> i) { return fg::cast<float>(i); }, fg::iota(n));
  auto by_a = [=](Exp<float> x) { return x * a; };
  auto by_b = [=](Exp<float> x) { return x * b; };
  auto x = fg::map(by_a, is);
  auto y = fg::map(by_b, x);
  auto t = fg::map(fg::plus, x, y);
  auto t0 = fg::reduce_comm(fg::plus, 0, t);
  auto t1 = fg::reduce_comm(fg::min, infinity, x);
  auto t2 = fg::fold(fg::max, 0, y);
  return {t0, t1, t2, fg::map(by_a, x), fg::map(by_b, y)};
}

TEST(RedomapPrograms, Figure3) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    const auto f = fg::compile(figure_3, {.engine = engine, .precision = fg::Precision::strict});
    for (const auto& [a, b] : {std::pair{0.3f, 1.7f}, std::pair{-0.3f, 0.1f}})
      for (std::size_t n : sizes) {
        SCOPED_TRACE(n);
        const auto [t0, t1, t2, v, w] = f(a, b, static_cast<i64>(n));
        double sum = 0, magnitudes = 0;
        float least = infinity, most = 0;
        std::vector<float> vs(n), ws(n);
        for (std::size_t i = 0; i < n; ++i) {
          const float x = static_cast<float>(i) * a, y = x * b;
          sum += x + y;
          magnitudes += std::abs(x + y);
          least = std::min(least, x);
          most = std::max(most, y);
          vs[i] = x * a;
          ws[i] = y * b;
        }
        EXPECT_NEAR(t0, sum, rounding_of_sum(n, magnitudes));
        EXPECT_EQ(t1, least);
        EXPECT_EQ(t2, most);
        EXPECT_EQ(v.to_vector(), vs);
        EXPECT_EQ(w.to_vector(), ws);
      }
  }
  expect_one_kernel(figure_3, {"0", "8c"}, 8 * 1'000'003, 0.3f, 1.7f, i64{1'000'003});
}

}  // namespace
