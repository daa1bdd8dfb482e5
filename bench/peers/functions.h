// The functions and operators of the benchmarks on single elements, as every peer uses them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "harness/data.h"

// For nvcc: functions are also on the device.
#ifdef __CUDACC__
#define BENCH_ANYWHERE __host__ __device__
#else
#define BENCH_ANYWHERE
#endif

namespace bench {

// Products of 2x2 matrices of bytes (row major, a00 in the lowest byte): associative, not commutative. The
// map keeps the determinant odd: products of random matrices would soon be 0, and a checksum of 0 proves
// nothing.
BENCH_ANYWHERE inline std::uint32_t multiply_2x2(std::uint32_t p, std::uint32_t q) {
  const std::uint32_t a = p & 255, b = (p >> 8) & 255, c = (p >> 16) & 255, e = p >> 24;
  const std::uint32_t s = q & 255, t = (q >> 8) & 255, u = (q >> 16) & 255, v = q >> 24;
  return ((a * s + b * u) & 255) | (((a * t + b * v) & 255) << 8) | (((c * s + e * u) & 255) << 16) |
         ((c * t + e * v) << 24);
}
BENCH_ANYWHERE inline std::uint32_t lift_2x2(std::int32_t x, std::uint32_t seed) {
  return ((static_cast<std::uint32_t>(x) + seed) & 0xFFFFFEFFu) | 0x01000001u;
}
constexpr std::uint32_t identity_2x2 = 0x01000001u, seed_2x2 = 0xFF00FF00u;
constexpr int products_2x2 = 42;

// Maximum segment sum: associative, not commutative.
struct Segment {
  std::int32_t best, prefix, suffix, total;
};
BENCH_ANYWHERE inline Segment join(Segment x, Segment y) {
  return {std::max(std::max(x.best, y.best), x.suffix + y.prefix), std::max(x.prefix, x.total + y.prefix),
          std::max(y.suffix, x.suffix + y.total), x.total + y.total};
}
BENCH_ANYWHERE inline Segment lift(std::int32_t x) {
  const std::int32_t positive = std::max(x, 0);
  return {positive, positive, positive, x};
}

// Maximum segment product, in doubles; factors near 1, so that none overflows.
struct Factors {
  double best, prefix, suffix, total;
};
BENCH_ANYWHERE inline Factors join(Factors x, Factors y) {
  return {std::max(std::max(x.best, y.best), x.suffix * y.prefix), std::max(x.prefix, x.total * y.prefix),
          std::max(y.suffix, x.suffix * y.total), x.total * y.total};
}
BENCH_ANYWHERE inline double factor(float x) {
  return 1 + (x - 0.5) * 1e-3;
}
BENCH_ANYWHERE inline Factors single(double f) {
  const double more = std::max(f, 1.0);
  return {more, more, more, f};
}

// Products of 2x2 matrices of doubles of determinant 1, near the unit.
struct Doubles2x2 {
  double a, b, c, d;
};
BENCH_ANYWHERE inline Doubles2x2 multiply(Doubles2x2 x, Doubles2x2 y) {
  return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}
BENCH_ANYWHERE inline Doubles2x2 near_unit(float x) {
  const double e = (x - 0.5) * 1e-3;
  return {1, e, e * -0.5, 1 - e * e * 0.5};
}

// The largest value and the lowest index that has it.
struct Indexed {
  std::int32_t value, index;
};
BENCH_ANYWHERE inline Indexed larger_then_first(Indexed x, Indexed y) {
  if (x.value != y.value) return x.value < y.value ? y : x;
  return x.index < y.index ? x : y;
}
BENCH_ANYWHERE inline std::int64_t pack(std::int32_t value, std::int32_t index) {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)) << 32) |
                                   static_cast<std::uint32_t>(~static_cast<std::uint32_t>(index)));
}

// A map whose results are stored, and summed with minimum and maximum, in one pass.
BENCH_ANYWHERE inline float redomap_f(float z) {
  return z / (1.f + z) + std::exp(-z);
}
BENCH_ANYWHERE inline float redomap_g(float z) {
  return (1.f + std::exp(-z)) / (1.f + z * z);
}
constexpr float redomap_scale = 0.5f;

// The redomap paper's own RedomapNT, of n dates in minutes; only n is read. Its sum is ill-conditioned in f32
// (at 10^6 a level is 17 units in the last place of its dates), so every peer rounds dates as is written
// here.
constexpr float month = 43200.f, year = 518400.f, today = 1.683432e7f, maturity = 360.f * month + today;
BENCH_ANYWHERE inline float zero_coupon(float date) {
  return std::exp(-0.03f * ((today - date) / year));
}

// The sum of levels does not grow with n, sums of array elements do: scaled, so that the checksum tells.
inline void put_dates(Data& d, double levels, float least, float most) {
  d.results[0] = levels * static_cast<double>(d.n);
  d.results[1] = least;
  d.results[2] = most;
}

// Black-Scholes with the usual polynomial for the normal distribution (Abramowitz and Stegun 26.2.17).
BENCH_ANYWHERE inline float normal_cdf(float d) {
  const float l = std::fabs(d), k = 1.f / (1.f + 0.2316419f * l);
  const float p =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float w = 1.f - 0.39894228f * std::exp(-0.5f * l * l) * p;
  return d < 0 ? 1.f - w : w;
}
BENCH_ANYWHERE inline void black_scholes(float spot, float strike, float years, float& call, float& put) {
  const float rate = 0.08f, volatility = 0.3f;
  const float root = std::sqrt(years);
  const float d1 =
      (std::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / (volatility * root);
  const float d2 = d1 - volatility * root;
  const float discounted = strike * std::exp(-rate * years), n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  call = spot * n1 - discounted * n2;
  put = discounted * (1.f - n2) - spot * (1.f - n1);
}
// The price on the i-th of n days; per_day = 1/n.
BENCH_ANYWHERE inline float black_scholes_day(std::int32_t day, float per_day) {
  const float t = static_cast<float>(day + 1) * per_day;
  float call, put;
  black_scholes(58.f + 4.f * t, 65.f, 10.f * t, call, put);
  return call;
}

// The redomap paper's own Black-Scholes: the price of day i from 1 to n, calls on even days, puts on odd
// ones.
BENCH_ANYWHERE inline float black_scholes_price(std::int32_t day, float n) {
  const float i = static_cast<float>(day);
  float call, put;
  black_scholes(58.f + 4.f * i / n, 65.f, i / 365.f, call, put);
  return day % 2 == 0 ? call : put;
}

constexpr float saxpy_alpha = 1.7f;
constexpr float softening = 1e-3f;

constexpr int mandelbrot_limit = 256;
BENCH_ANYWHERE inline int mandelbrot(float re, float im) {
  float x = 0, y = 0;
  int k = 0;
  for (; k < mandelbrot_limit; ++k) {
    const float a = x * x, b = y * y;
    if (!(a + b <= 4.f)) break;
    y = 2.f * x * y + im;
    x = a - b + re;
  }
  return k;
}

}  // namespace bench
