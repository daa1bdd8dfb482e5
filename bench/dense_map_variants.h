// Variants of maps and stencils as Fulgurite's users write them: other operators, element types and tuple
// shapes. Definitions: peers/serial_dense_map_variants.cpp.
#pragma once

#include "peers/dense_functions.h"
#include "programs.h"

namespace bench {

inline std::tuple<Exp<double>, Exp<double>, Exp<double>, Vec<double>, Vec<double>> redomap_f64(
    Exp<fg::i64> n) {
  auto a = 8. / fg::cast<double>(n);
  auto f = [](Exp<double> z) { return z / (1. + z) + fg::exp(-z); };
  auto g = [](Exp<double> z) { return (1. + fg::exp(-z)) / (1. + z * z); };
  auto x = fg::map(f, fg::iota<double>(n) * a);
  auto y = fg::map(g, x * double{redomap_scale});
  return {fg::sum(x + y), fg::min(x), fg::max(y), x * a, y * double{redomap_scale}};
}
inline std::tuple<Exp<int>, Exp<int>, Exp<int>, Vec<int>, Vec<int>> redomap_i32(Vec<int> xs) {
  auto x = 3 * xs + 1, y = x * x - xs;
  return {fg::sum(x), fg::max(y), fg::reduce(fg::bit_xor, 0, x), x, y};
}

inline Exp<double> normal_cdf_f64(Exp<double> d) {
  auto l = fg::abs(d), k = 1. / (1. + 0.2316419 * l);
  auto p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  auto w = 1. - 0.39894228 * fg::exp(-0.5 * l * l) * p;
  return fg::select(d < 0., 1. - w, w);
}
inline std::tuple<Vec<double>, Vec<double>> black_scholes_f64(Vec<float> spots, Vec<float> strikes,
                                                              Vec<float> times) {
  auto price = [](Exp<double> spot, Exp<double> strike, Exp<double> years) {
    const double rate = 0.08, volatility = 0.3;
    auto root = fg::sqrt(years);
    auto d1 = (fg::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / (volatility * root);
    auto d2 = d1 - volatility * root;
    auto discounted = strike * fg::exp(-rate * years), n1 = normal_cdf_f64(d1), n2 = normal_cdf_f64(d2);
    return std::tuple{spot * n1 - discounted * n2, discounted * (1. - n2) - spot * (1. - n1)};
  };
  return fg::unzip(
      fg::map(price, fg::cast<double>(spots), fg::cast<double>(strikes), fg::cast<double>(times)));
}
inline std::tuple<Vec<float>, Vec<float>, Vec<float>> greeks_map(Vec<float> spots, Vec<float> strikes,
                                                                 Vec<float> times) {
  auto greeks = [](Exp<float> spot, Exp<float> strike, Exp<float> years) {
    const float rate = 0.08f, volatility = 0.3f;
    auto root = fg::sqrt(years), spread = volatility * root;
    auto d1 = (fg::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    auto density = 0.39894228f * fg::exp(-0.5f * d1 * d1);
    return std::tuple{normal_cdf(d1), density / (spot * spread), spot * density * root};
  };
  return fg::unzip(fg::map(greeks, spots, strikes, times));
}
inline std::tuple<Exp<float>, Exp<float>> black_scholes_pair(Exp<fg::i64> days) {
  auto per_day = 1.f / fg::cast<float>(days);
  auto [calls, puts] = fg::unzip(fg::generate(days, [=](Exp<fg::i64> day) {
    auto t = fg::cast<float>(day + 1) * per_day;
    return price(58.f + 4.f * t, 65.f, 10.f * t);
  }));
  return {fg::sum(calls), fg::sum(puts)};
}

inline Vec<double> saxpy_f64(Exp<double> alpha, Vec<double> x, Vec<double> y) {
  return alpha * x + y;
}
inline Vec<int> saxpy_i32(Exp<int> alpha, Vec<int> x, Vec<int> y) {
  return alpha * x + y;
}
inline std::tuple<Vec<float>, Vec<float>> saxpy_complex(Exp<float> real, Exp<float> imaginary,
                                                        Vec<float> x_real, Vec<float> x_imaginary,
                                                        Vec<float> y_real, Vec<float> y_imaginary) {
  return {real * x_real - imaginary * x_imaginary + y_real,
          real * x_imaginary + imaginary * x_real + y_imaginary};
}

inline Exp<double> dot_f64(Vec<double> x, Vec<double> y) {
  return fg::sum(x * y);
}
inline Exp<fg::i64> dot_i64(Vec<int> x, Vec<int> y) {
  return fg::sum(fg::cast<fg::i64>(x) * fg::cast<fg::i64>(y));
}
inline std::tuple<Exp<float>, Exp<float>> dot_complex(Vec<float> x_real, Vec<float> x_imaginary,
                                                      Vec<float> y_real, Vec<float> y_imaginary) {
  return {fg::sum(x_real * y_real - x_imaginary * y_imaginary),
          fg::sum(x_real * y_imaginary + x_imaginary * y_real)};
}

inline Exp<double> rmse_f64(Vec<double> x, Vec<double> y) {
  auto d = x - y;
  return fg::sqrt(fg::sum(d * d) / fg::cast<double>(x.size()));
}
inline Exp<float> absolute_error(Vec<float> x, Vec<float> y) {
  return fg::sum(fg::abs(x - y)) / fg::cast<float>(x.size());
}
inline std::tuple<Exp<float>, Exp<float>> largest_error(Vec<float> x, Vec<float> y) {
  auto d = x - y;
  return {fg::max(fg::abs(d)), fg::sum(d * d) / fg::cast<float>(x.size())};
}

using DoubleWeights = std::array<double, 15>;

inline Vec<double> moving_average_f64(Exp<DoubleWeights> weights, Vec<double> x) {
  auto n = x.size() - 14;
  auto term = [&]<int k>(std::integral_constant<int, k>) { return weights.get<k>() * x.slice(k, n + k); };
  return [&]<int... k>(std::integer_sequence<int, k...>) {
    return (... + term(std::integral_constant<int, k>()));
  }(std::make_integer_sequence<int, 15>());
}
inline Vec<int> moving_maximum(Vec<int> x) {
  auto n = x.size() - 6;
  auto most = x.slice(0, n);
  for (int k = 1; k < 7; ++k) most = fg::max(most, x.slice(k, n + k));
  return most;
}
inline Vec<float> limited_slopes(Vec<float> x) {
  auto minmod = [](Exp<float> a, Exp<float> b) {
    return fg::select(a * b <= 0.f, 0.f, fg::select(fg::abs(a) < fg::abs(b), a, b));
  };
  auto n = x.size() - 2;
  auto left = x.slice(1, n + 1) - x.slice(0, n), right = x.slice(2, n + 2) - x.slice(1, n + 1);
  return fg::map(minmod, left, right);
}

// The inner points of a matrix, moved by as many rows and columns.
template <class T>
Mat<T> moved(Mat<T> u, int rows, int columns) {
  return u.slice({1 + rows, u.size(0) - 1 + rows}, {1 + columns, u.size(1) - 1 + columns});
}
inline Mat<double> jacobi_f64(Mat<double> u) {
  return 0.2 * (moved(u, 0, 0) + moved(u, -1, 0) + moved(u, 1, 0) + moved(u, 0, -1) + moved(u, 0, 1));
}
inline Mat<float> nine_points(Mat<float> u) {
  auto edges = moved(u, -1, 0) + moved(u, 1, 0) + moved(u, 0, -1) + moved(u, 0, 1);
  auto corners = moved(u, -1, -1) + moved(u, -1, 1) + moved(u, 1, -1) + moved(u, 1, 1);
  return 0.25f * moved(u, 0, 0) + 0.125f * edges + 0.0625f * corners;
}
inline Mat<int> dilation(Mat<int> u) {
  auto rows = fg::max(moved(u, -1, 0), moved(u, 1, 0)), columns = fg::max(moved(u, 0, -1), moved(u, 0, 1));
  return fg::max(moved(u, 0, 0), fg::max(rows, columns));
}

}  // namespace bench
