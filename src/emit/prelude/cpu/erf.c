// Error functions (rules: types.c). |x| < 0.8: erf(x) = x p(x^2). Beyond: erfc(x) = exp(-x^2) p(t) / (1 + 2 x) with t = (x - k) / (x + k), k = 3.75 (Shepherd, Laframboise,
// Math. Comp. 36, 1981), x^2 and the quotient in two parts; minimax polynomials (Remez; ../fit.py).

//! erf_rest_ f64
// erf(x) / x less 0x1.20dd750429b6dp0, a function of z = x^2, |x| <= 1
FG_INLINE V(f64) FN(erf_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, -0x1.abb1e8ed49f2dp-31), z, S(f64, 0x1.d71cacccc6d06p-27));
  p = MULADD(p, z, S(f64, -0x1.5c077344e4089p-23));
  p = MULADD(p, z, S(f64, 0x1.b97fe3536d8e4p-20));
  p = MULADD(p, z, S(f64, -0x1.f4ca4f582f12cp-17));
  p = MULADD(p, z, S(f64, 0x1.f9a2bacf2b607p-14));
  p = MULADD(p, z, S(f64, -0x1.c02db03fba86ep-11));
  p = MULADD(p, z, S(f64, 0x1.565bccf939ddep-8));
  p = MULADD(p, z, S(f64, -0x1.b82ce311fb15ep-6));
  p = MULADD(p, z, S(f64, 0x1.ce2f21a040d39p-4));
  p = MULADD(p, z, S(f64, -0x1.812746b0379bdp-2));
  return MULADD(p, z, S(f64, 0x1.05599bdd312ap-57));
}

//! erfc_rest_ f64
// (1 + 2 x) exp(x^2) erfc(x) less 0x1.3ccda0b5d5dc2p0, a function of t
FG_INLINE V(f64) FN(erfc_rest_, f64)(V(f64) t) {
  V(f64) p = MULADD(S(f64, -0x1.2e703750ce6c8p-34), t, S(f64, -0x1.0e5533f153215p-28));
  p = MULADD(p, t, S(f64, -0x1.6415ad0cf0037p-29));
  p = MULADD(p, t, S(f64, 0x1.4044b424feffap-25));
  p = MULADD(p, t, S(f64, 0x1.76f5def0ab292p-26));
  p = MULADD(p, t, S(f64, -0x1.1516ab7e1b5b3p-22));
  p = MULADD(p, t, S(f64, -0x1.e3ad3c9586fdfp-25));
  p = MULADD(p, t, S(f64, 0x1.d63d53d5a4979p-20));
  p = MULADD(p, t, S(f64, -0x1.0568bba01d3a4p-20));
  p = MULADD(p, t, S(f64, -0x1.80031742ee64p-17));
  p = MULADD(p, t, S(f64, 0x1.778b85af88afap-16));
  p = MULADD(p, t, S(f64, 0x1.b143f32844d5bp-15));
  p = MULADD(p, t, S(f64, -0x1.303fa2224c352p-12));
  p = MULADD(p, t, S(f64, 0x1.33fb261d6a17dp-12));
  p = MULADD(p, t, S(f64, 0x1.cc3a0e487ed25p-10));
  p = MULADD(p, t, S(f64, -0x1.3f603c3517325p-7));
  p = MULADD(p, t, S(f64, 0x1.d0b0037d9dda8p-6));
  p = MULADD(p, t, S(f64, -0x1.e0d0fa6dfb286p-5));
  p = MULADD(p, t, S(f64, 0x1.7a14188a9a229p-4));
  p = MULADD(p, t, S(f64, -0x1.bda9309a28a1dp-4));
  p = MULADD(p, t, S(f64, 0x1.510169d0967fp-4));
  p = MULADD(p, t, S(f64, 0x1.d5f2948159dcbp-9));
  p = MULADD(p, t, S(f64, -0x1.1f367683f89a7p-3));
  return MULADD(p, t, S(f64, 0x1.e58991948397cp-54));
}

//! erfc_far_ f64
//! needs erfc_rest_ f64, exp_sum_ f64, product_ f64
// erfc(x) for x >= 0.35.
FG_INLINE V(f64) FN(erfc_far_, f64)(V(f64) x) {
  x = CHOOSE(f64, x > 28, S(f64, 28), x);
  V(f64) rest = FN(erfc_rest_, f64)((x - 3.75) / (x + 3.75)), above = 0x1.3ccda0b5d5dc2p0 + rest;
  V(f64) above_low = (0x1.3ccda0b5d5dc2p0 - above) + rest;
  V(f64) below = 1 + 2 * x, below_low = CHOOSE(f64, x > 0.5, (2 * x - below) + 1, (1 - below) + 2 * x), reciprocal = 1 / below;
  V(f64) ratio = above * reciprocal, error, back = FN(product_, f64)(ratio, below, &error);
  V(f64) ratio_low = (((above - back) - error) + (above_low - ratio * below_low)) * reciprocal;
  V(f64) square = FN(product_, f64)(x, x, &error), e = FN(exp_sum_, f64)(-square, -error);
  return MULADD(e, ratio, e * ratio_low);
}

