// Sine, cosine, tangent (rules: types.c). Method: x = n pi/2 + r with |r| <= pi/4; up to a limit by Cody and Waite's subtraction in parts, beyond it by
// Payne and Hanek ("Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983) lane by lane; minimax polynomials in r (Remez; ../fit.py);
// n modulo 4 chooses function and sign.

//! reduce_huge_ b1
// One lane, |x| >= 2^20 or so: r = *low + the result, and n modulo 4. With x = m 2^k the bits of 2/pi that are worth at least 4/m make whole turns and
// are left out; 192 bits from there on keep r's relative error below 2^-60.
#ifndef FG_REDUCE_HUGE
#define FG_REDUCE_HUGE
FG_INLINE f64 fg_reduce_huge(f64 x, u64* quadrant, f64* low) {
  static const u64 two_over_pi[] = {  // after the point, behind 64 zeros
      0,
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
      0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
      0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
      0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
  };
  u64 bits = __builtin_bit_cast(u64, x);
  i32 exponent = (i32)(bits >> 52 & 2047);
  *quadrant = 0;
  *low = 0;
  if (exponent == 2047) return __builtin_nan("");
  u64 m = (bits & (((u64)1 << 52) - 1)) | (u64)1 << 52;
  u32 position = (u32)(exponent - 1075 + 62), word = position / 64, shift = position % 64;
  u64 w[3];
  for (u32 i = 0; i < 3; ++i)
    w[i] = shift == 0 ? two_over_pi[word + i] : two_over_pi[word + i] << shift | two_over_pi[word + i + 1] >> (64 - shift);
  typedef unsigned __int128 u128;
  u128 turns = ((u128)(m * w[0]) << 64) + (u128)m * w[1] + (u64)((u128)m * w[2] >> 64);  // in units of 2^-126 pi/2
  u64 n = (u64)((turns + ((u128)1 << 125)) >> 126);
  u128 rest = turns - ((u128)n << 126);
  b1 negative = rest >> 127;
  if (negative) rest = -rest;
  u64 upper = (u64)(rest >> 64);
  i32 zeros = upper ? __builtin_clzll(upper) : 64;  // far fewer than 64 for every f64
  upper = (u64)(rest << zeros >> 64);
  upper = (u64)((u128)upper * 0xc90fdaa22168c235u >> 64);  // pi/2 in units of 2^-63
  f64 scale = __builtin_bit_cast(f64, (u64)(1023 - 61 - zeros) << 52);
  if ((bits >> 63) != negative) scale = -scale;
  *quadrant = bits >> 63 ? -n : n;
  *low = (f64)(upper & 2047) * scale;
  return (f64)(upper & ~(u64)2047) * scale;
}
#endif

//! reduce_lanes_ f32
//! needs reduce_huge_ b1
// The lanes of x beyond `limit`, one by one and out of line: x, r and quadrant are arrays.
static __attribute__((noinline, cold, unused)) void FN(reduce_lanes_, f32)(const f32* x, f32* r, u32* quadrant) {
  for (i64 l = 0; l < LANES; ++l) {
    if (!(__builtin_fabsf(x[l]) > 65536)) continue;
    u64 turns;
    f64 low;
    r[l] = (f32)fg_reduce_huge(x[l], &turns, &low);
    quadrant[l] = (u32)turns;
  }
}

//! reduce_lanes_ f64
//! needs reduce_huge_ b1
static __attribute__((noinline, cold, unused)) void FN(reduce_lanes_, f64)(const f64* x, f64* r, f64* low, u64* quadrant) {
  for (i64 l = 0; l < LANES; ++l)
    if (__builtin_fabs(x[l]) > 0x1p20) r[l] = fg_reduce_huge(x[l], &quadrant[l], &low[l]);
}

//! reduce_ f32
//! needs float_names_ b1, reduce_lanes_ f32
// r, and n in the lowest two bits of *quadrant.
FG_INLINE V(f32) FN(reduce_, f32)(V(f32) x, V(u32)* quadrant) {
#if defined __FMA__ || defined __ARM_FEATURE_FMA
  V(f32) t = MULADD(x, S(f32, 0x1.45f306p-1f), S(f32, MAGIC(f32))), n = t - MAGIC(f32);
  V(f32) r = MULADD(n, S(f32, -0x1.921fb6p0f), x);
  r = MULADD(n, S(f32, 0x1.777a5cp-25f), r);
  r = MULADD(n, S(f32, 0x1.ee59dap-50f), r);
  *quadrant = BITS(u32, t);
#else
  V(f64) wide = CAST(f64, x), t = wide * 0x1.45f306dc9c883p-1 + MAGIC(f64), n = t - MAGIC(f64);
  V(f32) r = CAST(f32, (wide - n * 0x1.921fb544p0) - n * 0x1.0b4611a626331p-34);
  *quadrant = CAST(u32, BITS(u64, t));
#endif
  M(f32) huge = __builtin_elementwise_abs(x) > 65536;
  if (ANY(f32, huge)) {
    V(f32) from = x, to = r;
    V(u32) turns = *quadrant;
    FN(reduce_lanes_, f32)((const f32*)&from, (f32*)&to, (u32*)&turns);
    r = to;
    *quadrant = turns;
  }
  return r;
}

