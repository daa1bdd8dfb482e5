// The benchmarks as Fulgurite's users write them; sizes and scalars are run-time arguments. Definitions of
// the benchmarks themselves: peers/serial.cpp.
#pragma once

#include <fulgurite/fulgurite.h>

#include <array>
#include <limits>
#include <utility>

#include "peers/functions.h"

namespace bench {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

// Maps, and sums after some.

inline Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}

inline Exp<float> sdot(Vec<float> x, Vec<float> y) {
  return fg::sum(x * y);
}

inline Exp<float> rmse(Vec<float> x, Vec<float> y) {
  auto d = x - y;
  return fg::sqrt(fg::sum(d * d) / fg::cast<float>(x.size()));
}

inline Vec<float> forward_difference(Vec<float> x) {
  auto n = x.size();
  return x.slice(1, n) - x.slice(0, n - 1);
}

using Weights = std::array<float, 15>;

inline Vec<float> moving_average(Exp<Weights> weights, Vec<float> x) {
  auto n = x.size() - 14;
  auto term = [&]<int k>(std::integral_constant<int, k>) { return weights.get<k>() * x.slice(k, n + k); };
  return [&]<int... k>(std::integer_sequence<int, k...>) {  // ((w0 x0 + w1 x1) + w2 x2) + ...
    return (... + term(std::integral_constant<int, k>()));
  }(std::make_integer_sequence<int, 15>());
}

inline Mat<float> jacobi(Mat<float> u) {  // of the inner points; those of the boundary stay as they are
  auto rows = u.size(0), columns = u.size(1);
  auto inner = u.slice({1, rows - 1}, {1, columns - 1});
  auto above = u.slice({0, rows - 2}, {1, columns - 1}), below = u.slice({2, rows}, {1, columns - 1});
  auto left = u.slice({1, rows - 1}, {0, columns - 2}), right = u.slice({1, rows - 1}, {2, columns});
  return 0.2f * (inner + above + below + left + right);
}

inline Exp<float> normal_cdf(Exp<float> d) {
  auto l = fg::abs(d), k = 1.f / (1.f + 0.2316419f * l);
  auto p =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  auto w = 1.f - 0.39894228f * fg::exp(-0.5f * l * l) * p;
  return fg::select(d < 0.f, 1.f - w, w);
}

