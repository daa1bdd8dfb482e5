// Integer arithmetic of the prelude (rules: types.c). Everything wraps; nothing traps.
// A zero divisor is taken as 1: the kernel tests and reports it. Shift counts are taken modulo the width.
// Division: 32-bit lanes through f64 and 8, 16-bit lanes through f32. Exact: for integers below 2^w the quotient a/b lies at least 1/b below the next
// integer k, while rounding to p bits moves it by at most k * 2^-p <= 2^(w-p)/b, and p - w >= 8.

//! add i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(add, KIND)(V(KIND) a, V(KIND) b) { return (V(KIND))((WRAP(KIND))a + (WRAP(KIND))b); }

//! sub i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(sub, KIND)(V(KIND) a, V(KIND) b) { return (V(KIND))((WRAP(KIND))a - (WRAP(KIND))b); }

//! mul i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(mul, KIND)(V(KIND) a, V(KIND) b) { return (V(KIND))((WRAP(KIND))a * (WRAP(KIND))b); }

//! neg i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(neg, KIND)(V(KIND) a) { return (V(KIND))((WRAP(KIND))0 - (WRAP(KIND))a); }

//! abs i8 i16 i32 i64
//! needs neg KIND
FG_INLINE V(KIND) FN(abs, KIND)(V(KIND) a) { return CHOOSE(KIND, a < 0, FN(neg, KIND)(a), a); }

//! abs u8 u16 u32 u64
FG_INLINE V(KIND) FN(abs, KIND)(V(KIND) a) { return a; }

//! sign i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(sign, KIND)(V(KIND) a) { return CHOOSE(KIND, a > 0, S(KIND, 1), (CHOOSE(KIND, a == 0, S(KIND, 0), S(KIND, -1)))); }

//! min i8 i16 i32 i64 u8 u16 u32 u64
#define FN(min, KIND)(a, b) ((V(KIND))__builtin_elementwise_min((V(KIND))(a), (V(KIND))(b)))

//! max i8 i16 i32 i64 u8 u16 u32 u64
#define FN(max, KIND)(a, b) ((V(KIND))__builtin_elementwise_max((V(KIND))(a), (V(KIND))(b)))

//! shl i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(shl, KIND)(V(KIND) a, V(KIND) b) {
  return (V(KIND))((WRAP(KIND))a << (WRAP(KIND))(b & S(KIND, 8 * sizeof(KIND) - 1)));
}

//! shr i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(shr, KIND)(V(KIND) a, V(KIND) b) { return a >> (b & S(KIND, 8 * sizeof(KIND) - 1)); }

//! divide_ u8 u16
// Quotient of unsigned lanes by a divisor that is not zero.
#if LANES == 1
FG_INLINE KIND FN(divide_, KIND)(KIND a, KIND b) { return (KIND)(a / b); }
#else
FG_INLINE V(KIND) FN(divide_, KIND)(V(KIND) a, V(KIND) b) { return CAST(KIND, CAST(f32, a) / CAST(f32, b)); }
#endif

//! divide_ u32
#if LANES == 1
FG_INLINE u32 FN(divide_, u32)(u32 a, u32 b) { return a / b; }
#else
FG_INLINE V(u32) FN(divide_, u32)(V(u32) a, V(u32) b) { return CAST(u32, CAST(f64, a) / CAST(f64, b)); }
#endif

//! divide_lanes_ u64
// Apart and as a loop: kernels have many divisions, few of which get here.
static __attribute__((noinline, cold, unused)) void FN(divide_lanes_, u64)(u64* a, const u64* b) {
#pragma clang loop unroll(disable) vectorize(disable)
  for (int l = 0; l < LANES; ++l) a[l] /= b[l];
}

