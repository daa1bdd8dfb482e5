// What C's operators do, as functions (rules: types.c).

//! add i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(add, KIND)(V(KIND) a, V(KIND) b) { return (V(KIND))((WRAP(KIND))a + (WRAP(KIND))b); }

//! sub i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(sub, KIND)(V(KIND) a, V(KIND) b) { return (V(KIND))((WRAP(KIND))a - (WRAP(KIND))b); }

//! mul i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(mul, KIND)(V(KIND) a, V(KIND) b) { return (V(KIND))((WRAP(KIND))a * (WRAP(KIND))b); }

//! neg i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(neg, KIND)(V(KIND) a) { return (V(KIND))(-(WRAP(KIND))a); }

//! add f32 f64
FG_INLINE V(KIND) FN(add, KIND)(V(KIND) a, V(KIND) b) { return a + b; }

//! sub f32 f64
FG_INLINE V(KIND) FN(sub, KIND)(V(KIND) a, V(KIND) b) { return a - b; }

//! mul f32 f64
FG_INLINE V(KIND) FN(mul, KIND)(V(KIND) a, V(KIND) b) { return a * b; }

//! div f32 f64
FG_INLINE V(KIND) FN(div, KIND)(V(KIND) a, V(KIND) b) { return a / b; }

//! neg f32 f64
FG_INLINE V(KIND) FN(neg, KIND)(V(KIND) a) { return -a; }

//! bit_and b1 i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(bit_and, KIND)(V(KIND) a, V(KIND) b) { return a & b; }

//! bit_or b1 i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(bit_or, KIND)(V(KIND) a, V(KIND) b) { return a | b; }

//! bit_xor b1 i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(bit_xor, KIND)(V(KIND) a, V(KIND) b) { return a ^ b; }

//! bit_not i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(bit_not, KIND)(V(KIND) a) { return ~a; }

//! bit_not b1
#if defined FG_AVX512VL
FG_INLINE V(b1) FN(bit_not, b1)(V(b1) a) { return (V(b1))(~a & (u16)(~0u >> (32 - LANES))); }
#else
FG_INLINE V(b1) FN(bit_not, b1)(V(b1) a) { return ~a; }
#endif

//! splat i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
#define FG_SPLAT_2(c) c, c
#define FG_SPLAT_4(c) c, c, c, c
#define FG_SPLAT_8(c) FG_SPLAT_4(c), FG_SPLAT_4(c)
#define FG_SPLAT_16(c) FG_SPLAT_8(c), FG_SPLAT_8(c)
#define FG_SPLAT_32(c) FG_SPLAT_16(c), FG_SPLAT_16(c)
#define FG_SPLAT_64(c) FG_SPLAT_32(c), FG_SPLAT_32(c)
FG_INLINE V(KIND) FN(splat, KIND)(KIND c) { return (V(KIND)){JOIN(FG_SPLAT_, LANES)(c)}; }

//! splat b1
#if defined FG_AVX512VL
FG_INLINE V(b1) FN(splat, b1)(b1 c) { return (V(b1))(-(i32)c & (u16)(~0u >> (32 - LANES))); }
#else
FG_INLINE V(b1) FN(splat, b1)(b1 c) { return (V(b1))FN(splat, i32)(-(i32)c); }
#endif

//! mask_bits b1
// The mask as an integer, lane 0 in the lowest bit.
#if defined FG_AVX512VL
FG_INLINE u64 FN(mask_bits, b1)(V(b1) m) { return m; }
#else
FG_INLINE u64 FN(mask_bits, b1)(V(b1) m) {
  u64 bits = 0;
#define FG_STEP(l) bits |= (u64)(m[l] & 1) << l;
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return bits;
}
#endif

//! bits_mask b1
// A mask from such an integer.
#if defined FG_AVX512VL
FG_INLINE V(b1) FN(bits_mask, b1)(u64 bits) { return (V(b1))bits; }
#else
FG_INLINE V(b1) FN(bits_mask, b1)(u64 bits) {
  V(b1) m;
#define FG_STEP(l) m[l] = -(i32)(bits >> l & 1);
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return m;
}
#endif

//! mask i8 i16 i32 i64
// All ones where the mask holds.
#if defined FG_AVX512VL
FG_INLINE V(KIND) FN(mask, KIND)(V(b1) m) {
  V(KIND) r;
#define FG_STEP(l) r[l] = (KIND)-(m >> l & 1);
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return r;
}
#else
FG_INLINE V(KIND) FN(mask, KIND)(V(b1) m) { return __builtin_convertvector(m, V(KIND)); }
#endif