inline std::tuple<Exp<float>, Exp<float>> price(Exp<float> spot, Exp<float> strike, Exp<float> years) {
  const float rate = 0.08f, volatility = 0.3f;
  auto root = fg::sqrt(years);
  auto d1 = (fg::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / (volatility * root);
  auto d2 = d1 - volatility * root;
  auto discounted = strike * fg::exp(-rate * years), n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  return {spot * n1 - discounted * n2, discounted * (1.f - n2) - spot * (1.f - n1)};
}

inline std::tuple<Vec<float>, Vec<float>> black_scholes_map(Vec<float> spot, Vec<float> strike,
                                                            Vec<float> years) {
  return fg::unzip(fg::map(price, spot, strike, years));
}

// No array of days is made: the sum consumes them as they come.
inline Exp<float> black_scholes_sum(Exp<fg::i64> days) {
  auto per_day = 1.f / fg::cast<float>(days);
  return fg::sum(fg::generate(days, [=](Exp<fg::i64> day) {
    auto t = fg::cast<float>(day + 1) * per_day;
    return std::get<0>(price(58.f + 4.f * t, 65.f, 10.f * t));
  }));
}

// Reductions, by operators of all kinds, and scans; redomaps that read nothing.

inline Exp<int> reduce_plus(Vec<int> xs) {
  return fg::sum(xs);
}
inline Exp<int> reduce_max(Vec<int> xs) {
  return fg::max(xs);
}

using Place = std::pair<int, int>;  // value, index

inline Exp<Place> index_of_max(Vec<int> xs) {
  auto larger_then_first = [](Exp<Place> a, Exp<Place> b) {
    auto [a_value, a_index] = a;
    auto [b_value, b_index] = b;
    return fg::select(a_value < b_value || (a_value == b_value && b_index < a_index), b, a);
  };
  auto places = fg::map([](Exp<int> value, Exp<int> index) { return fg::make<Place>(value, index); }, xs,
                        fg::iota<int>(xs.size()));
  const Place none{std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
  return fg::reduce_comm(larger_then_first, none, places);
}
inline Exp<fg::i64> index_of_max_packed(Vec<int> xs) {
  return fg::max((fg::cast<fg::i64>(xs) << 32) |
                 fg::cast<fg::i64>(fg::cast<fg::u32>(~fg::iota<int>(xs.size()))));
}

inline Exp<fg::u32> product_2x2(Exp<fg::u32> p, Exp<fg::u32> q) {
  auto a = p & 255, b = (p >> 8) & 255, c = (p >> 16) & 255, e = p >> 24;
  auto s = q & 255, t = (q >> 8) & 255, u = (q >> 16) & 255, v = q >> 24;
  return ((a * s + b * u) & 255) | (((a * t + b * v) & 255) << 8) | (((c * s + e * u) & 255) << 16) |
         ((c * t + e * v) << 24);
}
inline Exp<fg::u32> reduce_2x2(Vec<int> xs) {
  return fg::iterate(
      products_2x2,
      [&](Exp<fg::u32> seed) {
        auto lifted = ((fg::cast<fg::u32>(xs) + seed) & 0xFFFFFEFFu) | 0x01000001u;
        return fg::reduce(product_2x2, identity_2x2, lifted);
      },
      seed_2x2);
}

inline Exp<Segment> maximum_segment_sum(Vec<int> xs) {
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
  return fg::reduce(join, Segment{0, 0, 0, 0}, fg::map(lift, xs));
}

inline Exp<Factors> maximum_segment_product(Vec<float> xs) {
  auto lift = [](Exp<float> x) {
    auto f = 1.0 + (fg::cast<double>(x) - 0.5) * 1e-3, more = fg::max(f, 1.0);
    return fg::make<Factors>(more, more, more, f);
  };
  auto join = [](Exp<Factors> a, Exp<Factors> b) {
    auto [a_best, a_prefix, a_suffix, a_total] = a;
    auto [b_best, b_prefix, b_suffix, b_total] = b;
    return fg::make<Factors>(fg::max(fg::max(a_best, b_best), a_suffix * b_prefix),
                             fg::max(a_prefix, a_total * b_prefix), fg::max(b_suffix, a_suffix * b_total),
                             a_total * b_total);
  };
  return fg::reduce(join, Factors{1, 1, 1, 1}, fg::map(lift, xs));
}
inline Exp<Doubles2x2> product_of_matrices(Vec<float> xs) {
  auto near_unit = [](Exp<float> x) {
    auto e = (fg::cast<double>(x) - 0.5) * 1e-3;
    return fg::make<Doubles2x2>(1.0, e, e * -0.5, 1.0 - e * e * 0.5);
  };
  auto multiply = [](Exp<Doubles2x2> x, Exp<Doubles2x2> y) {
    auto [a, b, c, d] = x;
    auto [p, q, r, s] = y;
    return fg::make<Doubles2x2>(a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s);
  };
  return fg::reduce(multiply, Doubles2x2{1, 0, 0, 1}, fg::map(near_unit, xs));
}

inline Vec<int> scan_plus(Vec<int> xs) {
  return fg::scan(fg::plus, 0, xs);
}

inline Vec<float> scan_max(Vec<float> xs) {
  return fg::scan([](Exp<float> a, Exp<float> b) { return fg::max(a, b); }, 0.f, xs);
}

inline Vec<fg::u32> scan_2x2(Vec<int> xs) {
  return fg::scan(product_2x2, identity_2x2, (fg::cast<fg::u32>(xs) & 0xFFFFFEFFu) | 0x01000001u);
}

inline std::tuple<Exp<float>, Exp<float>, Exp<float>, Vec<float>, Vec<float>> redomap(Exp<fg::i64> n) {
  auto a = 8.f / fg::cast<float>(n);
  auto f = [](Exp<float> z) { return z / (1.f + z) + fg::exp(-z); };
  auto g = [](Exp<float> z) { return (1.f + fg::exp(-z)) / (1.f + z * z); };
  auto x = fg::map(f, fg::iota<float>(n) * a);
  auto y = fg::map(g, x * redomap_scale);
  return {fg::sum(x + y), fg::min(x), fg::max(y), x * a, y * redomap_scale};
}

inline Exp<float> zc(Exp<float> date) {
  return fg::exp(-0.03f * ((today - date) / year));
}
inline std::tuple<Exp<float>, Exp<float>, Exp<float>, Vec<float>, Vec<float>> redomap_of_paper(
    Exp<fg::i64> n) {
  auto freq = 6144.f / fg::cast<float>(n);
  auto begs = fg::map([=](Exp<float> i) { return freq * i * month + maturity; }, fg::iota<float>(n));
  auto ends = freq * month + begs;
  auto levels = fg::map(zc, ends) * ((begs - ends) / year);
  return {fg::sum(levels), fg::min(begs), fg::max(ends), fg::map(zc, begs), fg::map(zc, ends)};
}

inline Exp<float> normal_cdf_of_paper(Exp<float> d) {
  auto l = fg::abs(d), k = 1.f / (1.f + 0.2316419f * l);
  auto p =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  auto tail = 0.39894228f * fg::exp(-0.5f * l * l) * p;
  return fg::select(d < 0.f, tail, 1.f - tail);
}
inline Exp<float> black_scholes_of_paper(Exp<fg::i64> n) {
  auto price_of_day = [=](Exp<fg::i64> day) {
    const float strike = 65.f, rate = 0.08f, volatility = 0.30f;
    auto i = fg::cast<float>(day), price = 58.f + 4.f * i / fg::cast<float>(n), years = i / 365.f;
    auto spread = volatility * fg::sqrt(years);
    auto d1 = (fg::log(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    auto n1 = normal_cdf_of_paper(d1), n2 = normal_cdf_of_paper(d1 - spread),
         discounted = strike * fg::exp(-rate * years);
    return fg::select(day % 2 == 0, price * n1 - discounted * n2,
                      discounted * (1.f - n2) - price * (1.f - n1));
  };
  return fg::sum(fg::map(price_of_day, fg::iota(n) + 1));
}

// Outputs whose places or number depend on the data; a sparse product; sorting.

inline Vec<float> sparse_times_vector(Vec<int> row_starts, Vec<int> columns, Vec<float> values,
                                      Vec<float> x) {
  return fg::segmented_reduce(fg::plus, 0.f, fg::offsets(row_starts), values * fg::gather(x, columns));
}

inline Vec<int> count_keys(Vec<int> keys, Exp<fg::i64> bins) {
  return fg::histogram(fg::plus, 0, bins, keys, fg::replicate(keys.size(), 1));
}

// For each key where its least value is first.
inline Vec<int> least_of_keys(Vec<int> keys, Vec<int> xs, Exp<fg::i64> bins) {
  auto less_then_first = [](Exp<Place> a, Exp<Place> b) {
    auto [a_value, a_index] = a;
    auto [b_value, b_index] = b;
    return fg::select(b_value < a_value || (b_value == a_value && b_index < a_index), b, a);
  };
  auto places = fg::map([](Exp<int> value, Exp<int> index) { return fg::make<Place>(value, index); }, xs,
                        fg::iota<int>(xs.size()));
  const Place none{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
  Vec<Place> least = fg::histogram(less_then_first, none, bins, keys, places);
  return fg::map(
      [](Exp<Place> place) {
        auto [value, index] = place;
        return index;
      },
      least);
}

inline Vec<int> filter_even(Vec<int> xs) {
  return fg::filter([](Exp<int> x) { return (x & 1) == 0; }, xs);
}

inline std::tuple<Vec<float>, Vec<float>, Vec<float>> filter_fields(Vec<float> xs, Vec<float> ys,
                                                                    Vec<float> zs) {
  using Fields = std::tuple<float, float, float>;
  return fg::unzip(fg::filter([](Exp<Fields> p) { return p.get<0>() < .5f; }, fg::zip(xs, ys, zs)));
}

inline Vec<int> sorted(Vec<int> xs) {
  return fg::sort(xs);
}

// Loops and sums for each element.

inline Mat<int> mandelbrot_set(Exp<fg::i64> side) {
  auto step = 3.f / fg::cast<float>(side);
  return fg::generate({side, side}, [=](Exp<fg::i64> i, Exp<fg::i64> j) {
    auto re = -2.25f + fg::cast<float>(j) * step, im = -1.5f + fg::cast<float>(i) * step;
    auto inside = [](Exp<float> x, Exp<float> y, Exp<int> k) {
      return x * x + y * y <= 4.f && k < mandelbrot_limit;
    };
    auto next = [=](Exp<float> x, Exp<float> y, Exp<int> k) {
      return std::tuple{x * x - y * y + re, 2.f * x * y + im, k + 1};
    };
    return std::get<2>(fg::while_loop(inside, next, 0.f, 0.f, 0));
  });
}

inline std::tuple<Vec<float>, Vec<float>, Vec<float>> n_body(Vec<float> x, Vec<float> y, Vec<float> z,
                                                             Vec<float> mass) {
  auto acceleration = [&](Exp<float> at_x, Exp<float> at_y, Exp<float> at_z) {
    auto dx = x - at_x, dy = y - at_y, dz = z - at_z;
    auto r = fg::rsqrt(dx * dx + dy * dy + dz * dz + softening), w = mass * r * r * r;
    return std::tuple{fg::sum(w * dx), fg::sum(w * dy), fg::sum(w * dz)};
  };
  return fg::unzip(fg::map(acceleration, x, y, z));
}

inline Mat<float> matrix_product(Mat<float> a, Mat<float> b) {
  return fg::matmul(a, b);
}

}  // namespace bench