//! divide_ u64
//! needs divide_lanes_ u64
// Lane by lane. Where all operands lie below 2^52 and the target rounds f64 lanes, through f64, with the same result. Without conversions of 64-bit
// lanes: an integer below 2^52 in the fraction of 2^52 is their sum.
FG_INLINE V(u64) FN(divide_, u64)(V(u64) a, V(u64) b) {
#if LANES == 1
  return a / b;
#else
#ifdef __AVX512DQ__
  if (__builtin_reduce_or(a | b) >> 52 == 0) return CAST(u64, CAST(f64, a) / CAST(f64, b));
#elif defined __SSE4_1__
  if (__builtin_reduce_or(a | b) >> 52 == 0) {
    V(u64) exponent = S(u64, 0x4330000000000000);
    V(f64) offset = S(f64, 0x1p52);
    V(f64) q = __builtin_elementwise_trunc((BITS(f64, a | exponent) - offset) / (BITS(f64, b | exponent) - offset));
    return BITS(u64, q + offset) ^ exponent;
  }
#endif
  FN(divide_lanes_, u64)((u64*)&a, (const u64*)&b);
  return a;
#endif
}

//! div u8 u16 u32 u64
//! needs divide_ KIND
FG_INLINE V(KIND) FN(div, KIND)(V(KIND) a, V(KIND) b) { return FN(divide_, KIND)(a, CHOOSE(KIND, b == 0, S(KIND, 1), b)); }

//! rem u8 u16 u32 u64
//! needs divide_ KIND
FG_INLINE V(KIND) FN(rem, KIND)(V(KIND) a, V(KIND) b) {
  b = CHOOSE(KIND, b == 0, S(KIND, 1), b);
  return (V(KIND))((WRAP(KIND))a - (WRAP(KIND))FN(divide_, KIND)(a, b) * (WRAP(KIND))b);
}

//! div i32
#if LANES == 1
FG_INLINE i32 fg_div_i32_x1(i32 a, i32 b) { return b == -1 ? (i32)(0u - (u32)a) : a / (b == 0 ? 1 : b); }
#else
FG_INLINE V(i32) FN(div, i32)(V(i32) a, V(i32) b) {
  M(i32) trivial = b == 0 | b == -1;  // the quotient is then +-a, which for INT_MIN / -1 would not fit
  V(i32) q = CAST(i32, CAST(f64, a) / CAST(f64, CHOOSE(i32, trivial, S(i32, 1), b)));
  return CHOOSE(i32, b == -1, (V(i32))(0 - (V(u32))q), q);
}
#endif

//! div i8 i16
#if LANES == 1
FG_INLINE KIND FN(div, KIND)(KIND a, KIND b) { return (KIND)(a / (b == 0 ? 1 : b)); }
#else
FG_INLINE V(KIND) FN(div, KIND)(V(KIND) a, V(KIND) b) {
  return CAST(KIND, CAST(i32, CAST(f32, a) / CAST(f32, CHOOSE(KIND, b == 0, S(KIND, 1), b))));  // through i32, where 128 and 32768 fit
}
#endif

//! div i64
//! needs divide_ u64
FG_INLINE V(i64) FN(div, i64)(V(i64) a, V(i64) b) {
  V(u64) wrap_a = (V(u64))a, wrap_b = (V(u64))b;
  V(u64) q = FN(divide_, u64)(CHOOSE(u64, a < 0, 0 - wrap_a, wrap_a), CHOOSE(u64, b == 0, S(u64, 1), (CHOOSE(u64, b < 0, 0 - wrap_b, wrap_b))));
  return (V(i64))(CHOOSE(u64, (a ^ b) < 0, 0 - q, q));
}

//! rem i8 i16 i32 i64
//! needs div KIND
FG_INLINE V(KIND) FN(rem, KIND)(V(KIND) a, V(KIND) b) {
  b = CHOOSE(KIND, b == 0, S(KIND, 1), b);
  return (V(KIND))((WRAP(KIND))a - (WRAP(KIND))FN(div, KIND)(a, b) * (WRAP(KIND))b);
}

//! ceil_div u8 u16 u32 u64
//! needs div KIND
// The quotient, and one more where something is left.
FG_INLINE V(KIND) FN(ceil_div, KIND)(V(KIND) a, V(KIND) b) {
  b = CHOOSE(KIND, b == 0, S(KIND, 1), b);
  V(KIND) q = FN(div, KIND)(a, b);
  V(KIND) rest = (V(KIND))((WRAP(KIND))a - (WRAP(KIND))q * (WRAP(KIND))b);
  V(KIND) more = CHOOSE(KIND, rest == 0, S(KIND, 0), S(KIND, 1));
  return (V(KIND))((WRAP(KIND))q + (WRAP(KIND))more);
}

