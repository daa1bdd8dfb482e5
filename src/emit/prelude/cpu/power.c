// Roots and powers (rules: types.c).

//! rsqrt f64
//! needs part_names_ b1, again parts_ KIND
// AVX-512: the processor's estimate r to 2^-14, and r (1 - e)^(-1/2) with the residual e = 1 - x r^2, by the series up to e^4. Where r or x is
// infinite e is no number, and r as it should be.
FG_INLINE V(KIND) FN(rsqrt, KIND)(V(KIND) x) {
#ifdef __AVX512VL__
#if LANES == 1
  V(KIND) r = __builtin_ia32_rsqrt14pd128_mask((f64x2)(x), (f64x2)(x), -1)[0];
#else
  union { V(KIND) whole; FG_FLOAT_PART_TYPE part[FG_PART_COUNT]; } parts = {x};
#define FG_STEP(i) parts.part[i] = FG_FLOAT_BUILTIN(rsqrt14)(parts.part[i], parts.part[i], -1);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  V(KIND) r = parts.whole;
#endif
  V(KIND) e = MULADD(-(x * r), r, S(KIND, 1));
  V(KIND) p = MULADD(S(KIND, 35.0 / 128), e, S(KIND, 5.0 / 16));
  p = MULADD(MULADD(p, e, S(KIND, 3.0 / 8)), e, S(KIND, 0.5));
  return CHOOSE(f64, e == e, MULADD(r * e, p, r), r);
#else
  return 1 / __builtin_elementwise_sqrt(x);
#endif
}

//! rsqrt f32
//! needs part_names_ b1, again parts_ KIND
// AVX-512: the processor's estimate to 2^-14, whatever x is, and one Newton step, whose residual 1 - x r^2 is exact but for the rounding of
// x r. It is no number where r or x is infinite, and then, as an unsigned integer, larger than any residual: with -1 in its place the step
// leaves r as it is. Half of r is r with an exponent one less, but for 0: that is 1 << 7 in the upper 16 bits, subtracted as far as it goes.
// Multiplications are what such code waits for; this is none.
FG_INLINE V(KIND) FN(rsqrt, KIND)(V(KIND) x) {
#ifdef __AVX512VL__
#if LANES == 1
  V(KIND) r = __builtin_ia32_rsqrt14ps128_mask((f32x4)(x), (f32x4)(x), -1)[0];
#elif LANES == 2
  f32x4 twice = __builtin_shufflevector(x, x, 0, 1, 0, 1), r_twice = __builtin_ia32_rsqrt14ps128_mask(twice, twice, -1);
  V(KIND) r = __builtin_shufflevector(r_twice, r_twice, 0, 1);
#else
  union { V(KIND) whole; FG_FLOAT_PART_TYPE part[FG_PART_COUNT]; } parts = {x};
#define FG_STEP(i) parts.part[i] = FG_FLOAT_BUILTIN(rsqrt14)(parts.part[i], parts.part[i], -1);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  V(KIND) r = parts.whole;
#endif
  V(u32) residual = BITS(u32, MULADD(-(x * r), r, S(KIND, 1)));
  typedef u16 parts16 __attribute__((ext_vector_type(2 * LANES)));
  parts16 half = __builtin_elementwise_sub_sat(__builtin_bit_cast(parts16, r), __builtin_bit_cast(parts16, S(u32, 0x00800000)));
  return MULADD(BITS(KIND, half), BITS(KIND, __builtin_elementwise_min(residual, S(u32, 0xbf800000))), r);
#else
  return 1 / __builtin_elementwise_sqrt(x);
#endif
}

//! inverse_cube_root_ f64
// a^(-1/3) to 2^-9, 3/8 <= a < 3
FG_INLINE V(f64) FN(inverse_cube_root_, f64)(V(f64) a) {
  V(f64) p = MULADD(S(f64, 0x1.1693373b20cfep-6), a, S(f64, -0x1.9384b4a35b337p-3));
  p = MULADD(p, a, S(f64, 0x1.dcdd78c81c4dap-1));
  p = MULADD(p, a, S(f64, -0x1.2914ea0a91cecp1));
  p = MULADD(p, a, S(f64, 0x1.a7b948a9179fp1));
  p = MULADD(p, a, S(f64, -0x1.69a1e1c0c0d4fp1));
  return MULADD(p, a, S(f64, 0x1.0acb3f79af02ap1));
}