//! reduce_ f64
//! needs float_names_ b1, reduce_lanes_ f64
// r = *low + the result, and n in the lowest two bits of *quadrant.
FG_INLINE V(f64) FN(reduce_, f64)(V(f64) x, V(u64)* quadrant, V(f64)* low) {
  V(f64) t = MULADD(x, S(f64, 0x1.45f306dc9c883p-1), S(f64, MAGIC(f64))), n = t - MAGIC(f64);
#if defined __FMA__ || defined __ARM_FEATURE_FMA
  V(f64) head = MULADD(n, S(f64, -0x1.921fb54442d18p0), x);  // exact
  V(f64) r = MULADD(n, S(f64, -0x1.1a62633145c07p-54), head);
  V(f64) rest = MULADD(n, S(f64, 0x1.f1976b7ed8fbcp-110), MULADD(n, S(f64, -0x1.1a62633145c07p-54), head - r));
#else
  V(f64) head = x - n * 0x1.921fb544p0, next = n * 0x1.0b4611a6p-34;  // exact: n has 20 bits, the constants 33
  V(f64) sum = head - next, rest = ((head - sum) - next) - n * 0x1.3198a2e037073p-69, r = sum + rest;
  rest = (sum - r) + rest;
#endif
  *low = rest;
  *quadrant = BITS(u64, t);
  M(f64) huge = __builtin_elementwise_abs(x) > 0x1p20;
  if (ANY(f64, huge)) {
    V(f64) from = x, to = r, to_low = rest;
    V(u64) turns = *quadrant;
    FN(reduce_lanes_, f64)((const f64*)&from, (f64*)&to, (f64*)&to_low, (u64*)&turns);
    r = to;
    *low = to_low;
    *quadrant = turns;
  }
  return r;
}

//! sin_rest_ f32
// (sin r - r) / r^3, a function of z = r^2
FG_INLINE V(f32) FN(sin_rest_, f32)(V(f32) z) {
  V(f32) p = MULADD(S(f32, -0x1.991c2cp-13f), z, S(f32, 0x1.1106c6p-7f));
  return MULADD(p, z, S(f32, -0x1.555544p-3f));
}

//! cos_rest_ f32
// (cos r - 1 + r^2 / 2) / r^4, a function of z = r^2
FG_INLINE V(f32) FN(cos_rest_, f32)(V(f32) z) {
  V(f32) p = MULADD(S(f32, 0x1.99dd72p-16f), z, S(f32, -0x1.6c0c12p-10f));
  return MULADD(p, z, S(f32, 0x1.55554ap-5f));
}

//! sin_rest_ f64
// (sin r - r) / r^3, a function of z = r^2
FG_INLINE V(f64) FN(sin_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, 0x1.5d7d66e08a30cp-33), z, S(f64, -0x1.ae5e1cec2dcb6p-26));
  p = MULADD(p, z, S(f64, 0x1.71de351bff9f3p-19));
  p = MULADD(p, z, S(f64, -0x1.a01a019baab75p-13));
  p = MULADD(p, z, S(f64, 0x1.111111110f564p-7));
  return MULADD(p, z, S(f64, -0x1.5555555555547p-3));
}

//! cos_rest_ f64
// (cos r - 1 + r^2 / 2) / r^4, a function of z = r^2
FG_INLINE V(f64) FN(cos_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, -0x1.8f8b71d5e8be7p-37), z, S(f64, 0x1.1ee9a7a419e67p-29));
  p = MULADD(p, z, S(f64, -0x1.27e4f7a4e85d9p-22));
  p = MULADD(p, z, S(f64, 0x1.a01a019c24eap-16));
  p = MULADD(p, z, S(f64, -0x1.6c16c16c14bcfp-10));
  return MULADD(p, z, S(f64, 0x1.5555555555549p-5));
}

