// Logarithms (rules: types.c). Method: x = 2^e m with 3/4 <= m < 3/2, f = m - 1, which is exact; log(1 + f) by a minimax polynomial (Remez; ../fit.py), in
// f32 of f, in f64 of s^2 with s = f / (2 + f), since log(1 + f) = 2 atanh(s) and 2 s = f - f^2/2 + s f^2/2. e ln 2 is added in two parts, the larger
// one exact.

//! log_odd_ f32 f64
//! needs float_names_ b1
// Lanes that are not positive, normal and finite. One addition moves those that are to the lower end of the signed integers.
FG_INLINE M(KIND) FN(log_odd_, KIND)(V(KIND) x) {
  const UINT(KIND) highest = (UINT(KIND))1 << (8 * sizeof(KIND) - 1), least = (UINT(KIND))1 << MANTISSA(KIND);
  return BITS(INT(KIND), BITS(UINT(KIND), x) + (UINT(KIND))(highest - least)) > (INT(KIND))((2 * BIAS(KIND) * least - 1) ^ highest);
}

//! log_split_ f32 f64
//! needs log_odd_ KIND, part_names_ b1, again parts_ KIND
// The m and e of x. With AVX-512 zero and infinity give e = -inf, inf and a negative x gives m = NaN, so that sums e + g(m) need no special cases.
FG_INLINE V(KIND) FN(log_split_, KIND)(V(KIND) x, V(KIND)* e) {
#if FG_PART && defined __AVX512VL__
  union { V(KIND) whole; FG_FLOAT_PART_TYPE part[FG_PART_COUNT]; } a = {x}, m, n;
#define FG_STEP(i)                                                                       \
  m.part[i] = FG_FLOAT_BUILTIN(getmant)(a.part[i], 11, a.part[i], -1 FG_ROUNDING);       \
  n.part[i] = FG_FLOAT_BUILTIN(getexp)(a.part[i], a.part[i], -1 FG_ROUNDING) -           \
              FG_FLOAT_BUILTIN(getexp)(m.part[i], m.part[i], -1 FG_ROUNDING);
  FG_EACH_PART(FG_STEP)  // 11: a mantissa from 3/4 to 3/2, NaN of a negative number
#undef FG_STEP
  *e = n.whole;
  return m.whole;
#else
  V(KIND) offset = S(KIND, IMPLICIT_ONE(KIND) + BIAS(KIND));
  if (ANY(KIND, FN(log_odd_, KIND)(x))) {
    M(KIND) tiny = x < LEAST_NORMAL(KIND);
    x = CHOOSE(KIND, tiny, x * IMPLICIT_ONE(KIND), x);
    offset = CHOOSE(KIND, tiny, S(KIND, IMPLICIT_ONE(KIND) + BIAS(KIND) + MANTISSA(KIND)), offset);
  }
  V(UINT(KIND)) low = BITS(UINT(KIND), S(KIND, 0.75)), at_one = BITS(UINT(KIND), S(KIND, 1));
  V(UINT(KIND)) i = BITS(UINT(KIND), x) + (at_one - low);  // has the bits of (x / m) * (1 + something below 1)
  V(UINT(KIND)) count = i >> MANTISSA(KIND) | BITS(UINT(KIND), S(KIND, IMPLICIT_ONE(KIND)));
  *e = BITS(KIND, count) - offset;
  return BITS(KIND, (i & ((UINT(KIND))1 << MANTISSA(KIND)) - 1) + low);
#endif
}

//! log_end_ f32 f64
//! needs log_odd_ KIND, part_names_ b1, again parts_ KIND
// The logarithm y of x, put right where x is not positive and finite.
FG_INLINE V(KIND) FN(log_end_, KIND)(V(KIND) y, V(KIND) x) {
#if FG_PART && defined __AVX512VL__
  (void)x;
  return y;
#else
  if (ANY(KIND, FN(log_odd_, KIND)(x))) {
    y = CHOOSE(KIND, x > 0, y, (CHOOSE(KIND, x == 0, S(KIND, -__builtin_inff()), S(KIND, __builtin_nanf("")))));
    y = CHOOSE(KIND, x == __builtin_inff(), x, y);
  }
  return y;
#endif
}

