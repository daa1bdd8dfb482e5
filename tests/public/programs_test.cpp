// The programs that say how users write theirs.
#include "engines.h"

#include <algorithm>
#include <cmath>

namespace {

Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}

Exp<float> dot(Vec<float> x, Vec<float> y) {
  return fg::sum(x * y);
}

Exp<float> rmse(Vec<float> x, Vec<float> y) {
  auto d = x - y;
  return fg::sqrt(fg::sum(d * d) / fg::cast<float>(x.size()));
}

Vec<float> forward_difference(Vec<float> x) {
  auto n = x.size();
  return x.slice(1, n) - x.slice(0, n - 1);
}

Exp<float> cumulative_normal(Exp<float> x) {
  return 0.5f * fg::erfc(x * -0.70710678f);
}

std::tuple<Exp<float>, Exp<float>> price(Exp<float> spot, Exp<float> strike, Exp<float> years) {
  const float rate = 0.02f, volatility = 0.3f;
  auto spread = volatility * fg::sqrt(years);
  auto d1 = (fg::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
  auto d2 = d1 - spread;
  auto discounted = strike * fg::exp(-rate * years);
  auto call = spot * cumulative_normal(d1) - discounted * cumulative_normal(d2);
  return {call, call + discounted - spot};
}

auto black_scholes(Vec<float> spot, Vec<float> strike, Vec<float> years) {
  return fg::unzip(fg::map(price, spot, strike, years));
}

struct Segment {
  int best, prefix, suffix, total;
};

Exp<int> maximum_segment_sum(Vec<int> xs) {
  auto lift = [](Exp<int> x) {
    auto p = fg::max(x, 0);
    return fg::make<Segment>(p, p, p, x);
  };
  auto join = [](Exp<Segment> a, Exp<Segment> b) {
    auto [a_best, a_prefix, a_suffix, a_total] = a;
    auto [b_best, b_prefix, b_suffix, b_total] = b;
    return fg::make<Segment>(fg::max(fg::max(a_best, b_best), a_suffix + b_prefix),
                             fg::max(a_prefix, a_total + b_prefix), fg::max(b_suffix, a_suffix + b_total),
                             a_total + b_total);
  };
  auto [best, prefix, suffix, total] = fg::reduce(join, Segment{0, 0, 0, 0}, fg::map(lift, xs));
  return best;
}

Vec<float> row_norms(Mat<float> m) {
  return fg::map([](Vec<float> row) { return fg::sqrt(fg::sum(row * row)); }, fg::rows(m));
}
Vec<float> column_means(Mat<float> m) {
  return fg::sum(m, fg::axis(0)) / fg::cast<float>(m.size(0));
}

Mat<float> matmul(Mat<float> a, Mat<float> b) {
  return fg::map(
      [&](Vec<float> row) {
        return fg::map([&](Vec<float> column) { return dot(row, column); }, fg::rows(fg::transpose(b)));
      },
      fg::rows(a));
}

Exp<int> escape_time(Exp<float> re, Exp<float> im) {
  auto [re_end, im_end, steps] = fg::while_loop(
      [](Exp<float> zr, Exp<float> zi, Exp<int> k) { return zr * zr + zi * zi <= 4.0f && k < 255; },
      [&](Exp<float> zr, Exp<float> zi, Exp<int> k) {
        return std::tuple{zr * zr - zi * zi + re, 2.0f * zr * zi + im, k + 1};
      },
      0.0f, 0.0f, 0);
  return steps;
}
Vec<int> escape_times(Vec<float> re, Vec<float> im) {
  return fg::map(escape_time, re, im);
}

std::vector<float> wave(std::size_t n, float phase) {
  std::vector<float> xs(n);
  for (std::size_t i = 0; i < n; ++i) xs[i] = std::sin(phase + 0.37f * static_cast<float>(i));
  return xs;
}

const std::size_t sizes[] = {0, 1, 2, 63, 64, 65, 1025};

TEST(Programs, Saxpy) {
  on_every_engine(saxpy, [](const auto& f) {
    for (std::size_t n : sizes) {
      const auto x = wave(n, 0), y = wave(n, 1);
      const fg::Array<float> result = f(2.5f, x, y);
      ASSERT_EQ(result.size(), static_cast<std::int64_t>(n));
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(result[static_cast<std::int64_t>(i)], 2.5f * x[i] + y[i], 1e-6f);
    }
  });
}

TEST(Programs, DotAndRmse) {
  for (std::size_t n : sizes) {
    const auto x = wave(n, 0), y = wave(n, 1);
    double product = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      product += double(x[i]) * y[i];
      squares += (double(x[i]) - y[i]) * (double(x[i]) - y[i]);
    }
    on_every_engine(dot, [&](const auto& f) { EXPECT_NEAR(f(x, y), product, 1e-4 * double(n + 1)); });
    if (n > 0)
      on_every_engine(rmse,
                      [&](const auto& f) { EXPECT_NEAR(f(x, y), std::sqrt(squares / double(n)), 1e-5); });
  }
}