//! ceil_div i8 i16 i32 i64
//! needs div KIND
// The same where the exact quotient is positive: what is left has the sign of the dividend.
FG_INLINE V(KIND) FN(ceil_div, KIND)(V(KIND) a, V(KIND) b) {
  b = CHOOSE(KIND, b == 0, S(KIND, 1), b);
  V(KIND) q = FN(div, KIND)(a, b);
  V(KIND) rest = (V(KIND))((WRAP(KIND))a - (WRAP(KIND))q * (WRAP(KIND))b);
  V(KIND) one = CHOOSE(KIND, (rest ^ b) < 0, S(KIND, 0), S(KIND, 1));
  V(KIND) more = CHOOSE(KIND, rest == 0, S(KIND, 0), one);
  return (V(KIND))((WRAP(KIND))q + (WRAP(KIND))more);
}

//! popcount u8 u16 u32 u64
// Sums of neighbouring bits, pairs, nibbles, then one multiplication adds the bytes.
FG_INLINE V(KIND) FN(popcount, KIND)(V(KIND) a) {
#if LANES == 1
  return (KIND)__builtin_popcountll(a);
#else
  const KIND ones = (KIND)(~(KIND)0);
  a = a - (a >> 1 & (KIND)(ones / 3));
  a = (a & (KIND)(ones / 5)) + (a >> 2 & (KIND)(ones / 5));
  a = a + (a >> 4) & (KIND)(ones / 17);
  return a * (KIND)(ones / 255) >> (KIND)(8 * sizeof(KIND) - 8);
#endif
}

//! clz u8 u16 u32 u64
//! needs popcount KIND
FG_INLINE V(KIND) FN(clz, KIND)(V(KIND) a) {
#if LANES == 1
  return (KIND)(a == 0 ? 8 * sizeof(KIND) : __builtin_clzll(a) - (64 - 8 * sizeof(KIND)));
#else
  a |= a >> (KIND)1;  // ones from the leading one downwards
  a |= a >> (KIND)2;
  a |= a >> (KIND)4;
  if (sizeof(KIND) > 1) a |= a >> (KIND)(sizeof(KIND) > 1 ? 8 : 1);
  if (sizeof(KIND) > 2) a |= a >> (KIND)(sizeof(KIND) > 2 ? 16 : 1);
  if (sizeof(KIND) > 4) a |= a >> (KIND)(sizeof(KIND) > 4 ? 32 : 1);
  return FN(popcount, KIND)(~a);
#endif
}

//! ctz u8 u16 u32 u64
//! needs popcount KIND
FG_INLINE V(KIND) FN(ctz, KIND)(V(KIND) a) { return FN(popcount, KIND)((V(KIND))(~a & (V(KIND))(a - (KIND)1))); }

//! popcount i8 i16 i32 i64
//! needs popcount UNSIGNED
FG_INLINE V(KIND) FN(popcount, KIND)(V(KIND) a) { return (V(KIND))FN(popcount, UINT(KIND))((V(UINT(KIND)))a); }

//! clz i8 i16 i32 i64
//! needs clz UNSIGNED
FG_INLINE V(KIND) FN(clz, KIND)(V(KIND) a) { return (V(KIND))FN(clz, UINT(KIND))((V(UINT(KIND)))a); }

//! ctz i8 i16 i32 i64
//! needs ctz UNSIGNED
FG_INLINE V(KIND) FN(ctz, KIND)(V(KIND) a) { return (V(KIND))FN(ctz, UINT(KIND))((V(UINT(KIND)))a); }