//! sin_cos_ f32
//! needs reduce_ f32, sin_rest_ f32, cos_rest_ f32
// sin(x + quarters pi/2)
FG_INLINE V(f32) FN(sin_cos_, f32)(V(f32) x, u32 quarters) {
  V(u32) quadrant;
  V(f32) r = FN(reduce_, f32)(x, &quadrant), z = r * r;
  V(f32) sine = MULADD(r * z, FN(sin_rest_, f32)(z), r);
  V(f32) cosine = MULADD(z * z, FN(cos_rest_, f32)(z), MULADD(z, S(f32, -0.5f), S(f32, 1)));
  quadrant += quarters;
  V(f32) y = CHOOSE(f32, (quadrant & 1) != 0, cosine, sine);
  return BITS(f32, BITS(u32, y) ^ (quadrant & 2) << 30);
}

//! sin_cos_ f64
//! needs reduce_ f64, sin_rest_ f64, cos_rest_ f64
// sin(x + quarters pi/2)
FG_INLINE V(f64) FN(sin_cos_, f64)(V(f64) x, u64 quarters) {
  V(u64) quadrant;
  V(f64) low, r = FN(reduce_, f64)(x, &quadrant, &low), z = r * r;
  V(f64) sine = r + MULADD(r * z, FN(sin_rest_, f64)(z), low);
  V(f64) half = 0.5 * z, head = 1 - half;
  V(f64) cosine = head + (((1 - head) - half) + MULADD(z * z, FN(cos_rest_, f64)(z), -r * low));
  quadrant += quarters;
  V(f64) y = CHOOSE(f64, (quadrant & 1) != 0, cosine, sine);
  return BITS(f64, BITS(u64, y) ^ (quadrant & 2) << 62);
}

//! sin f32 f64
//! needs sin_cos_ KIND
FG_INLINE V(KIND) FN(sin, KIND)(V(KIND) x) { return CHOOSE(KIND, x == 0, x, FN(sin_cos_, KIND)(x, 0)); }  // keeps the sign of zero

//! cos f32 f64
//! needs sin_cos_ KIND
FG_INLINE V(KIND) FN(cos, KIND)(V(KIND) x) { return FN(sin_cos_, KIND)(x, 1); }

//! tan_rest_ f64
// (tan r - r) / r^3, a function of z = r^2
FG_INLINE V(f64) FN(tan_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, 0x1.677aabc06fef3p-16), z, S(f64, -0x1.8c2504817fe3bp-15));
  p = MULADD(p, z, S(f64, 0x1.89784c3b11764p-14));
  p = MULADD(p, z, S(f64, -0x1.0536d681f6d0cp-15));
  p = MULADD(p, z, S(f64, 0x1.256774df4c34ap-13));
  p = MULADD(p, z, S(f64, 0x1.cee9b56de59d8p-13));
  p = MULADD(p, z, S(f64, 0x1.3847673198b1dp-11));
  p = MULADD(p, z, S(f64, 0x1.7d523010071c3p-10));
  p = MULADD(p, z, S(f64, 0x1.d6d9f5ef0125fp-9));
  p = MULADD(p, z, S(f64, 0x1.226e0cf1d5d83p-7));
  p = MULADD(p, z, S(f64, 0x1.664f49d9d3412p-6));
  p = MULADD(p, z, S(f64, 0x1.ba1ba1b36234ep-5));
  p = MULADD(p, z, S(f64, 0x1.111111111992ap-3));
  return MULADD(p, z, S(f64, 0x1.55555555554ddp-2));
}

//! tan f64
//! needs reduce_ f64, tan_rest_ f64, product_ f64
FG_INLINE V(f64) FN(tan, f64)(V(f64) x) {
  V(u64) quadrant;
  V(f64) low, r = FN(reduce_, f64)(x, &quadrant, &low), z = r * r;
  V(f64) tail = MULADD(r * z, FN(tan_rest_, f64)(z), MULADD(low, z, low));
  V(f64) y = r + tail;
  tail = (r - y) + tail;
  // -1 / (y + tail): a quotient and what its product with the divisor lacks
  V(f64) inverse = -1 / y, error, product = FN(product_, f64)(inverse, y, &error);
  V(f64) other = inverse + inverse * (((1 + product) + error) + inverse * tail);
  y = CHOOSE(f64, (quadrant & 1) != 0, other, y);
  return CHOOSE(f64, x == 0, x, y);
}

//! product_ f64
// a b and its rounding error, for moderate exponents (Dekker 1971 where the target has no FMA).
FG_INLINE V(f64) FN(product_, f64)(V(f64) a, V(f64) b, V(f64)* error) {
  V(f64) p = a * b;
#if defined __FMA__ || defined __ARM_FEATURE_FMA
  *error = MULADD(a, b, -p);
#else
  V(f64) ca = a * 0x1.0000002p27, cb = b * 0x1.0000002p27;
  V(f64) ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
  *error = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
  return p;
}
