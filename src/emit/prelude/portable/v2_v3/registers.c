// Vectors of one register with SSE4.2 or AVX2 (rules: ../all/types.c).

//! sqrt f32 f64
FG_INLINE V(KIND) FN(sqrt, KIND)(V(KIND) a) { return INTRINSIC(sqrt)(a); }

//! floor f32 f64
FG_INLINE V(KIND) FN(floor, KIND)(V(KIND) a) { return INTRINSIC(round)(a, 9); }

//! ceil f32 f64
FG_INLINE V(KIND) FN(ceil, KIND)(V(KIND) a) { return INTRINSIC(round)(a, 10); }

//! trunc f32 f64
FG_INLINE V(KIND) FN(trunc, KIND)(V(KIND) a) { return INTRINSIC(round)(a, 11); }

//! rint f32 f64
FG_INLINE V(KIND) FN(rint, KIND)(V(KIND) a) { return INTRINSIC(round)(a, 8); }

//! min f32 f64
FG_INLINE V(KIND) FN(min, KIND)(V(KIND) a, V(KIND) b) { return CHOOSE(KIND, (M(KIND))(a != a), b, (V(KIND))INTRINSIC(min)(b, a)); }

//! max f32 f64
FG_INLINE V(KIND) FN(max, KIND)(V(KIND) a, V(KIND) b) { return CHOOSE(KIND, (M(KIND))(a != a), b, (V(KIND))INTRINSIC(max)(b, a)); }

//! min_of_number f32 f64
FG_INLINE V(KIND) FN(min_of_number, KIND)(V(KIND) a, V(KIND) b) { return INTRINSIC(min)(a, b); }

//! max_of_number f32 f64
FG_INLINE V(KIND) FN(max_of_number, KIND)(V(KIND) a, V(KIND) b) { return INTRINSIC(max)(a, b); }

//! fma f32 f64
FG_INLINE V(KIND) FN(fma, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) {
#if FG_FMA
  return INTRINSIC(fmadd)(a, b, c);
#else
#define FG_STEP(l) a[l] = ONE(fma, KIND)(a[l], b[l], c[l]);
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return a;
#endif
}

//! min i8 i16 i32 u8 u16 u32
FG_INLINE V(KIND) FN(min, KIND)(V(KIND) a, V(KIND) b) { return (V(KIND))INTRINSIC(min)(REGISTER(a), REGISTER(b)); }

//! max i8 i16 i32 u8 u16 u32
FG_INLINE V(KIND) FN(max, KIND)(V(KIND) a, V(KIND) b) { return (V(KIND))INTRINSIC(max)(REGISTER(a), REGISTER(b)); }

//! add_half_products i32 u32
FG_INLINE V(KIND) FN(add_half_products, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) {
  return (V(KIND))((WRAP(KIND))c + (WRAP(KIND))PREFIX(madd_epi16)(REGISTER(a), REGISTER(b)));
}

//! choose f32 f64
// a where m is all ones, b where it is 0.
FG_INLINE V(KIND) FN(choose, KIND)(M(KIND) m, V(KIND) a, V(KIND) b) { return INTRINSIC(blendv)(b, a, (V(KIND))m); }

//! choose i8 i16 i32 i64 u8 u16 u32 u64
// a where m is all ones, b where it is 0.
FG_INLINE V(KIND) FN(choose, KIND)(M(KIND) m, V(KIND) a, V(KIND) b) {
  return (V(KIND))PREFIX(blendv_epi8)(REGISTER(b), REGISTER(a), REGISTER(m));
}

//! any_lane i8 i16 i32 i64
FG_INLINE b1 FN(any_lane, KIND)(V(KIND) m) { return !SI(testz)(REGISTER(m), REGISTER(m)); }

//! mask_bits b1
// The mask as an integer, lane 0 in the lowest bit.
FG_INLINE u64 FN(mask_bits, b1)(V(b1) m) { return (u64)PREFIX(movemask_ps)((FLOAT_REGISTER())m); }

//! any b1
FG_INLINE b1 FN(any, b1)(V(b1) m) { return FN(mask_bits, b1)(m) != 0; }

