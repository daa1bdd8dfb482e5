// exp, log and what is made of them, 16 lanes at a time. Always inlined: translation units differ in
// -ffast-math.
#pragma once

#include <immintrin.h>

#include "peers/expert.h"

namespace bench {

// Polynomials for exp and log, wrong by about 2 units in the last place.
[[gnu::always_inline]] inline Floats exp_lanes(Floats x) {
  x = _mm512_min_ps(_mm512_max_ps(x, all_lanes(-87.3f)), all_lanes(88.3f));
  Floats k = _mm512_roundscale_ps(_mm512_mul_ps(x, all_lanes(1.44269504f)), 8),
         r = _mm512_fnmadd_ps(k, all_lanes(0.693359375f), x);
  r = _mm512_fnmadd_ps(k, all_lanes(-2.12194440e-4f), r);
  Floats p = _mm512_fmadd_ps(all_lanes(1.9875691e-4f), r, all_lanes(1.3981999e-3f));
  p = _mm512_fmadd_ps(p, r, all_lanes(8.3334519e-3f));
  p = _mm512_fmadd_ps(p, r, all_lanes(4.1665795e-2f));
  p = _mm512_fmadd_ps(p, r, all_lanes(1.6666665e-1f));
  p = _mm512_fmadd_ps(p, r, all_lanes(5.0000001e-1f));
  p = _mm512_fmadd_ps(p, _mm512_mul_ps(r, r), _mm512_add_ps(r, all_lanes(1.f)));
  return _mm512_scalef_ps(p, k);
}
[[gnu::always_inline]] inline Floats log_lanes(Floats x) {  // x > 0, normal
  Floats m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src),
         e = _mm512_getexp_ps(_mm512_div_ps(x, m));
  Floats r = _mm512_sub_ps(m, all_lanes(1.f)), z = _mm512_mul_ps(r, r);
  Floats p = _mm512_fmadd_ps(all_lanes(7.0376836292e-2f), r, all_lanes(-1.1514610310e-1f));
  p = _mm512_fmadd_ps(p, r, all_lanes(1.1676998740e-1f));
  p = _mm512_fmadd_ps(p, r, all_lanes(-1.2420140846e-1f));
  p = _mm512_fmadd_ps(p, r, all_lanes(1.4249322787e-1f));
  p = _mm512_fmadd_ps(p, r, all_lanes(-1.6668057665e-1f));
  p = _mm512_fmadd_ps(p, r, all_lanes(2.0000714765e-1f));
  p = _mm512_fmadd_ps(p, r, all_lanes(-2.4999993993e-1f));
  p = _mm512_fmadd_ps(p, r, all_lanes(3.3333331174e-1f));
  p = _mm512_mul_ps(_mm512_mul_ps(p, r), z);
  p = _mm512_fmadd_ps(z, all_lanes(-0.5f), p);
  return _mm512_fmadd_ps(e, all_lanes(0.69314718f), _mm512_add_ps(r, p));
}
[[gnu::always_inline]] inline Floats reciprocal(Floats x) {
  Floats r = _mm512_rcp14_ps(x);
  return _mm512_mul_ps(r, _mm512_fnmadd_ps(x, r, all_lanes(2.f)));
}
[[gnu::always_inline]] inline Floats normal_cdf_lanes(Floats d) {
  Floats L = _mm512_abs_ps(d), k = reciprocal(_mm512_fmadd_ps(all_lanes(0.2316419f), L, all_lanes(1.f)));
  Floats p = _mm512_fmadd_ps(all_lanes(1.330274429f), k, all_lanes(-1.821255978f));
  p = _mm512_fmadd_ps(p, k, all_lanes(1.781477937f));
  p = _mm512_fmadd_ps(p, k, all_lanes(-0.356563782f));
  p = _mm512_fmadd_ps(p, k, all_lanes(0.31938153f));
  p = _mm512_mul_ps(p, k);
  Floats t = _mm512_mul_ps(
      _mm512_mul_ps(all_lanes(0.39894228f), exp_lanes(_mm512_mul_ps(_mm512_mul_ps(L, L), all_lanes(-0.5f)))),
      p);
  return _mm512_mask_sub_ps(t, _mm512_cmp_ps_mask(d, _mm512_setzero_ps(), _CMP_GE_OQ), all_lanes(1.f), t);
}

}  // namespace bench
