// Vectors of one register with AVX-512 (rules: ../all/types.c): masks are bits.

//! sqrt f32 f64
FG_INLINE V(KIND) FN(sqrt, KIND)(V(KIND) a) { return INTRINSIC(sqrt)(a); }

//! floor f32 f64
FG_INLINE V(KIND) FN(floor, KIND)(V(KIND) a) { return INTRINSIC(roundscale)(a, 9); }

//! ceil f32 f64
FG_INLINE V(KIND) FN(ceil, KIND)(V(KIND) a) { return INTRINSIC(roundscale)(a, 10); }

//! trunc f32 f64
FG_INLINE V(KIND) FN(trunc, KIND)(V(KIND) a) { return INTRINSIC(roundscale)(a, 11); }

//! rint f32 f64
FG_INLINE V(KIND) FN(rint, KIND)(V(KIND) a) { return INTRINSIC(roundscale)(a, 8); }

//! min f32 f64
FG_INLINE V(KIND) FN(min, KIND)(V(KIND) a, V(KIND) b) { return INTRINSIC(range)(a, b, 4); }

//! max f32 f64
FG_INLINE V(KIND) FN(max, KIND)(V(KIND) a, V(KIND) b) { return INTRINSIC(range)(a, b, 5); }

//! min_of_number f32 f64
FG_INLINE V(KIND) FN(min_of_number, KIND)(V(KIND) a, V(KIND) b) { return INTRINSIC(min)(a, b); }

//! max_of_number f32 f64
FG_INLINE V(KIND) FN(max_of_number, KIND)(V(KIND) a, V(KIND) b) { return INTRINSIC(max)(a, b); }

//! fma f32 f64
FG_INLINE V(KIND) FN(fma, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) { return INTRINSIC(fmadd)(a, b, c); }

//! min i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(min, KIND)(V(KIND) a, V(KIND) b) { return (V(KIND))INTRINSIC(min)(REGISTER(a), REGISTER(b)); }

//! max i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(max, KIND)(V(KIND) a, V(KIND) b) { return (V(KIND))INTRINSIC(max)(REGISTER(a), REGISTER(b)); }

//! add_half_products i32 u32
FG_INLINE V(KIND) FN(add_half_products, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) {
  return (V(KIND))((WRAP(KIND))c + (WRAP(KIND))PREFIX(madd_epi16)(REGISTER(a), REGISTER(b)));
}

//! eq i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(b1) FN(eq, KIND)(V(KIND) a, V(KIND) b) { return JOIN(INTRINSIC(cmp), _mask)(REGISTER(a), REGISTER(b), 0); }

//! lt i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(b1) FN(lt, KIND)(V(KIND) a, V(KIND) b) { return JOIN(INTRINSIC(cmp), _mask)(REGISTER(a), REGISTER(b), 1); }

//! le i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(b1) FN(le, KIND)(V(KIND) a, V(KIND) b) { return JOIN(INTRINSIC(cmp), _mask)(REGISTER(a), REGISTER(b), 2); }

//! ne i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(b1) FN(ne, KIND)(V(KIND) a, V(KIND) b) { return JOIN(INTRINSIC(cmp), _mask)(REGISTER(a), REGISTER(b), 4); }

//! select i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(KIND) FN(select, KIND)(V(b1) m, V(KIND) a, V(KIND) b) {
  return (V(KIND))SIGNED_INTRINSIC(mask_blend)(m, REGISTER(b), REGISTER(a));
}

//! mask i8 i16 i32 i64
// All ones where the mask holds.
FG_INLINE V(KIND) FN(mask, KIND)(V(b1) m) { return (V(KIND))INTRINSIC(movm)(m); }

//! to b1
// The mask of lanes whose sign is set.
FG_INLINE V(b1) FN(to, b1)(V(i32) m) { return PREFIX(movepi32_mask)(REGISTER(m)); }

//! any_lane i8 i16 i32 i64
FG_INLINE b1 FN(any_lane, KIND)(V(KIND) m) { return JOIN(INTRINSIC(test), _mask)(REGISTER(m), REGISTER(m)) != 0; }

//! load_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// p[l] where the mask holds, else the lane of `other`.
FG_INLINE V(KIND) FN(load_masked, KIND)(const KIND* p, V(b1) m, V(KIND) other) {
  return (V(KIND))SIGNED_INTRINSIC(mask_loadu)(REGISTER(other), m, p);
}

//! store_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE void FN(store_masked, KIND)(KIND* p, V(KIND) v, V(b1) m) { SIGNED_INTRINSIC(mask_storeu)(p, m, REGISTER(v)); }

//! store_stream f32 f64
FG_INLINE void FN(store_stream, KIND)(KIND* p, V(KIND) v) { INTRINSIC(stream)(p, v); }

//! store_stream i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE void FN(store_stream, KIND)(KIND* p, V(KIND) v) { SI(stream)((void*)p, REGISTER(v)); }

//! load b1
FG_INLINE V(b1) FN(load, b1)(const u8* p) { return FN(ne, u8)(FN(load, u8)(p), S(u8, 0)); }

//! gather i32 u32
// p[index] where the mask holds, else 0.
FG_INLINE V(KIND) FN(gather, KIND)(const KIND* p, V(i64) index, V(b1) m) {
#if LANES == 8
  return (V(KIND))_mm512_mask_i64gather_epi32(_mm256_setzero_si256(), m, (__m512i)index, (const void*)p, 4);
#else
#define FG_STEP(l) IS_ON(m, l) ? p[index[l]] : 0,
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
#endif
}