//! store_stream f32 f64
FG_INLINE void FN(store_stream, KIND)(KIND* p, V(KIND) v) { INTRINSIC(stream)(p, v); }

//! store_stream i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE void FN(store_stream, KIND)(KIND* p, V(KIND) v) { SI(stream)((void*)p, REGISTER(v)); }

//! load_masked i32 i64 u32 u64 f32 f64
// p[l] where the mask holds, else the lane of `other`.
FG_INLINE V(KIND) FN(load_masked, KIND)(const KIND* p, V(b1) m, V(KIND) other) {
#if FG_AVX2
  const M(KIND) on = MASK(KIND, m);
  const V(KIND) r = (V(KIND))SIGNED_INTRINSIC(maskload)(ELEMENTS(p), (REGISTER_OF(INT(KIND)))on);
  return CHOOSE(KIND, on, r, other);
#else
#define FG_STEP(l) if (IS_ON(m, l)) other[l] = p[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return other;
#endif
}

//! store_masked i32 i64 u32 u64 f32 f64
FG_INLINE void FN(store_masked, KIND)(KIND* p, V(KIND) v, V(b1) m) {
#if FG_AVX2
  SIGNED_INTRINSIC(maskstore)(ELEMENTS(p), (REGISTER_OF(INT(KIND)))MASK(KIND, m), REGISTER(v));
#else
#define FG_STEP(l) if (IS_ON(m, l)) p[l] = v[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#endif
}

//! gather_near i32 u32 f32
// p[index] where the mask holds, else 0.
FG_INLINE V(KIND) FN(gather_near, KIND)(const KIND* p, V(i32) index, V(b1) m) {
#if FG_AVX2 && LANES >= 8
  return (V(KIND))_mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const i32*)p, (__m256i)index, (__m256i)m, 4);
#else
#define FG_STEP(l) IS_ON(m, l) ? p[index[l]] : 0,
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
#endif
}

//! gather_near i64 u64 f64
// p[index] where the mask holds, else 0.
FG_INLINE V(KIND) FN(gather_near, KIND)(const KIND* p, V(i32) index, V(b1) m) {
#if FG_AVX2 && LANES >= 4
  return (V(KIND))_mm256_mask_i32gather_epi64(_mm256_setzero_si256(), (const long long*)p, (__m128i)index, (__m256i)MASK(i64, m), 8);
#else
#define FG_STEP(l) IS_ON(m, l) ? p[index[l]] : 0,
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
#endif
}

//! pack i32 u32 f32
//! needs quads_ b1, octets_ b1
// The lanes whose mask holds, in order and without gaps, to p; up to p[LANES - 1] anything may be written behind them. Gives the address
// behind the last one.
FG_INLINE KIND* FN(pack, KIND)(KIND* p, V(KIND) v, V(b1) m) {
  const u64 bits = FN(mask_bits, b1)(m);
#if LANES == 8
  const u32 all = fg_octets[bits];  // four bits for each lane
  const u32x8 lanes = (u32x8){all, all, all, all, all, all, all, all} >> (u32x8){0, 4, 8, 12, 16, 20, 24, 28};
  SI(storeu)((void*)p, _mm256_permutevar8x32_epi32((__m256i)v, (__m256i)lanes));
#else
  SI(storeu)((void*)p, _mm_shuffle_epi8((__m128i)v, _mm_load_si128((const void*)fg_quads[bits])));
#endif
  return p + __builtin_popcountll(bits);
}

//! pack i64 u64 f64
//! needs quads_ b1
// As above.
FG_INLINE KIND* FN(pack, KIND)(KIND* p, V(KIND) v, V(b1) m) {
#if LANES == 4
  const u64 bits = FN(mask_bits, b1)(m);
  const __m256i halves = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void*)fg_halves[bits]));
  SI(storeu)((void*)p, _mm256_permutevar8x32_epi32((__m256i)v, halves));
  return p + __builtin_popcountll(bits);
#else
#define FG_STEP(l) *p = v[l], p += IS_ON(m, l) & 1;
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return p;
#endif
}
