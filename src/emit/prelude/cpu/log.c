// Logarithms (rules: types.c). Method: x = 2^e m with 3/4 <= m < 3/2, f = m - 1, which is exact; log(1 + f) by a minimax polynomial (Remez; ../fit.py), in
// f32 of f, in f64 of s^2 with s = f / (2 + f), since log(1 + f) = 2 atanh(s) and 2 s = f - f^2/2 + s f^2/2. e ln 2 is added in two parts, the larger
// one exact.

//! log_split_ f32 f64
//! needs float_names_ b1, part_names_ b1, again parts_ KIND
// The m and e of x. With AVX-512 zero and infinity give e = -inf, inf and a negative x gives m = NaN, so that sums e + g(m) need no special cases.
FG_INLINE V(KIND) FN(log_split_, KIND)(V(KIND) x, V(KIND)* e) {
  FG_EXACT
#if FG_PART && defined __AVX512VL__
  union { V(KIND) whole; FG_FLOAT_PART_TYPE part[FG_PART_COUNT]; } a = {x}, m, n;
  FG_UNROLL
  for (int i = 0; i < FG_PART_COUNT; ++i) {
    m.part[i] = FG_FLOAT_BUILTIN(getmant)(a.part[i], 11, a.part[i], -1 FG_ROUNDING);  // 11: from 3/4 to 3/2, NaN if negative
    n.part[i] = FG_FLOAT_BUILTIN(getexp)(a.part[i], a.part[i], -1 FG_ROUNDING) - FG_FLOAT_BUILTIN(getexp)(m.part[i], m.part[i], -1 FG_ROUNDING);
  }
  *e = n.whole;
  return m.whole;
#else
  M(KIND) tiny = x < LEAST_NORMAL(KIND);
  x = tiny ? x * IMPLICIT_ONE(KIND) : x;
  V(UINT(KIND)) low = BITS(UINT(KIND), S(KIND, 0.75)), at_one = BITS(UINT(KIND), S(KIND, 1));
  V(UINT(KIND)) i = BITS(UINT(KIND), x) + (at_one - low);  // has the bits of (x / m) * (1 + something below 1)
  V(UINT(KIND)) count = i >> MANTISSA(KIND) | BITS(UINT(KIND), S(KIND, IMPLICIT_ONE(KIND)));
  *e = BITS(KIND, count) - (tiny ? S(KIND, IMPLICIT_ONE(KIND) + BIAS(KIND) + MANTISSA(KIND)) : S(KIND, IMPLICIT_ONE(KIND) + BIAS(KIND)));
  return BITS(KIND, (i & ((UINT(KIND))1 << MANTISSA(KIND)) - 1) + low);
#endif
}

//! log_end_ f32 f64
//! needs part_names_ b1, again parts_ KIND
// The logarithm y of x, put right where x is not positive and finite.
FG_INLINE V(KIND) FN(log_end_, KIND)(V(KIND) y, V(KIND) x) {
#if FG_PART && defined __AVX512VL__
  (void)x;
  return y;
#else
  y = x > 0 ? y : (x == 0 ? S(KIND, -__builtin_inff()) : S(KIND, __builtin_nanf("")));
  return x == __builtin_inff() ? x : y;
#endif
}

//! log_rest_ f32
// (log(1 + f) - f + f^2/2) / f^3
FG_INLINE V(f32) FN(log_rest_, f32)(V(f32) f) {
  V(f32) p = MULADD(S(f32, 0x1.32b6acp-5f), f, S(f32, -0x1.746e12p-4f));
  p = MULADD(p, f, S(f32, 0x1.df2a08p-4f));
  p = MULADD(p, f, S(f32, -0x1.04bf7p-3f));
  p = MULADD(p, f, S(f32, 0x1.2465e8p-3f));
  p = MULADD(p, f, S(f32, -0x1.55191p-3f));
  p = MULADD(p, f, S(f32, 0x1.999752p-3f));
  p = MULADD(p, f, S(f32, -0x1.00007p-2f));
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

//! log f32
//! needs log_split_ f32, log_rest_ f32, log_end_ f32
FG_INLINE V(f32) FN(log, f32)(V(f32) x) {
  FG_EXACT
  V(f32) e, f = FN(log_split_, f32)(x, &e) - 1;
  V(f32) y = f * FN(log_rest_, f32)(f) - 0.5f;
  y = MULADD(e, S(f32, 0x1.7f7d1cp-20f), f * f * y);
  return FN(log_end_, f32)(MULADD(e, S(f32, 0x1.62e4p-1f), f + y), x);
}

//! log f64
//! needs log_split_ f64, log_rest_ f64, log_end_ f64
FG_INLINE V(f64) FN(log, f64)(V(f64) x) {
  FG_EXACT
  V(f64) e, f = FN(log_split_, f64)(x, &e) - 1;
  V(f64) s = f / (2 + f), square = 0.5 * f * f;
  V(f64) y = MULADD(s, square + FN(log_rest_, f64)(s * s), e * 0x1.3de6af278ece6p-42);
  return FN(log_end_, f64)(MULADD(e, S(f64, 0x1.62e42fefa3p-1), f + (y - square)), x);
}