//! cbrt f64
//! needs log_split_ f64, scale_ f64, inverse_cube_root_ f64
// x = 2^(3 k) a. Three Newton steps towards a^(-1/3), a last one towards a^(1/3).
FG_INLINE V(f64) FN(cbrt, f64)(V(f64) x) {
  V(f64) size = __builtin_elementwise_abs(x);
  M(f64) plain = size > 0 & size < __builtin_inf();
  V(f64) e, m = FN(log_split_, f64)(CHOOSE(f64, plain, size, S(f64, 1)), &e);
  V(f64) k = (e * (1.0 / 3) + MAGIC(f64)) - MAGIC(f64), rest = e - 3 * k;
  V(f64) a = CHOOSE(f64, rest == 0, m, (CHOOSE(f64, rest > 0, 2 * m, 0.5 * m)));
  V(f64) third = a * (1.0 / 3), r = FN(inverse_cube_root_, f64)(a);
  r = MULADD(r, S(f64, 4.0 / 3), -third * r * (r * r * r));
  r = MULADD(r, S(f64, 4.0 / 3), -third * r * (r * r * r));
  r = MULADD(r, S(f64, 4.0 / 3), -third * r * (r * r * r));
  V(f64) y = a * r * r;
  y = y - MULADD(y * y, y, -a) * (r * r * (1.0 / 3));
  y = __builtin_elementwise_copysign(FN(scale_, f64)(y, k), x);
  return CHOOSE(f64, plain, y, x);
}

//! hypot f64
// The operands are scaled into the middle of the range where their squares would leave it.
FG_INLINE V(f64) FN(hypot, f64)(V(f64) x, V(f64) y) {
  V(f64) a = __builtin_elementwise_abs(x), b = __builtin_elementwise_abs(y);
  V(f64) larger = CHOOSE(f64, a > b, a, b), smaller = CHOOSE(f64, a > b, b, a);
  M(f64) huge = larger > 0x1p500, tiny = larger < 0x1p-450;
  V(f64) down = CHOOSE(f64, huge, S(f64, 0x1p-600), (CHOOSE(f64, tiny, S(f64, 0x1p600), S(f64, 1))));
  V(f64) up = CHOOSE(f64, huge, S(f64, 0x1p600), (CHOOSE(f64, tiny, S(f64, 0x1p-600), S(f64, 1))));
  larger *= down;
  smaller *= down;
  V(f64) r = __builtin_elementwise_sqrt(MULADD(larger, larger, smaller * smaller)) * up;
  r = CHOOSE(f64, (a != a | b != b), a + b, r);
  return CHOOSE(f64, (a == __builtin_inf() | b == __builtin_inf()), S(f64, __builtin_inf()), r);
}

//! hypot f32
FG_INLINE V(f32) FN(hypot, f32)(V(f32) x, V(f32) y) {
  V(f64) a = CAST(f64, x), b = CAST(f64, y);
  V(f32) r = CAST(f32, ELEMENTWISE(sqrt, f64, a * a + b * b));
  M(f32) infinite = __builtin_elementwise_abs(x) == __builtin_inff() | __builtin_elementwise_abs(y) == __builtin_inff();
  return CHOOSE(f32, infinite, S(f32, __builtin_inff()), r);
}

//! power_end_ f32 f64
// From r = |x|^y to x^y.
FG_INLINE V(KIND) FN(power_end_, KIND)(V(KIND) r, V(KIND) x, V(KIND) y) {
  V(KIND) half = y * (KIND)0.5;
  M(KIND) whole = __builtin_elementwise_trunc(y) == y, odd = whole & (__builtin_elementwise_trunc(half) != half);
  M(KIND) negative = BITS(INT(KIND), x) < 0;
  r = CHOOSE(KIND, (negative & odd), -r, r);
  r = CHOOSE(KIND, ((x < 0) & NOT(whole) & (x > -__builtin_inff())), S(KIND, __builtin_nanf("")), r);
  r = CHOOSE(KIND, ((x == -1) & (__builtin_elementwise_abs(y) == __builtin_inff())), S(KIND, 1), r);
  return CHOOSE(KIND, ((x == 1) | (y == 0)), S(KIND, 1), r);
}