//! to b1
// The mask of lanes whose sign is set: with masks of bits.
FG_INLINE V(b1) FN(to, b1)(V(i32) m) {
  u32 bits = 0;
#define FG_STEP(l) bits |= (u32)(m[l] & 1) << l;
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return (V(b1))bits;
}

//! choose i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// a where m is all ones, b where it is 0. With AVX-512 compilers make one instruction of it, if m is a comparison.
FG_INLINE V(KIND) FN(choose, KIND)(M(KIND) m, V(KIND) a, V(KIND) b) {
  return (V(KIND))((m & (M(KIND))a) | (~m & (M(KIND))b));
}

//! any_lane i8 i16 i32 i64
FG_INLINE b1 FN(any_lane, KIND)(V(KIND) m) {
  KIND any = 0;
#define FG_STEP(l) any |= m[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return any != 0;
}

//! eq i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(b1) FN(eq, KIND)(V(KIND) a, V(KIND) b) { return TO_B1((M(KIND))(a == b)); }

//! ne i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(b1) FN(ne, KIND)(V(KIND) a, V(KIND) b) { return TO_B1((M(KIND))(a != b)); }

//! lt i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(b1) FN(lt, KIND)(V(KIND) a, V(KIND) b) { return TO_B1((M(KIND))(a < b)); }

//! le i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(b1) FN(le, KIND)(V(KIND) a, V(KIND) b) { return TO_B1((M(KIND))(a <= b)); }

//! eq b1
FG_INLINE V(b1) FN(eq, b1)(V(b1) a, V(b1) b) { return FN(bit_not, b1)(a ^ b); }

//! ne b1
FG_INLINE V(b1) FN(ne, b1)(V(b1) a, V(b1) b) { return a ^ b; }

//! lt b1
FG_INLINE V(b1) FN(lt, b1)(V(b1) a, V(b1) b) { return ~a & b; }

//! le b1
FG_INLINE V(b1) FN(le, b1)(V(b1) a, V(b1) b) { return FN(bit_not, b1)(a & ~b); }

//! select i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(KIND) FN(select, KIND)(V(b1) m, V(KIND) a, V(KIND) b) { return CHOOSE(KIND, MASK(KIND, m), a, b); }

//! select b1
FG_INLINE V(b1) FN(select, b1)(V(b1) m, V(b1) a, V(b1) b) { return (m & a) | (~m & b); }

//! any b1
#if defined FG_AVX512VL
FG_INLINE b1 FN(any, b1)(V(b1) m) { return m != 0; }
#else
FG_INLINE b1 FN(any, b1)(V(b1) m) { return ANY(i32, (V(i32))m); }
#endif

//! all b1
FG_INLINE b1 FN(all, b1)(V(b1) m) { return !FN(any, b1)(FN(bit_not, b1)(m)); }

//! count b1
FG_INLINE i64 FN(count, b1)(V(b1) m) { return __builtin_popcountll(FN(mask_bits, b1)(m)); }

//! bitcast i32 u32 f32 > i32 u32 f32
FG_INLINE V(TO) FN2(bitcast, KIND, TO)(V(KIND) x) { return (V(TO))x; }

//! bitcast i64 u64 f64 > i64 u64 f64
FG_INLINE V(TO) FN2(bitcast, KIND, TO)(V(KIND) x) { return (V(TO))x; }

//! bitcast i16 u16 > i16 u16
FG_INLINE V(TO) FN2(bitcast, KIND, TO)(V(KIND) x) { return (V(TO))x; }

//! bitcast i8 u8 > i8 u8
FG_INLINE V(TO) FN2(bitcast, KIND, TO)(V(KIND) x) { return (V(TO))x; }

//! cast_run i64 > f32
// Of numbers that follow each other: those that fit are converted from 32 bits.
FG_INLINE V(TO) FN2(cast_run, KIND, TO)(V(KIND) x) {
  const i64 first = x[0];
  if (first == (i32)first && first < 0x7fffffff - LANES) return CAST(TO, S(i32, (i32)first) + (V(i32)){LIST(0, 1, LANES)});
  return CAST(TO, x);
}

//! divide_ u64
// Lane by lane. Where all operands lie below 2^52 and the target converts 64-bit lanes, through f64, with the same result.
FG_INLINE V(u64) FN(divide_, u64)(V(u64) a, V(u64) b) {
#ifdef FG_AVX512DQ
  if (!ANY(u64, (V(i64))((a | b) >> 52))) return CAST(u64, CAST(f64, a) / CAST(f64, b));
#endif
  V(u64) q = a;
#define FG_STEP(l) q[l] = a[l] / b[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return q;
}
