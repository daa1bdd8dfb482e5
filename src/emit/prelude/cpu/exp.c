// Exponentials (rules: types.c). Method: x = n ln 2 + r with |r| <= ln 2 / 2 (reduction in two steps after Cody and Waite, "Software Manual for the Elementary
// Functions", 1980), e^r by a minimax polynomial (Remez; ../fit.py prints it), the result scaled by 2^n so that only the last multiplication rounds.
// The argument is clamped to where the result is already infinite or zero; the clamps let NaN through.

//! float_names_ b1
#ifndef FG_MAGIC_f32
#define FG_MAGIC_f32 0x1.8p23f  // adding it rounds to an integer, which then is in the lowest bits
#define FG_MAGIC_f64 0x1.8p52
#define FG_MANTISSA_f32 23
#define FG_MANTISSA_f64 52
#define FG_BIAS_f32 127
#define FG_BIAS_f64 1023
#define FG_IMPLICIT_ONE_f32 0x1p23f
#define FG_IMPLICIT_ONE_f64 0x1p52
#define FG_LEAST_NORMAL_f32 0x1p-126f
#define FG_LEAST_NORMAL_f64 0x1p-1022
#define FG_EXPM1_LOW_f32 -18
#define FG_EXPM1_LOW_f64 -38
#define FG_EXPM1_HIGH_f32 89
#define FG_EXPM1_HIGH_f64 710
#define FG_MINUS_LN2_HIGH_f32 -0x1.62e4p-1f
#define FG_MINUS_LN2_HIGH_f64 -0x1.62e42fefa4p-1
#define FG_MINUS_LN2_LOW_f32 -0x1.7f7d1cp-20f
#define FG_MINUS_LN2_LOW_f64 0x1.8432a1b0e2634p-43
#define MAGIC(k) FG_CAT(FG_MAGIC_, k)
#define MANTISSA(k) FG_CAT(FG_MANTISSA_, k)
#define BIAS(k) FG_CAT(FG_BIAS_, k)
#define IMPLICIT_ONE(k) FG_CAT(FG_IMPLICIT_ONE_, k)
#define LEAST_NORMAL(k) FG_CAT(FG_LEAST_NORMAL_, k)
#endif

//! scale_ f32 f64
//! needs float_names_ b1, part_names_ b1, again parts_ KIND
// x * 2^n for integers n, |n| < 3/2 of the greatest exponent, 1/2 <= x <= 2; rounded once.
FG_INLINE V(KIND) FN(scale_, KIND)(V(KIND) x, V(KIND) n) {
#if FG_PART && defined __AVX512VL__
  union { V(KIND) whole; FG_FLOAT_PART_TYPE part[FG_PART_COUNT]; } a = {x}, b = {n};
#define FG_STEP(i) a.part[i] = FG_FLOAT_BUILTIN(scalef)(a.part[i], b.part[i], a.part[i], -1 FG_ROUNDING);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  return a.whole;
#else
  V(KIND) plain = BITS(KIND, BITS(UINT(KIND), x) + (BITS(UINT(KIND), n + MAGIC(KIND)) << MANTISSA(KIND)));
  M(KIND) far = NOT((__builtin_elementwise_abs(n) <= BIAS(KIND) - 2));  // the result may be infinite, NaN or not normal: two steps, the first exact
  if (ANY(KIND, far)) {
    V(KIND) half = n * (KIND)0.5 + MAGIC(KIND), rest = n - (half - MAGIC(KIND)) + MAGIC(KIND);
    x *= BITS(KIND, (BITS(UINT(KIND), half) + BIAS(KIND)) << MANTISSA(KIND));
    x *= BITS(KIND, (BITS(UINT(KIND), rest) + BIAS(KIND)) << MANTISSA(KIND));
    plain = CHOOSE(KIND, far, x, plain);
  }
  return plain;
#endif
}

