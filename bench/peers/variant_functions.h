// Functions of single elements of the benchmarks' variants, as every peer uses them.
#pragma once

#include "peers/functions.h"

namespace bench {

// Longer than any step of the min-plus product: what a row without elements has.
constexpr float no_step = 4.f;

constexpr float julia_re = -0.8f, julia_im = 0.156f;

// How many squarings keep z near, from z, with c.
template <class Real>
int escape_time(Real x, Real y, Real re, Real im) {
  int k = 0;
  for (; k < mandelbrot_limit; ++k) {
    const Real a = x * x, b = y * y;
    if (!(a + b <= 4)) break;
    y = 2 * x * y + im;
    x = a - b + re;
  }
  return k;
}

inline int collatz(std::int64_t x) {
  int k = 0;
  for (; x != 1; ++k) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  return k;
}

}  // namespace bench