//! gather f32
FG_INLINE V(KIND) FN(gather, KIND)(const KIND* p, V(i64) index, V(b1) m) {
#if LANES == 8
  return _mm512_mask_i64gather_ps(_mm256_setzero_ps(), m, (__m512i)index, (const void*)p, 4);
#else
#define FG_STEP(l) IS_ON(m, l) ? p[index[l]] : 0,
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
#endif
}

//! gather i64 u64 f64
FG_INLINE V(KIND) FN(gather, KIND)(const KIND* p, V(i64) index, V(b1) m) {
#if LANES == 8
  return (V(KIND))_mm512_mask_i64gather_epi64(_mm512_setzero_si512(), m, (__m512i)index, (const void*)p, 8);
#else
#define FG_STEP(l) IS_ON(m, l) ? p[index[l]] : 0,
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
#endif
}

//! gather_near i32 u32 f32
FG_INLINE V(KIND) FN(gather_near, KIND)(const KIND* p, V(i32) index, V(b1) m) {
#if LANES == 16
  return (V(KIND))_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), m, (__m512i)index, (const void*)p, 4);
#else
#define FG_STEP(l) IS_ON(m, l) ? p[index[l]] : 0,
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
#endif
}

//! gather_near i64 u64 f64
FG_INLINE V(KIND) FN(gather_near, KIND)(const KIND* p, V(i32) index, V(b1) m) {
#if LANES == 8
  return (V(KIND))_mm512_mask_i32gather_epi64(_mm512_setzero_si512(), m, (__m256i)index, (const void*)p, 8);
#else
#define FG_STEP(l) IS_ON(m, l) ? p[index[l]] : 0,
  return (V(KIND)){FG_EACH(LANES, FG_STEP)};
#undef FG_STEP
#endif
}

//! pack i32 i64 u32 u64 f32 f64
// The lanes whose mask holds, in order and without gaps, to p; up to p[LANES - 1] anything may be written behind them. Stored whole:
// masked stores of compressed vectors are slow on some processors. Gives the address behind the last one.
FG_INLINE KIND* FN(pack, KIND)(KIND* p, V(KIND) v, V(b1) m) {
  FN(store, KIND)(p, (V(KIND))SIGNED_INTRINSIC(maskz_compress)(m, REGISTER(v)));
  return p + __builtin_popcountll(m);
}

//! pack i8 i16 u8 u16
// As above, by lanes of 32 bits.
FG_INLINE KIND* FN(pack, KIND)(KIND* p, V(KIND) v, V(b1) m) {
#if LANES == 16
  const V(i32) packed = (V(i32))_mm512_maskz_compress_epi32(m, (__m512i)CAST(i32, v));
  FN(store, KIND)(p, CAST(KIND, packed));
  return p + __builtin_popcountll(m);
#else
#define FG_STEP(l) *p = v[l], p += IS_ON(m, l) & 1;
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return p;
#endif
}

//! scale_ f32 f64
//! needs float_names_ b1
// x * 2^n for integers n, |n| < 3/2 of the greatest exponent, 1/2 <= x <= 2; rounded once.
FG_INLINE V(KIND) FN(scale_, KIND)(V(KIND) x, V(KIND) n) { return INTRINSIC(scalef)(x, n); }

//! log_split_ f32 f64
//! needs float_names_ b1
// The m and e of x. Zero and infinity give e = -inf, inf and a negative x gives m = NaN, so that sums e + g(m) need no special cases.
FG_INLINE V(KIND) FN(log_split_, KIND)(V(KIND) x, V(KIND)* e) {
  const V(KIND) m = INTRINSIC(getmant)(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  *e = INTRINSIC(getexp)(x) - INTRINSIC(getexp)(m);
  return m;
}

//! log_end_ f32 f64
FG_INLINE V(KIND) FN(log_end_, KIND)(V(KIND) y, V(KIND) x) {
  (void)x;
  return y;
}

//! rsqrt f64
// The processor's estimate r to 2^-14, and r (1 - e)^(-1/2) with the residual e = 1 - x r^2, by the series up to e^4. Where r or x is
// infinite e is no number, and r as it should be.
FG_INLINE V(KIND) FN(rsqrt, KIND)(V(KIND) x) {
  const V(KIND) r = INTRINSIC(rsqrt14)(x);
  const V(KIND) e = MULADD(-(x * r), r, S(KIND, 1));
  V(KIND) p = MULADD(S(KIND, 35.0 / 128), e, S(KIND, 5.0 / 16));
  p = MULADD(MULADD(p, e, S(KIND, 3.0 / 8)), e, S(KIND, 0.5));
  return CHOOSE(KIND, (M(KIND))(e == e), MULADD(r * e, p, r), r);
}

//! rsqrt f32
// The processor's estimate to 2^-14, whatever x is, and one Newton step, whose residual 1 - x r^2 is exact but for the rounding of x r. It
// is no number where r or x is infinite, and then, as an unsigned integer, larger than any residual: with -1 in its place the step leaves r
// as it is. Half of r is r with an exponent one less, but for 0: that is 1 << 7 in the upper 16 bits, subtracted as far as it goes.
FG_INLINE V(KIND) FN(rsqrt, KIND)(V(KIND) x) {
  const V(KIND) r = INTRINSIC(rsqrt14)(x);
  const V(u32) residual = BITS(u32, MULADD(-(x * r), r, S(KIND, 1)));
  const V(KIND) half = (V(KIND))PREFIX(subs_epu16)((INTEGER_REGISTER())r, PREFIX(set1_epi32)(0x00800000));
  return MULADD(half, BITS(KIND, FN(min, u32)(residual, S(u32, 0xbf800000))), r);
}