//! add_half_products i8 i16 i64 u8 u16 u64
// c and the products of the halves of a and b, which are signed.
FG_INLINE V(KIND) FN(add_half_products, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) {
  const INT(KIND) half = 4 * sizeof(KIND);
  V(INT(KIND)) low_a = (V(INT(KIND)))(a << (KIND)half) >> half, low_b = (V(INT(KIND)))(b << (KIND)half) >> half;
  V(INT(KIND)) high_a = (V(INT(KIND)))a >> half, high_b = (V(INT(KIND)))b >> half;
  return (V(KIND))((WRAP(KIND))c + (WRAP(KIND))(low_a * low_b) + (WRAP(KIND))(high_a * high_b));
}

//! add_half_products i32 u32
//! needs part_names_ b1, again parts_ KIND
// The same with the instruction that there is for halves of 16 bits.
FG_INLINE V(KIND) FN(add_half_products, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) {
#if FG_PART
  typedef i16 Halves __attribute__((vector_size(FG_PART)));
  typedef u32 Sums __attribute__((vector_size(FG_PART)));
  union { V(KIND) whole; Halves halves[FG_PART_COUNT]; Sums sums[FG_PART_COUNT]; } x = {a}, y = {b}, z = {c};
#define FG_STEP(i) z.sums[i] += (Sums)FG_CAT(__builtin_ia32_pmaddwd, FG_CAT(FG_REGISTER_, FG_PART))(x.halves[i], y.halves[i]);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  return z.whole;
#else
  V(i32) low_a = (V(i32))((V(u32))a << 16u) >> 16, low_b = (V(i32))((V(u32))b << 16u) >> 16;
  V(i32) high_a = (V(i32))a >> 16, high_b = (V(i32))b >> 16;
  return (V(KIND))((V(u32))c + (V(u32))(low_a * low_b) + (V(u32))(high_a * high_b));
#endif
}

//! add_quarter_products i8 i16 i64 u8 u16 u64
// c and the products of the unsigned quarters of a and the signed ones of b.
FG_INLINE V(KIND) FN(add_quarter_products, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) {
  const INT(KIND) quarter = 2 * sizeof(KIND), others = 6 * sizeof(KIND);
  V(UINT(KIND)) x = (V(UINT(KIND)))a, y = (V(UINT(KIND)))b;
  const UINT(KIND) mask = (UINT(KIND))(((UINT(KIND))1 << quarter) - 1);
  V(INT(KIND)) sum = (V(INT(KIND)))c;
#define FG_STEP(i)                                                                             \
  {                                                                                            \
    V(INT(KIND)) of_a = (V(INT(KIND)))(x >> (UINT(KIND))(i * quarter) & mask);                 \
    V(INT(KIND)) of_b = (V(INT(KIND)))(y << (UINT(KIND))(others - i * quarter)) >> others;     \
    sum = (V(INT(KIND)))((WRAP(KIND))sum + (WRAP(KIND))(of_a * of_b));                         \
  }
  FG_EACH(4, FG_STEP)
#undef FG_STEP
  return (V(KIND))sum;
}

//! add_quarter_products i32 u32
//! needs part_names_ b1, again parts_ KIND
// The same with the instruction that some processors have for quarters of 8 bits.
FG_INLINE V(KIND) FN(add_quarter_products, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) {
#undef FG_HAS_QUARTERS
#if FG_PART
#if defined __AVX512VNNI__ || defined __AVXVNNI__ && FG_PART < 64
#define FG_HAS_QUARTERS
#endif
#endif
#ifdef FG_HAS_QUARTERS
  typedef i32 Words __attribute__((vector_size(FG_PART)));
  union { V(KIND) whole; Words words[FG_PART_COUNT]; } x = {a}, y = {b}, z = {c};
#define FG_STEP(i) z.words[i] = FG_CAT(__builtin_ia32_vpdpbusd, FG_CAT(FG_REGISTER_, FG_PART))(z.words[i], x.words[i], y.words[i]);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  return z.whole;
#else
  V(u32) x = (V(u32))a, y = (V(u32))b, sum = (V(u32))c;
#define FG_STEP(i) sum += (V(u32))((V(i32))(x >> (u32)(8 * i) & 255u) * ((V(i32))(y << (u32)(24 - 8 * i)) >> 24));
  FG_EACH(4, FG_STEP)
#undef FG_STEP
  return (V(KIND))sum;
#endif
}