//! exp_rest_ f32
// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2
FG_INLINE V(f32) FN(exp_rest_, f32)(V(f32) r) {
  V(f32) p = MULADD(S(f32, 0x1.6a51a2p-10f), r, S(f32, 0x1.12397ep-7f));
  p = MULADD(p, r, S(f32, 0x1.5558acp-5f));
  p = MULADD(p, r, S(f32, 0x1.555492p-3f));
  return MULADD(p, r, S(f32, 0x1.fffffcp-2f));
}

//! exp_rest_ f64
// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2
FG_INLINE V(f64) FN(exp_rest_, f64)(V(f64) r) {
  V(f64) p = MULADD(S(f64, 0x1.ad901a6a59434p-26), r, S(f64, 0x1.28ae053d83c63p-22));
  p = MULADD(p, r, S(f64, 0x1.71df1ae63499cp-19));
  p = MULADD(p, r, S(f64, 0x1.a0199955ed4c6p-16));
  p = MULADD(p, r, S(f64, 0x1.a01a012ef150bp-13));
  p = MULADD(p, r, S(f64, 0x1.6c16c1847a281p-10));
  p = MULADD(p, r, S(f64, 0x1.1111111126e93p-7));
  p = MULADD(p, r, S(f64, 0x1.55555555506b1p-5));
  p = MULADD(p, r, S(f64, 0x1.55555555554fdp-3));
  return MULADD(p, r, S(f64, 0x1.000000000000ap-1));
}

//! exp_scaled_ f32 f64
//! needs exp_rest_ KIND, scale_ KIND
// 2^n e^r
FG_INLINE V(KIND) FN(exp_scaled_, KIND)(V(KIND) r, V(KIND) n) {
  V(KIND) p = MULADD(r * r, FN(exp_rest_, KIND)(r), r);
  return FN(scale_, KIND)(p + (KIND)1, n);
}

//! clamp_ f32 f64
// x between low and high; NaN stays.
FG_INLINE V(KIND) FN(clamp_, KIND)(V(KIND) x, KIND low, KIND high) {
  x = CHOOSE(KIND, S(KIND, high) < x, S(KIND, high), x);
  return CHOOSE(KIND, S(KIND, low) > x, S(KIND, low), x);
}

//! exp f32
//! needs exp_scaled_ f32, clamp_ f32
FG_INLINE V(f32) FN(exp, f32)(V(f32) x) {
  x = FN(clamp_, f32)(x, -104, 89);
  V(f32) n = MULADD(x, S(f32, 0x1.715476p0f), S(f32, MAGIC(f32))) - MAGIC(f32);
  V(f32) r = MULADD(n, S(f32, -0x1.62e4p-1f), x);
  return FN(exp_scaled_, f32)(MULADD(n, S(f32, -0x1.7f7d1cp-20f), r), n);
}

//! exp f64
//! needs exp_scaled_ f64, clamp_ f64
FG_INLINE V(f64) FN(exp, f64)(V(f64) x) {
  x = FN(clamp_, f64)(x, -746, 710);
  V(f64) n = MULADD(x, S(f64, 0x1.71547652b82fep0), S(f64, MAGIC(f64))) - MAGIC(f64);
  V(f64) r = MULADD(n, S(f64, -0x1.62e42fefa4p-1), x);
  return FN(exp_scaled_, f64)(MULADD(n, S(f64, 0x1.8432a1b0e2634p-43), r), n);
}

//! exp2 f32 f64
//! needs exp_scaled_ KIND, clamp_ KIND
FG_INLINE V(KIND) FN(exp2, KIND)(V(KIND) x) {
  x = FN(clamp_, KIND)(x, -MANTISSA(KIND) - BIAS(KIND) - 2, BIAS(KIND) + 2);
  V(KIND) n = (x + MAGIC(KIND)) - MAGIC(KIND);
  return FN(exp_scaled_, KIND)((x - n) * (KIND)0x1.62e42fefa39efp-1, n);
}