//! log_rest_ f32
// (log(1 + f) - f + f^2/2) / f^3
FG_INLINE V(f32) FN(log_rest_, f32)(V(f32) f) {
  V(f32) p = MULADD(S(f32, 0x1.33c88ap-5f), f, S(f32, -0x1.74d5c6p-4f));
  p = MULADD(p, f, S(f32, 0x1.df10ecp-4f));
  p = MULADD(p, f, S(f32, -0x1.04af4ep-3f));
  p = MULADD(p, f, S(f32, 0x1.246456p-3f));
  p = MULADD(p, f, S(f32, -0x1.5519ccp-3f));
  p = MULADD(p, f, S(f32, 0x1.99975ep-3f));
  p = MULADD(p, f, S(f32, -0x1.00006ep-2f));
  return MULADD(p, f, S(f32, 0x1.55555ap-2f));
}

//! log_rest_ f64
// log(1 + f) - 2 s with s = f / (2 + f), in units of s: a function of z = s^2.
FG_INLINE V(f64) FN(log_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, 0x1.3abe01ff8a851p-3), z, S(f64, 0x1.3852d96c5a48fp-3));
  p = MULADD(p, z, S(f64, 0x1.7474e2c4b1011p-3));
  p = MULADD(p, z, S(f64, 0x1.c71c0162c9fd7p-3));
  p = MULADD(p, z, S(f64, 0x1.249249b227a27p-2));
  p = MULADD(p, z, S(f64, 0x1.99999998f0b66p-2));
  return z * MULADD(p, z, S(f64, 0x1.5555555555776p-1));
}

//! log_tail_ f32
//! needs log_rest_ f32
// log(1 + f) - f
FG_INLINE V(f32) FN(log_tail_, f32)(V(f32) f) {
  return f * f * MULADD(f, FN(log_rest_, f32)(f), S(f32, -0.5f));
}

//! log_tail_ f64
//! needs log_rest_ f64
FG_INLINE V(f64) FN(log_tail_, f64)(V(f64) f) {
  V(f64) s = f / (2 + f), square = 0.5 * f * f;
  return s * (square + FN(log_rest_, f64)(s * s)) - square;
}

//! log f32
//! needs log_split_ f32, log_tail_ f32, log_end_ f32
FG_INLINE V(f32) FN(log, f32)(V(f32) x) {
  V(f32) e, f = FN(log_split_, f32)(x, &e) - 1;
  V(f32) y = MULADD(e, S(f32, 0x1.7f7d1cp-20f), FN(log_tail_, f32)(f));
  return FN(log_end_, f32)(MULADD(e, S(f32, 0x1.62e4p-1f), f + y), x);
}

//! log f64
//! needs log_split_ f64, log_tail_ f64, log_end_ f64
FG_INLINE V(f64) FN(log, f64)(V(f64) x) {
  V(f64) e, f = FN(log_split_, f64)(x, &e) - 1;
  V(f64) y = MULADD(e, S(f64, 0x1.3de6af278ece6p-42), FN(log_tail_, f64)(f));
  return FN(log_end_, f64)(MULADD(e, S(f64, 0x1.62e42fefa3p-1), f + y), x);
}

//! log_sum_ f64
//! needs log_split_ f64, log_tail_ f64, log_end_ f64
// log(x + low), |low| at most an ULP of x.
FG_INLINE V(f64) FN(log_sum_, f64)(V(f64) x, V(f64) low) {
  V(f64) e, f = FN(log_split_, f64)(x, &e) - 1;
  V(f64) y = FN(log_tail_, f64)(f) + (CHOOSE(f64, __builtin_elementwise_abs(low) > 0, low / x, S(f64, 0)));
  y = MULADD(e, S(f64, 0x1.3de6af278ece6p-42), y);
  V(f64) head = e * 0x1.62e42fefa3p-1, sum = head + f;  // e = 0 or |head| > |f|
  y = ((head - sum) + f) + y;
  return FN(log_end_, f64)(CHOOSE(f64, __builtin_elementwise_abs(head) == __builtin_inf(), head, sum + y), x);
}

