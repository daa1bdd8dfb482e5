// Gathers whose indices have 32 bits (rules: types.c): half the registers of indices, and one instruction for all lanes of a vector of
// 32-bit elements.

//! gather_near i8 i16 u8 u16
//! needs gather KIND
// p[index] where the mask holds, else 0.
FG_INLINE V(KIND) FN(gather_near, KIND)(const KIND* p, V(i32) index, V(b1) m) {
  return FN(gather, KIND)(p, CAST(i64, index), m);
}

//! gather_near b1
//! needs gather b1
FG_INLINE V(b1) FN(gather_near, b1)(const u8* p, V(i32) index, V(b1) m) { return FN(gather, b1)(p, CAST(i64, index), m); }

//! gather_near i32 u32 f32
//! needs gather KIND, mask_bits b1, shares_ b1
FG_INLINE V(KIND) FN(gather_near, KIND)(const KIND* p, V(i32) index, V(b1) m) {
#if LANES >= 16 && defined __AVX512F__
  union { V(i32) whole; i32x16 part[LANES / 16]; } at = {index};
  union { V(KIND) whole; i32x16 part[LANES / 16]; } r = {S(KIND, 0)};
  u64 bits = FN(mask_bits, b1)(m);
#define FG_STEP(i) r.part[i] = __builtin_ia32_gathersiv16si(r.part[i], p, at.part[i], bits >> (16 * i), 4);
  FG_CAT(FG_EACH_, FG_SHARES(LANES, 16))(FG_STEP)
#undef FG_STEP
  return r.whole;
#elif LANES >= 8 && defined __AVX2__
  union { V(i32) whole; i32x8 part[LANES / 8]; } at = {index}, on = {MASK(i32, m)};
  union { V(KIND) whole; i32x8 part[LANES / 8]; } r = {S(KIND, 0)};
#define FG_STEP(i) r.part[i] = __builtin_ia32_gatherd_d256(r.part[i], (const i32*)p, at.part[i], on.part[i], 4);
  FG_CAT(FG_EACH_, FG_SHARES(LANES, 8))(FG_STEP)
#undef FG_STEP
  return r.whole;
#else
  return FN(gather, KIND)(p, CAST(i64, index), m);
#endif
}

//! gather_near i64 u64 f64
//! needs gather KIND, mask_bits b1, shares_ b1
FG_INLINE V(KIND) FN(gather_near, KIND)(const KIND* p, V(i32) index, V(b1) m) {
#if LANES >= 8 && defined __AVX512F__
  union { V(i32) whole; i32x8 part[LANES / 8]; } at = {index};
  union { V(KIND) whole; i64x8 part[LANES / 8]; } r = {S(KIND, 0)};
  u64 bits = FN(mask_bits, b1)(m);
#define FG_STEP(i) r.part[i] = __builtin_ia32_gathersiv8di(r.part[i], p, at.part[i], bits >> (8 * i), 8);
  FG_CAT(FG_EACH_, FG_SHARES(LANES, 8))(FG_STEP)
#undef FG_STEP
  return r.whole;
#elif LANES >= 4 && defined __AVX2__
  union { V(i32) whole; i32x4 part[LANES / 4]; } at = {index};
  union { V(i64) whole; i64x4 part[LANES / 4]; } on = {MASK(i64, m)};
  union { V(KIND) whole; i64x4 part[LANES / 4]; } r = {S(KIND, 0)};
#define FG_STEP(i) r.part[i] = __builtin_ia32_gatherd_q256(r.part[i], (const void*)p, at.part[i], on.part[i], 8);
  FG_CAT(FG_EACH_, FG_SHARES(LANES, 4))(FG_STEP)
#undef FG_STEP
  return r.whole;
#else
  return FN(gather, KIND)(p, CAST(i64, index), m);
#endif
}
