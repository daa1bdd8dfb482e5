// Floating point remainder with the sign of the dividend (C's fmod), exact (rules: types.c).

//! remainder_slow_ b1
// One lane, any operands: the mantissas as integers, the quotient's bits eleven at a time.
#ifndef FG_REMAINDER_SLOW
#define FG_REMAINDER_SLOW
FG_INLINE f64 fg_remainder_slow(f64 x, f64 y) {
  const u64 hidden = (u64)1 << 52, infinity = (u64)2047 << 52;
  u64 a = __builtin_bit_cast(u64, x) << 1 >> 1, b = __builtin_bit_cast(u64, y) << 1 >> 1;
  if (a >= infinity || b > infinity || b == 0) return __builtin_nan("");
  if (a < b) return x;
  i64 exponent = (i64)(a >> 52), target = (i64)(b >> 52);  // of denormals 0, which counts as 1
  u64 m = exponent ? (a & (hidden - 1)) | hidden : a, divisor = target ? (b & (hidden - 1)) | hidden : b;
  exponent += exponent == 0;
  target += target == 0;
  m %= divisor;
  for (i64 left = exponent - target; left > 0 && m != 0; left -= 11) m = (m << (left < 11 ? left : 11)) % divisor;
  if (m != 0) {  // back to a mantissa with its highest bit in place, or a denormal
    i64 shift = __builtin_clzll(m) - 11;
    if (shift >= target) shift = target - 1;
    m <<= shift;
    target -= shift;
    m = m & hidden ? (m & (hidden - 1)) | (u64)target << 52 : m;
  }
  f64 r = __builtin_bit_cast(f64, m);
  return x < 0 || (x == 0 && __builtin_bit_cast(i64, x) < 0) ? -r : r;
}
#endif

//! remainder_lanes_ f64
//! needs remainder_slow_ b1
static __attribute__((noinline, cold, unused)) void FN(remainder_lanes_, f64)(const f64* x, const f64* y, const i64* slowly, f64* r) {
  for (i64 l = 0; l < LANES; ++l)
    if (slowly[l]) r[l] = fg_remainder_slow(x[l], y[l]);
}

//! rem f64
//! needs product_ f64, remainder_lanes_ f64
// |x| - q |y| with q the truncated quotient, which rounding can make one too large.
FG_INLINE V(f64) FN(rem, f64)(V(f64) x, V(f64) y) {
  V(f64) a = __builtin_elementwise_abs(x), b = __builtin_elementwise_abs(y);
  M(f64) easy = (a < 0x1p900) & (b > 0x1p-900) & (b < 0x1p900) & (a < b * 0x1p52);
  V(f64) divisor = CHOOSE(f64, easy, b, S(f64, 1)), q = __builtin_elementwise_trunc(a / divisor);
  V(f64) error, product = FN(product_, f64)(q, divisor, &error), r = (a - product) - error;
  r = __builtin_elementwise_copysign(CHOOSE(f64, r < 0, r + b, r), x);
  M(f64) hard = NOT(easy);
  if (ANY(f64, hard)) {
    V(f64) from = x, by = y, to = r;
    V(i64) slowly = hard;
    FN(remainder_lanes_, f64)((const f64*)&from, (const f64*)&by, (const i64*)&slowly, (f64*)&to);
    r = to;
  }
  return r;
}

//! rem f32
//! needs rem f64
FG_INLINE V(f32) FN(rem, f32)(V(f32) x, V(f32) y) { return CAST(f32, FN(rem, f64)(CAST(f64, x), CAST(f64, y))); }