//! pow f32
//! needs log f64, exp f64, power_end_ f32
FG_INLINE V(f32) FN(pow, f32)(V(f32) x, V(f32) y) {
  V(f64) logarithm = FN(log, f64)(CAST(f64, __builtin_elementwise_abs(x)));
  return FN(power_end_, f32)(CAST(f32, FN(exp, f64)(CAST(f64, y) * logarithm)), x, y);
}

//! log_pair_ f64
//! needs log_split_ f64, product_ f64
// log(x) for positive finite x as *low + the result, to about 2^-65 of its size. With s = f / (2 + f): 2 s + 2/3 s^3 + s^5 p(s^2), the first two terms
// in two parts each.
FG_INLINE V(f64) FN(log_pair_, f64)(V(f64) x, V(f64)* low) {
  V(f64) e, f = FN(log_split_, f64)(x, &e) - 1;
  V(f64) below = 2 + f, below_low = f - (below - 2), reciprocal = 1 / below;
  V(f64) s = f * reciprocal, error, back = FN(product_, f64)(s, below, &error);
  V(f64) s_low = (((f - back) - error) - s * below_low) * reciprocal;
  V(f64) z_low, z = FN(product_, f64)(s, s, &z_low);
  z_low = MULADD(2 * s, s_low, z_low);
  V(f64) p = MULADD(S(f64, 0x1.0176f2a15f8cp-3), z, S(f64, 0x1.dad29742e838fp-4));
  p = MULADD(p, z, S(f64, 0x1.113a056f67a6bp-3));
  p = MULADD(p, z, S(f64, 0x1.3b129911c3d5p-3));
  p = MULADD(p, z, S(f64, 0x1.745d1bc2d87c1p-3));
  p = MULADD(p, z, S(f64, 0x1.c71c71bc780d6p-3));
  p = MULADD(p, z, S(f64, 0x1.2492492498d3dp-2));
  p = MULADD(p, z, S(f64, 0x1.9999999999968p-2));
  V(f64) v_low, v = FN(product_, f64)(z, S(f64, 0x1.5555555555555p-1), &v_low);
  v_low += z * 0x1.5555555555555p-55 + z_low * 0x1.5555555555555p-1;
  V(f64) w = z * z * p, head = v + w;  // s^2 (2/3 + ...)
  v_low += (v - head) + w;
  V(f64) t_low, t = FN(product_, f64)(s, head, &t_low);
  t_low += s * v_low + s_low * head;
  V(f64) sum = 2 * s + t;
  V(f64) rest = ((2 * s - sum) + t) + (t_low + 2 * s_low);
  V(f64) whole = e * 0x1.62e42fefa3p-1, y = whole + sum;  // e = 0 or |whole| > |sum|
  rest += ((whole - y) + sum) + e * 0x1.3de6af278ece6p-42;
  V(f64) r = y + rest;
  *low = (y - r) + rest;
  return r;
}

//! pow f64
//! needs log_pair_ f64, exp_sum_ f64, product_ f64, power_end_ f64
FG_INLINE V(f64) FN(pow, f64)(V(f64) x, V(f64) y) {
  V(f64) size = __builtin_elementwise_abs(x);
  M(f64) plain = size > 0 & size < __builtin_inf();
  V(f64) low, logarithm = FN(log_pair_, f64)(CHOOSE(f64, plain, size, S(f64, 1)), &low);
  V(f64) bounded = CHOOSE(f64, y > 0x1p70, S(f64, 0x1p70), y);
  bounded = CHOOSE(f64, bounded < -0x1p70, S(f64, -0x1p70), bounded);
  V(f64) error, product = FN(product_, f64)(logarithm, bounded, &error);
  V(f64) r = FN(exp_sum_, f64)(product, CHOOSE(f64, __builtin_elementwise_abs(product) < 800, MULADD(bounded, low, error), S(f64, 0)));
  V(f64) edge = CHOOSE(f64, (size == 0) == (y > 0), S(f64, 0), S(f64, __builtin_inf()));
  r = CHOOSE(f64, plain, r, edge);
  r = CHOOSE(f64, (x != x | y != y), x + y, r);
  return FN(power_end_, f64)(r, x, y);
}