//! erf f64
//! needs erf_rest_ f64, erfc_far_ f64
FG_INLINE V(f64) FN(erf, f64)(V(f64) x) {
  V(f64) size = __builtin_elementwise_abs(x);
  V(f64) near = MULADD(x, S(f64, 0x1.20dd750429b6dp0), x * FN(erf_rest_, f64)(x * x)), far = 1 - FN(erfc_far_, f64)(size);
  return __builtin_elementwise_copysign(CHOOSE(f64, size < 0.8, near, far), x);
}

//! erfc f64
//! needs erf_rest_ f64, erfc_far_ f64
FG_INLINE V(f64) FN(erfc, f64)(V(f64) x) {
  V(f64) near = 1 - MULADD(x, S(f64, 0x1.20dd750429b6dp0), x * FN(erf_rest_, f64)(x * x));
  V(f64) far = FN(erfc_far_, f64)(__builtin_elementwise_abs(x));
  far = CHOOSE(f64, x < 0, 2 - far, far);
  return CHOOSE(f64, ((x < 0.35) & (x > -1)), near, far);
}

//! erf_rest_ f32
// erf(x) / x less 0x1.20dd74p0f, a function of z = x^2, |x| <= 1
FG_INLINE V(f32) FN(erf_rest_, f32)(V(f32) z) {
  V(f32) p = MULADD(S(f32, 0x1.49940cp-14f), z, S(f32, -0x1.a4074p-11f));
  p = MULADD(p, z, S(f32, 0x1.54081p-8f));
  p = MULADD(p, z, S(f32, -0x1.b7f95ep-6f));
  p = MULADD(p, z, S(f32, 0x1.ce2cfcp-4f));
  p = MULADD(p, z, S(f32, -0x1.81273ep-2f));
  return MULADD(p, z, S(f32, 0x1.fc8eap-25f));
}

//! erfcx_ f32
// erfc(x) exp(x^2), a function of y = x - 2.4, 0.8 <= x <= 4, where exp(-x^2) is small with a larger error
FG_INLINE V(f32) FN(erfcx_, f32)(V(f32) y) {
  V(f32) p = MULADD(S(f32, -0x1.8a5c9ap-15f), y, S(f32, -0x1.0da30cp-13f));
  p = MULADD(p, y, S(f32, -0x1.162344p-12f));
  p = MULADD(p, y, S(f32, 0x1.ed8f3ep-13f));
  p = MULADD(p, y, S(f32, -0x1.6eedf4p-11f));
  p = MULADD(p, y, S(f32, 0x1.8b1e98p-9f));
  p = MULADD(p, y, S(f32, -0x1.285e88p-7f));
  p = MULADD(p, y, S(f32, 0x1.c22972p-6f));
  p = MULADD(p, y, S(f32, -0x1.4601b2p-4f));
  return MULADD(p, y, S(f32, 0x1.bf7c22p-3f));
}

//! erf f32
//! needs erf_rest_ f32, erfcx_ f32, exp f32
FG_INLINE V(f32) FN(erf, f32)(V(f32) x) {
  V(f32) size = __builtin_elementwise_abs(x), far = CHOOSE(f32, size > 4, S(f32, 4), size);  // beyond, 1
  V(f32) near = MULADD(size, S(f32, 0x1.20dd74p0f), size * FN(erf_rest_, f32)(size * size));
  far = 1 - FN(exp, f32)(-far * far) * FN(erfcx_, f32)(far - 2.4f);
  return __builtin_elementwise_copysign(CHOOSE(f32, size < 0.8f, near, far), x);
}

//! erfc_brief_ f64
// (1 + 2 x) exp(x^2) erfc(x), a function of t, 0 <= x <= 11, to 2^-30
FG_INLINE V(f64) FN(erfc_brief_, f64)(V(f64) t) {
  V(f64) p = MULADD(S(f64, -0x1.b3f69443bf2adp-13), t, S(f64, 0x1.fdf88aa2ff1e9p-12));
  p = MULADD(p, t, S(f64, 0x1.d88255676573dp-10));
  p = MULADD(p, t, S(f64, -0x1.426fb7ddb71e4p-7));
  p = MULADD(p, t, S(f64, 0x1.cff63d48cbc47p-6));
  p = MULADD(p, t, S(f64, -0x1.e0af1bc1122f2p-5));
  p = MULADD(p, t, S(f64, 0x1.7a1e718f59c6dp-4));
  p = MULADD(p, t, S(f64, -0x1.bdaa5d4b105fdp-4));
  p = MULADD(p, t, S(f64, 0x1.510097c60029cp-4));
  p = MULADD(p, t, S(f64, 0x1.d5f394b626ac4p-9));
  p = MULADD(p, t, S(f64, -0x1.1f3674489cdb6p-3));
  return MULADD(p, t, S(f64, 0x1.3ccda0b5026c8p0));
}

//! erfc f32
//! needs erfc_brief_ f64, exp f64
// In f64 lanes, where neither x^2 nor the quotient needs a second part.
FG_INLINE V(f32) FN(erfc, f32)(V(f32) x) {
  V(f64) wide = CAST(f64, x), size = ELEMENTWISE(abs, f64, wide);
  size = CHOOSE(f64, size > 11, S(f64, 11), size);
  V(f64) p = FN(erfc_brief_, f64)((size - 3.75) / (size + 3.75));
  V(f64) y = FN(exp, f64)(-size * size) * p / (1 + 2 * size);
  return CAST(f32, CHOOSE(f64, wide < 0, 2 - y, y));
}