//! log1p f64
//! needs log_sum_ f64
FG_INLINE V(f64) FN(log1p, f64)(V(f64) x) {
  V(f64) sum = 1 + x, low = CHOOSE(f64, __builtin_elementwise_abs(x) > 1, (x - sum) + 1, (1 - sum) + x);
  return CHOOSE(f64, x == 0, x, FN(log_sum_, f64)(sum, low));
}

//! log_base_names_ b1
#ifndef FG_LOG2_HIGH_f32
// 1 / log(base) in two parts, the higher of half the bits; log_base(2) in two parts, the higher of which times e is exact.
#define FG_LOG2_HIGH_f32 0x1.716p0f
#define FG_LOG2_LOW_f32 -0x1.7135a8p-13f
#define FG_LOG2_HIGH_f64 0x1.7154768p0
#define FG_LOG2_LOW_f64 -0x1.6a3e80f444178p-27
#define FG_LOG10_HIGH_f32 0x1.bccp-2f
#define FG_LOG10_LOW_f32 -0x1.09d5b2p-15f
#define FG_LOG10_HIGH_f64 0x1.bcb7b18p-2
#define FG_LOG10_LOW_f64 -0x1.6c8d78e6acaa4p-29
#define FG_LOG10_2_HIGH_f32 0x1.344p-2f
#define FG_LOG10_2_LOW_f32 0x1.3509f8p-18f
#define FG_LOG10_2_HIGH_f64 0x1.34413509f7p-2
#define FG_LOG10_2_LOW_f64 0x1.3fde623e2566bp-43
#define FG_HALF_BITS_f32 12
#define FG_HALF_BITS_f64 27
#endif

//! log2 f32 f64
//! needs log_split_ KIND, log_tail_ KIND, log_end_ KIND, log_base_names_ b1
FG_INLINE V(KIND) FN(log2, KIND)(V(KIND) x) {
  V(KIND) e, f = FN(log_split_, KIND)(x + 0, &e) - 1, tail = FN(log_tail_, KIND)(f);
  V(KIND) upper = BITS(KIND, BITS(UINT(KIND), f) >> FG_CAT(FG_HALF_BITS_, KIND) << FG_CAT(FG_HALF_BITS_, KIND)), lower = (f - upper) + tail;
  V(KIND) product = upper * FG_CAT(FG_LOG2_HIGH_, KIND), sum = e + product;
  V(KIND) rest = MULADD(lower, S(KIND, FG_CAT(FG_LOG2_HIGH_, KIND)), (upper + lower) * FG_CAT(FG_LOG2_LOW_, KIND));
  V(KIND) y = sum + (((e - sum) + product) + rest);
  return FN(log_end_, KIND)(CHOOSE(KIND, __builtin_elementwise_abs(e) == __builtin_inff(), e, y), x);
}

//! log10 f32 f64
//! needs log_split_ KIND, log_tail_ KIND, log_end_ KIND, log_base_names_ b1
FG_INLINE V(KIND) FN(log10, KIND)(V(KIND) x) {
  V(KIND) e, f = FN(log_split_, KIND)(x + 0, &e) - 1, tail = FN(log_tail_, KIND)(f);
  V(KIND) upper = BITS(KIND, BITS(UINT(KIND), f) >> FG_CAT(FG_HALF_BITS_, KIND) << FG_CAT(FG_HALF_BITS_, KIND)), lower = (f - upper) + tail;
  V(KIND) product = upper * FG_CAT(FG_LOG10_HIGH_, KIND), head = e * FG_CAT(FG_LOG10_2_HIGH_, KIND), sum = head + product;
  V(KIND) rest = MULADD(lower, S(KIND, FG_CAT(FG_LOG10_HIGH_, KIND)), (upper + lower) * FG_CAT(FG_LOG10_LOW_, KIND));
  rest = MULADD(e, S(KIND, FG_CAT(FG_LOG10_2_LOW_, KIND)), rest);
  V(KIND) y = sum + (((head - sum) + product) + rest);
  return FN(log_end_, KIND)(CHOOSE(KIND, __builtin_elementwise_abs(e) == __builtin_inff(), e, y), x);
}
