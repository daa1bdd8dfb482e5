// The functions and operators of the variants of reductions, scans, maps and stencils on single elements:
// other operators, element types and tuple shapes than those of functions.h.
#pragma once

#include <bit>
#include <limits>

#include "peers/functions.h"

namespace bench {

// How many are positive, their sum and the sum of their squares.
struct Moments {
  std::int32_t positive;
  std::int64_t sum;
  double squares;
};

struct Extent {
  std::int32_t least, most;
};

// The greatest and the least value, each with the lowest index that has it.
struct Extremes {
  std::int32_t most, most_at, least, least_at;
};

// Bits of a float, ordered as integers as the floats are.
inline std::uint32_t ordered_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31) | 0x80000000u);
}
inline float of_ordered_bits(std::uint32_t bits) {
  return std::bit_cast<float>(bits & 0x80000000u ? bits ^ 0x80000000u : ~bits);
}

// factor * x + summand modulo 2^32; composed, the left one is applied first. Factors are odd, so that no
// product of many is 0.
struct Affine {
  std::uint32_t factor, summand;
};
inline Affine after(Affine first, Affine second) {
  return {first.factor * second.factor, first.summand * second.factor + second.summand};
}
inline Affine affine(std::int32_t x) {
  const auto bits = static_cast<std::uint32_t>(x);
  return {2 * bits + 1, bits};
}

// Rotations: quaternions whose real part is 1 and whose others are near 0.
template <class T>
struct Quaternion {
  T w, x, y, z;
};
template <class T>
Quaternion<T> multiply(Quaternion<T> p, Quaternion<T> q) {
  return {p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
          p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}
template <class T>
Quaternion<T> rotation(float of) {
  const T x = static_cast<T>(of);
  return {T(1), (x - T(0.5)) * T(1e-3), (x * x - T(1. / 3)) * T(1e-3), (x * x * x - T(0.25)) * T(1e-3)};
}

// Maximum segment sum of floats about 0.
template <class T>
struct RealSegment {
  T best, prefix, suffix, total;
};
template <class T>
RealSegment<T> join(RealSegment<T> x, RealSegment<T> y) {
  return {std::max(std::max(x.best, y.best), x.suffix + y.prefix), std::max(x.prefix, x.total + y.prefix),
          std::max(y.suffix, x.suffix + y.total), x.total + y.total};
}
template <class T>
RealSegment<T> real_segment(float of) {
  const T x = static_cast<T>(of) - T(0.5), positive = std::max(x, T(0));
  return {positive, positive, positive, x};
}

// The longest run of positive elements.
struct Stretch {
  std::int32_t best, prefix, suffix, length;
};
inline Stretch join(Stretch x, Stretch y) {
  return {std::max(std::max(x.best, y.best), x.suffix + y.prefix),
          x.prefix == x.length ? x.length + y.prefix : x.prefix,
          y.suffix == y.length ? y.length + x.suffix : y.suffix, x.length + y.length};
}
inline Stretch stretch(std::int32_t x) {
  const std::int32_t one = x > 0 ? 1 : 0;
  return {one, one, one, 1};
}

// y = factor * (y before it) + x, of factors that vary.
inline float recurrence_factor(float weight) {
  return 1.f - 1e-3f * weight;
}

inline double redomap_f(double z) {
  return z / (1. + z) + std::exp(-z);
}
inline double redomap_g(double z) {
  return (1. + std::exp(-z)) / (1. + z * z);
}

inline double normal_cdf(double d) {
  const double l = std::fabs(d), k = 1. / (1. + 0.2316419 * l);
  const double p =
      k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const double w = 1. - 0.39894228 * std::exp(-0.5 * l * l) * p;
  return d < 0 ? 1. - w : w;
}
inline void black_scholes(double spot, double strike, double years, double& call, double& put) {
  const double rate = 0.08, volatility = 0.3;
  const double root = std::sqrt(years);
  const double d1 =
      (std::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / (volatility * root);
  const double d2 = d1 - volatility * root;
  const double discounted = strike * std::exp(-rate * years), n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  call = spot * n1 - discounted * n2;
  put = discounted * (1. - n2) - spot * (1. - n1);
}

// A call's derivatives: by the spot once and twice, and by the volatility.
struct Greeks {
  float delta, gamma, vega;
};
inline Greeks greeks(float spot, float strike, float years) {
  const float rate = 0.08f, volatility = 0.3f;
  const float root = std::sqrt(years), spread = volatility * root;
  const float d1 = (std::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
  const float density = 0.39894228f * std::exp(-0.5f * d1 * d1);
  return {normal_cdf(d1), density / (spot * spread), spot * density * root};
}

constexpr std::int32_t saxpy_factor = 3;
constexpr float saxpy_real = 0.8f, saxpy_imaginary = -0.6f;

// The smaller of two slopes where both have one sign, else 0: a limiter of finite volume methods.
inline float minmod(float a, float b) {
  return a * b <= 0.f ? 0.f : std::fabs(a) < std::fabs(b) ? a : b;
}

}  // namespace bench