TEST(Programs, ForwardDifference) {
  on_every_engine(forward_difference, [](const auto& f) {
    for (std::size_t n : sizes) {
      if (n == 0) continue;
      const auto x = wave(n, 0);
      std::vector<float> expected;
      for (std::size_t i = 1; i < n; ++i) expected.push_back(x[i] - x[i - 1]);
      EXPECT_EQ(f(x).to_vector(), expected);
    }
    EXPECT_THROW(f(std::vector<float>()), fg::ShapeError);
  });
}

TEST(Programs, BlackScholes) {
  on_every_engine(black_scholes, [](const auto& f) {
    const std::vector<float> spots{100, 80, 120}, strikes{100, 90, 95}, years{1, 0.5f, 2};
    const auto [call, put] = f(spots, strikes, years);
    for (std::size_t i = 0; i < 3; ++i) {
      const double s = spots[i], k = strikes[i], t = years[i], spread = 0.3 * std::sqrt(t);
      const double d1 = (std::log(s / k) + (0.02 + 0.045) * t) / spread;
      const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
      const double expected = s * normal(d1) - k * std::exp(-0.02 * t) * normal(d1 - spread);
      EXPECT_NEAR(call[i], expected, 1e-3);
      EXPECT_NEAR(put[i], expected + k * std::exp(-0.02 * t) - s, 1e-3);
    }
  });
}

TEST(Programs, MaximumSegmentSum) {
  on_every_engine(maximum_segment_sum, [](const auto& f) {
    for (std::size_t n : sizes) {
      std::vector<int> xs(n);
      for (std::size_t i = 0; i < n; ++i) xs[i] = static_cast<int>(i * 7919 % 41) - 20;
      int best = 0, here = 0;
      for (int x : xs) best = std::max(best, here = std::max(0, here + x));
      EXPECT_EQ(f(xs), best);
    }
  });
}

TEST(Programs, RowsAndColumns) {
  const fg::Array<float, 2> m({3, 4, 0, 6, 8, 1}, {2, 3});
  on_every_engine(row_norms, [&](const auto& f) {
    const auto norms = f(m);
    EXPECT_FLOAT_EQ(norms[0], 5.0f);
    EXPECT_FLOAT_EQ(norms[1], std::sqrt(101.0f));
  });
  on_every_engine(column_means,
                  [&](const auto& f) { EXPECT_EQ(vector_of(f(m)), (std::vector<float>{4.5f, 6.0f, 0.5f})); });
}

TEST(Programs, MatrixProduct) {
  on_every_engine(matmul, [](const auto& f) {
    const fg::Array<float, 2> a({1, 2, 3, 4, 5, 6}, {2, 3}), b({1, 0, 0, 1, 1, 1}, {3, 2});
    const auto c = f(a, b);
    EXPECT_EQ(c.shape(), (std::array<std::int64_t, 2>{2, 2}));
    EXPECT_EQ(vector_of(c), (std::vector<float>{4, 5, 10, 11}));
    EXPECT_THROW(f(a, a), fg::ShapeError);
  });
}

TEST(Programs, EscapeTime) {
  std::vector<float> re, im;
  std::vector<int> expected;
  for (int i = 0; i < 200; ++i) {
    re.push_back(-2.0f + 0.013f * static_cast<float>(i));
    im.push_back(0.3f);
    float zr = 0, zi = 0;
    int k = 0;
    while (zr * zr + zi * zi <= 4.0f && k < 255) {
      const float next = zr * zr - zi * zi + re.back();
      zi = 2.0f * zr * zi + im.back();
      zr = next;
      ++k;
    }
    expected.push_back(k);
  }
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    const auto f = fg::compile(escape_times, {.engine = engine, .precision = fg::Precision::strict});
    EXPECT_EQ(f(re, im).to_vector(), expected);
    EXPECT_EQ(fg::compile(escape_time, {.engine = engine})(10.0f, 0.0f), 1);
  }
}

}  // namespace
