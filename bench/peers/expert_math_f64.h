// exp, log and the normal distribution of doubles, 8 lanes at a time, by their series: wrong by a few units
// in the last place.
#pragma once

#include "peers/expert_lanes.h"

namespace bench {

using Doubles8 = Lanes<double>;

// c[0] + c[1] x + c[2] x^2 + ...
template <std::size_t n>
[[gnu::always_inline]] inline Doubles8 polynomial(Doubles8 x, const double (&c)[n]) {
  Doubles8 sum = all_lanes_of(c[n - 1]);
  for (std::size_t k = n - 1; k-- > 0;) sum = sum * x + c[k];
  return sum;
}
[[gnu::always_inline]] inline Doubles8 exp_lanes(Doubles8 x) {
  x = _mm512_min_pd(_mm512_max_pd(x, _mm512_set1_pd(-708)), _mm512_set1_pd(709));
  const Doubles8 k = _mm512_roundscale_pd(x * 1.4426950408889634, 8);
  const Doubles8 r = _mm512_fnmadd_pd(k, _mm512_set1_pd(1.9082149292705877e-10),
                                      _mm512_fnmadd_pd(k, _mm512_set1_pd(0.693147180369123816490), x));
  static constexpr double series[] = {
      1,         1,          1. / 2,      1. / 6,       1. / 24,       1. / 120,      1. / 720,
      1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600};
  return _mm512_scalef_pd(polynomial(r, series), k);
}
[[gnu::always_inline]] inline Doubles8 log_lanes(Doubles8 x) {  // x > 0, normal
  const Doubles8 m = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
  const Doubles8 e = _mm512_getexp_pd(x / m), s = (m - 1) / (m + 1), square = s * s;
  static constexpr double series[] = {2.,      2. / 3,  2. / 5,  2. / 7,  2. / 9, 2. / 11,
                                      2. / 13, 2. / 15, 2. / 17, 2. / 19, 2. / 21};
  return e * 0.6931471805599453 + s * polynomial(square, series);
}
[[gnu::always_inline]] inline Doubles8 normal_cdf_lanes(Doubles8 d) {
  const Doubles8 l = _mm512_abs_pd(d), k = 1 / (1 + 0.2316419 * l);
  static constexpr double factors[] = {0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429};
  const Doubles8 tail = 0.39894228 * exp_lanes(-0.5 * l * l) * k * polynomial(k, factors);
  return d < 0 ? tail : 1 - tail;
}

}  // namespace bench