//! exp10 f32
//! needs exp_scaled_ f32, clamp_ f32
FG_INLINE V(f32) FN(exp10, f32)(V(f32) x) {
  x = FN(clamp_, f32)(x, -46, 39);
  V(f32) n = MULADD(x, S(f32, 0x1.a934f0979a371p1f), S(f32, MAGIC(f32))) - MAGIC(f32);
  V(f32) r = MULADD(n, S(f32, -0x1.344p-2f), x);
  return FN(exp_scaled_, f32)(MULADD(n, S(f32, -0x1.3509f8p-18f), r) * 0x1.26bb1cp1f, n);
}

//! exp10 f64
//! needs exp_scaled_ f64, clamp_ f64
FG_INLINE V(f64) FN(exp10, f64)(V(f64) x) {
  x = FN(clamp_, f64)(x, -325, 309);
  V(f64) n = MULADD(x, S(f64, 0x1.a934f0979a371p1), S(f64, MAGIC(f64))) - MAGIC(f64);
  V(f64) r = MULADD(n, S(f64, -0x1.34413509f8p-2), x);
  return FN(exp_scaled_, f64)(MULADD(n, S(f64, 0x1.80433b83b532ap-44), r) * 0x1.26bb1bbb55516p1, n);
}

//! exp_sum_ f64
//! needs exp_rest_ f64, scale_ f64, clamp_ f64
// e^(x + low), |low| far below |x|; about 0.6 ULP.
FG_INLINE V(f64) FN(exp_sum_, f64)(V(f64) x, V(f64) low) {
  x = FN(clamp_, f64)(x, -746, 710);
  V(f64) n = MULADD(x, S(f64, 0x1.71547652b82fep0), S(f64, MAGIC(f64))) - MAGIC(f64);
  V(f64) head = MULADD(n, S(f64, -0x1.62e42fefa4p-1), x);  // exact
  low = MULADD(n, S(f64, 0x1.8432a1b0e2634p-43), low);
  V(f64) r = head + low;
  low = (head - r) + low;
  V(f64) p = MULADD(r * r, FN(exp_rest_, f64)(r), low);
  V(f64) sum = 1 + r;
  return FN(scale_, f64)(sum + (((1 - sum) + r) + p), n);
}

//! expm1 f32 f64
//! needs exp_rest_ KIND, clamp_ KIND, scale_ KIND
// With s = 2^(n - 1): 2 (s e^r - 1/2), the large parts added exactly.
FG_INLINE V(KIND) FN(expm1, KIND)(V(KIND) x) {
  V(KIND) t = FN(clamp_, KIND)(x, FG_CAT(FG_EXPM1_LOW_, KIND), FG_CAT(FG_EXPM1_HIGH_, KIND));
  V(KIND) n = MULADD(t, S(KIND, 0x1.71547652b82fep0), S(KIND, MAGIC(KIND))) - MAGIC(KIND);
  V(KIND) head = MULADD(n, S(KIND, FG_CAT(FG_MINUS_LN2_HIGH_, KIND)), t), low = n * FG_CAT(FG_MINUS_LN2_LOW_, KIND);
  V(KIND) r = head + low;
  low = (head - r) + low;
  V(KIND) s = BITS(KIND, (BITS(UINT(KIND), n + MAGIC(KIND)) + (BIAS(KIND) - 1)) << MANTISSA(KIND));
  V(KIND) one = s - (KIND)0.5, scaled = s * r, sum = one + scaled;
  V(KIND) rest = MULADD(r * r, FN(exp_rest_, KIND)(r), low);
  M(KIND) led = __builtin_elementwise_abs(one) > __builtin_elementwise_abs(scaled);
  V(KIND) lost = CHOOSE(KIND, led, (one - sum) + scaled, (scaled - sum) + one);
  V(KIND) y = 2 * (sum + MULADD(s, rest, lost));
  return CHOOSE(KIND, __builtin_elementwise_abs(x) < 0x1p-60f, x, y);  // keeps the sign of zero, and denormals
}
