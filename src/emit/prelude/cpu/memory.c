// Loads and stores of vectors (rules: types.c). Addresses need only the alignment of one element, except for store_stream.
// A lane whose mask is off touches no memory: its address may be anything.

//! load i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
typedef V(KIND) JOIN(FN(load, KIND), _type) __attribute__((aligned(sizeof(KIND)), may_alias));
#define FN(load, KIND)(p) ((V(KIND))*(const JOIN(FN(load, KIND), _type)*)(const KIND*)(p))

//! store i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
typedef V(KIND) JOIN(FN(store, KIND), _type) __attribute__((aligned(sizeof(KIND)), may_alias));
#define FN(store, KIND)(p, v) ((void)(*(JOIN(FN(store, KIND), _type)*)(KIND*)(p) = (V(KIND))(v)))

//! store_stream i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// Past the caches; p is aligned to the vector's size (at most 64 bytes). The kernel ends with fg_stream_fence_b1_x1.
FG_INLINE void FN(store_stream, KIND)(KIND* p, V(KIND) v) {
  typedef V(KIND) wide __attribute__((aligned(sizeof(V(KIND)) < 64 ? sizeof(V(KIND)) : 64), may_alias));
  __builtin_nontemporal_store(v, (wide*)p);
}

//! stream_fence b1
// Orders streamed stores before whatever tells others that the data is there.
FG_INLINE void FN(stream_fence, b1)(void) {
#ifdef __x86_64__
  __builtin_ia32_sfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

//! mask_bits b1
// The mask as an integer, lane 0 in the lowest bit.
#if LANES == 1
#define FN(mask_bits, b1)(m) ((u64)(m))
#elif LANES <= 8
#define FN(mask_bits, b1)(m) ((u64)(__builtin_bit_cast(u8, m) & ((1u << LANES) - 1)))
#else
#define FN(mask_bits, b1)(m) ((u64)__builtin_bit_cast(JOIN(u, LANES), m))
#endif

//! shares_ b1
// How many n of the lanes make them all.
#ifndef FG_SHARE_4_4
#define FG_SHARE_4_4 1
#define FG_SHARE_8_4 2
#define FG_SHARE_16_4 4
#define FG_SHARE_32_4 8
#define FG_SHARE_64_4 16
#define FG_SHARE_8_8 1
#define FG_SHARE_16_8 2
#define FG_SHARE_32_8 4
#define FG_SHARE_64_8 8
#define FG_SHARE_16_16 1
#define FG_SHARE_32_16 2
#define FG_SHARE_64_16 4
#define FG_SHARES(lanes, n) FG_CAT(FG_CAT(FG_CAT(FG_SHARE_, lanes), _), n)
#endif

//! part_names_ b1
#ifndef FG_BYTES_i8
#define FG_EACH_PART(f) FG_CAT(FG_EACH_, FG_PART_COUNT)(f)
#define FG_BYTES_i8 1
#define FG_BYTES_i16 2
#define FG_BYTES_i32 4
#define FG_BYTES_i64 8
#define FG_BYTES_u8 1
#define FG_BYTES_u16 2
#define FG_BYTES_u32 4
#define FG_BYTES_u64 8
#define FG_BYTES_f32 4
#define FG_BYTES_f64 8
#define FG_LANES_16_1 16
#define FG_LANES_16_2 8
#define FG_LANES_16_4 4
#define FG_LANES_16_8 2
#define FG_LANES_32_1 32
#define FG_LANES_32_2 16
#define FG_LANES_32_4 8
#define FG_LANES_32_8 4
#define FG_LANES_64_1 64
#define FG_LANES_64_2 32
#define FG_LANES_64_4 16
#define FG_LANES_64_8 8
#define FG_SUFFIX_1 qi
#define FG_SUFFIX_2 hi
#define FG_SUFFIX_4 si
#define FG_SUFFIX_8 di
#define FG_SUFFIX_f32 ps
#define FG_SUFFIX_f64 pd
#define FG_REGISTER_16 128
#define FG_REGISTER_32 256
#define FG_REGISTER_64 512
#define FG_BUILTIN2(name, suffix, register) __builtin_ia32_##name##suffix##register##_mask
#define FG_BUILTIN1(name, suffix, register) FG_BUILTIN2(name, suffix, register)
#define FG_BUILTIN(name) FG_BUILTIN1(name, FG_CAT(FG_SUFFIX_, FG_BYTES), FG_CAT(FG_REGISTER_, FG_PART))
#define FG_FLOAT_BUILTIN(name) FG_BUILTIN1(name, FG_FLOAT_SUFFIX, FG_CAT(FG_REGISTER_, FG_PART))
#define FG_EXTREMUM2(name, suffix, register) __builtin_ia32_##name##suffix##register
#define FG_EXTREMUM1(name, suffix, register) FG_EXTREMUM2(name, suffix, register)
#define FG_EXTREMUM(name) FG_EXTREMUM1(name, FG_FLOAT_SUFFIX, FG_CAT(FG_REGISTER_, FG_PART))
#define FG_AVX2_4_16(name) __builtin_ia32_##name##d
#define FG_AVX2_8_16(name) __builtin_ia32_##name##q
#define FG_AVX2_4_32(name) __builtin_ia32_##name##d256
#define FG_AVX2_8_32(name) __builtin_ia32_##name##q256
#define FG_AVX2(name) FG_CAT(FG_CAT(FG_CAT(FG_AVX2_, FG_BYTES), _), FG_PART)(name)
#endif

//! parts_ i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// A vector as pieces of one register each, for instructions that C has no words for. FG_PART is the piece's bytes (0: the target has no
// masked accesses for this kind), FG_PART_COUNT their number, FG_PART_LANES the lanes of each.
#undef FG_BYTES
#undef FG_PART
#undef FG_ROUNDING
#undef FG_PART_TYPE
#undef FG_FLOAT_PART_TYPE
#undef FG_FLOAT_SUFFIX
#undef FG_PART_COUNT
#undef FG_PART_LANES
#define FG_BYTES FG_CAT(FG_BYTES_, KIND)
#if LANES * FG_BYTES >= 64 && defined __AVX512BW__ && defined __AVX512VL__
#define FG_PART 64
#define FG_ROUNDING , 4
#elif LANES * FG_BYTES >= 32 && (defined __AVX512VL__ && defined __AVX512BW__ || defined __AVX2__ && FG_BYTES >= 4)
#define FG_PART 32
#define FG_ROUNDING
#elif LANES * FG_BYTES == 16 && (defined __AVX512VL__ && defined __AVX512BW__ || defined __AVX2__ && FG_BYTES >= 4)
#define FG_PART 16
#define FG_ROUNDING
#else
#define FG_PART 0
#endif
#if FG_PART
#define FG_PART_LANES FG_CAT(FG_CAT(FG_CAT(FG_LANES_, FG_PART), _), FG_BYTES)
#if LANES * FG_BYTES == FG_PART
#define FG_PART_COUNT 1
#elif LANES * FG_BYTES == 2 * FG_PART
#define FG_PART_COUNT 2
#elif LANES * FG_BYTES == 4 * FG_PART
#define FG_PART_COUNT 4
#elif LANES * FG_BYTES == 8 * FG_PART
#define FG_PART_COUNT 8
#else
#define FG_PART_COUNT 16
#endif
#define FG_PART_TYPE FG_VECTOR(INT(KIND), FG_PART_LANES)
#define FG_FLOAT_PART_TYPE FG_VECTOR(KIND, FG_PART_LANES)
#define FG_FLOAT_SUFFIX FG_CAT(FG_SUFFIX_, KIND)
#endif

//! load_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs mask_bits b1, part_names_ b1, again parts_ KIND, all b1, load KIND
// p[l] where the mask holds, else the lane of `other`. Lanes one by one take so long that a mask of all is looked for.
FG_INLINE V(KIND) FN(load_masked, KIND)(const KIND* p, V(b1) m, V(KIND) other) {
#if LANES == 1
  return m ? *p : other;
#elif FG_PART && defined __AVX512VL__
  union { V(KIND) whole; FG_PART_TYPE part[FG_PART_COUNT]; } r = {other};
  u64 bits = FN(mask_bits, b1)(m);
#define FG_STEP(i) r.part[i] = FG_BUILTIN(loaddqu)((const void*)(p + i * FG_PART_LANES), r.part[i], bits >> (i * FG_PART_LANES));
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  return r.whole;
#elif FG_PART
  union { V(KIND) whole; FG_PART_TYPE part[FG_PART_COUNT]; } r;
  union { M(KIND) whole; FG_PART_TYPE part[FG_PART_COUNT]; } mask = {MASK(KIND, m)};
#define FG_STEP(i) r.part[i] = FG_AVX2(maskload)((const void*)(p + i * FG_PART_LANES), mask.part[i]);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  return CHOOSE(KIND, mask.whole, r.whole, other);
#else
  if (FN(all, b1)(m)) return FN(load, KIND)(p);
#define FG_STEP(l) if (m[l]) other[l] = p[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return other;
#endif
}

//! store_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs mask_bits b1, part_names_ b1, again parts_ KIND
FG_INLINE void FN(store_masked, KIND)(KIND* p, V(KIND) v, V(b1) m) {
#if LANES == 1
  if (m) *p = v;
#elif FG_PART
  union { V(KIND) whole; FG_PART_TYPE part[FG_PART_COUNT]; } from = {v};
#ifdef __AVX512VL__
  u64 bits = FN(mask_bits, b1)(m);
#define FG_STEP(i) FG_BUILTIN(storedqu)((void*)(p + i * FG_PART_LANES), from.part[i], bits >> (i * FG_PART_LANES));
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
#else
  union { M(KIND) whole; FG_PART_TYPE part[FG_PART_COUNT]; } mask = {MASK(KIND, m)};
#define FG_STEP(i) FG_AVX2(maskstore)((void*)(p + i * FG_PART_LANES), mask.part[i], from.part[i]);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
#endif
#else
#define FG_STEP(l) if (m[l]) p[l] = v[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#endif
}

//! reversed_ b1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(KIND) FN(reversed_, KIND)(V(KIND) v) {
#if LANES == 1
  return v;
#else
  return __builtin_shufflevector(v, v, LIST(LANES - 1, -1, LANES));
#endif
}

//! load_reversed i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs load KIND, reversed_ KIND
// p[0], p[-1], p[-2] ...
FG_INLINE V(KIND) FN(load_reversed, KIND)(const KIND* p) { return FN(reversed_, KIND)(FN(load, KIND)(p - (LANES - 1))); }

//! store_reversed i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs store KIND, reversed_ KIND
FG_INLINE void FN(store_reversed, KIND)(KIND* p, V(KIND) v) { FN(store, KIND)(p - (LANES - 1), FN(reversed_, KIND)(v)); }

//! load_strided i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// p[0], p[stride], p[2 * stride] ...
FG_INLINE V(KIND) FN(load_strided, KIND)(const KIND* p, i64 stride) {
#if LANES == 1
  (void)stride;
  return *p;
#else
  V(KIND) r = S(KIND, 0);
#define FG_STEP(l) r[l] = p[l * stride];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return r;
#endif
}

//! load_strided_lanes_ i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// As a loop, for so many lanes that branches for each of them would be most of a kernel, here and below.
static __attribute__((noinline, unused)) void FN(load_strided_lanes_, KIND)(const KIND* p, i64 stride, u64 bits, KIND* r) {
#pragma clang loop unroll(disable) vectorize(disable)
  for (; bits != 0; bits &= bits - 1) r[__builtin_ctzll(bits)] = p[__builtin_ctzll(bits) * stride];
}

//! load_strided_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs load_strided KIND, all b1, mask_bits b1, load_strided_lanes_ KIND
// A lane that is off gives 0, here and below.
FG_INLINE V(KIND) FN(load_strided_masked, KIND)(const KIND* p, i64 stride, V(b1) m) {
#if LANES == 1
  (void)stride;
  return m ? *p : 0;
#else
  if (FN(all, b1)(m)) return FN(load_strided, KIND)(p, stride);
  V(KIND) r = S(KIND, 0);
#if LANES > 8
  FN(load_strided_lanes_, KIND)(p, stride, FN(mask_bits, b1)(m), (KIND*)&r);
#else
#define FG_STEP(l) if (m[l]) r[l] = p[l * stride];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#endif
  return r;
#endif
}

//! store_strided_lanes_ i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
static __attribute__((noinline, unused)) void FN(store_strided_lanes_, KIND)(KIND* p, i64 stride, const KIND* v, u64 bits) {
#pragma clang loop unroll(disable) vectorize(disable)
  for (; bits != 0; bits &= bits - 1) p[__builtin_ctzll(bits) * stride] = v[__builtin_ctzll(bits)];
}

//! store_strided_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs mask_bits b1, store_strided_lanes_ KIND
FG_INLINE void FN(store_strided_masked, KIND)(KIND* p, i64 stride, V(KIND) v, V(b1) m) {
#if LANES == 1
  (void)stride;
  if (m) *p = v;
#elif LANES > 8
  FN(store_strided_lanes_, KIND)(p, stride, (const KIND*)&v, FN(mask_bits, b1)(m));
#else
#define FG_STEP(l) if (m[l]) p[l * stride] = v[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#endif
}

//! load_reversed_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs load_masked KIND, reversed_ KIND, reversed_ b1
FG_INLINE V(KIND) FN(load_reversed_masked, KIND)(const KIND* p, V(b1) m) {
  return FN(reversed_, KIND)(FN(load_masked, KIND)(p - (LANES - 1), FN(reversed_, b1)(m), S(KIND, 0)));
}

//! store_reversed_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs store_masked KIND, reversed_ KIND, reversed_ b1
FG_INLINE void FN(store_reversed_masked, KIND)(KIND* p, V(KIND) v, V(b1) m) {
  FN(store_masked, KIND)(p - (LANES - 1), FN(reversed_, KIND)(v), FN(reversed_, b1)(m));
}

//! store_strided i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE void FN(store_strided, KIND)(KIND* p, i64 stride, V(KIND) v) {
#if LANES == 1
  (void)stride;
  *p = v;
#else
#define FG_STEP(l) p[l * stride] = v[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#endif
}

//! gather_lanes_ i8 i16 u8 u16
static __attribute__((noinline, unused)) void FN(gather_lanes_, KIND)(const KIND* p, const i64* index, u64 bits, KIND* r) {
#pragma clang loop unroll(disable) vectorize(disable)
  for (int l = 0; l < LANES; ++l) if (bits >> l & 1) r[l] = p[index[l]];
}

//! gather i8 i16 u8 u16
//! needs all b1, mask_bits b1, gather_lanes_ KIND
// p[index] where the mask holds, else 0.
FG_INLINE V(KIND) FN(gather, KIND)(const KIND* p, V(i64) index, V(b1) m) {
#if LANES == 1
  return m ? p[index] : 0;
#else
  V(KIND) r = S(KIND, 0);
  if (FN(all, b1)(m)) {
#define FG_STEP(l) r[l] = p[index[l]];
    FG_EACH(LANES, FG_STEP)
#undef FG_STEP
    return r;
  }
#if LANES > 16
  FN(gather_lanes_, KIND)(p, (const i64*)&index, FN(mask_bits, b1)(m), (KIND*)&r);
#else
#define FG_STEP(l) if (m[l]) r[l] = p[index[l]];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#endif
  return r;
#endif
}

//! gather i32 u32 f32 i64 u64 f64
//! needs mask_bits b1, all b1
#ifndef FG_GATHER_i32
#define FG_EIGHTH_8 1
#define FG_EIGHTH_16 2
#define FG_EIGHTH_32 4
#define FG_EIGHTH_64 8
#define FG_GATHER_i32 __builtin_ia32_gatherdiv16si
#define FG_GATHER_u32 __builtin_ia32_gatherdiv16si
#define FG_GATHER_f32 __builtin_ia32_gatherdiv16si
#define FG_GATHER_i64 __builtin_ia32_gatherdiv8di
#define FG_GATHER_u64 __builtin_ia32_gatherdiv8di
#define FG_GATHER_f64 __builtin_ia32_gatherdiv8di
#endif
FG_INLINE V(KIND) FN(gather, KIND)(const KIND* p, V(i64) index, V(b1) m) {
#if LANES == 1
  return m ? p[index] : 0;
#elif LANES >= 8 && defined __AVX512F__
  union { V(i64) whole; i64x8 part[LANES / 8]; } at = {index};
  union { V(KIND) whole; FG_VECTOR(INT(KIND), 8) part[LANES / 8]; } r = {S(KIND, 0)};
  u64 bits = FN(mask_bits, b1)(m);
#define FG_STEP(i) r.part[i] = FG_CAT(FG_GATHER_, KIND)(r.part[i], p, at.part[i], bits >> (8 * i), sizeof(KIND));
  FG_CAT(FG_EACH_, FG_CAT(FG_EIGHTH_, LANES))(FG_STEP)
#undef FG_STEP
  return r.whole;
#else
  V(KIND) r = S(KIND, 0);
  if (FN(all, b1)(m)) {
#define FG_STEP(l) r[l] = p[index[l]];
    FG_EACH(LANES, FG_STEP)
#undef FG_STEP
    return r;
  }
#define FG_STEP(l) if (m[l]) r[l] = p[index[l]];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return r;
#endif
}

//! scatter i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// p[index] = v where the mask holds; of equal indices the highest lane wins.
FG_INLINE void FN(scatter, KIND)(KIND* p, V(i64) index, V(KIND) v, V(b1) m) {
#if LANES == 1
  if (m) p[index] = v;
#else
#define FG_STEP(l) if (m[l]) p[index[l]] = v[l];
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#endif
}

//! load b1
//! needs load u8
FG_INLINE V(b1) FN(load, b1)(const u8* p) { return TO_B1(FN(load, u8)(p) != 0); }

//! store b1
//! needs store u8
FG_INLINE void FN(store, b1)(u8* p, V(b1) v) { FN(store, u8)(p, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0))); }

//! load_masked b1
//! needs load_masked u8
FG_INLINE V(b1) FN(load_masked, b1)(const u8* p, V(b1) m, V(b1) other) {
  return TO_B1(FN(load_masked, u8)(p, m, CHOOSE(u8, MASK(u8, other), S(u8, 1), S(u8, 0))) != 0);
}

//! store_masked b1
//! needs store_masked u8
FG_INLINE void FN(store_masked, b1)(u8* p, V(b1) v, V(b1) m) {
  FN(store_masked, u8)(p, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0)), m);
}

//! store_stream b1
//! needs store_stream u8
FG_INLINE void FN(store_stream, b1)(u8* p, V(b1) v) { FN(store_stream, u8)(p, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0))); }

//! load_reversed b1
//! needs load_reversed u8
FG_INLINE V(b1) FN(load_reversed, b1)(const u8* p) { return TO_B1(FN(load_reversed, u8)(p) != 0); }

//! store_reversed b1
//! needs store_reversed u8
FG_INLINE void FN(store_reversed, b1)(u8* p, V(b1) v) { FN(store_reversed, u8)(p, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0))); }

//! load_strided b1
//! needs load_strided u8
FG_INLINE V(b1) FN(load_strided, b1)(const u8* p, i64 stride) { return TO_B1(FN(load_strided, u8)(p, stride) != 0); }

//! store_strided b1
//! needs store_strided u8
FG_INLINE void FN(store_strided, b1)(u8* p, i64 stride, V(b1) v) {
  FN(store_strided, u8)(p, stride, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0)));
}

//! gather b1
//! needs gather u8
FG_INLINE V(b1) FN(gather, b1)(const u8* p, V(i64) index, V(b1) m) { return TO_B1(FN(gather, u8)(p, index, m) != 0); }

//! scatter b1
//! needs scatter u8
FG_INLINE void FN(scatter, b1)(u8* p, V(i64) index, V(b1) v, V(b1) m) {
  FN(scatter, u8)(p, index, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0)), m);
}

//! load_strided_masked b1
//! needs load_strided_masked u8
FG_INLINE V(b1) FN(load_strided_masked, b1)(const u8* p, i64 stride, V(b1) m) {
  return TO_B1(FN(load_strided_masked, u8)(p, stride, m) != 0);
}

//! store_strided_masked b1
//! needs store_strided_masked u8
FG_INLINE void FN(store_strided_masked, b1)(u8* p, i64 stride, V(b1) v, V(b1) m) {
  FN(store_strided_masked, u8)(p, stride, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0)), m);
}

//! load_reversed_masked b1
//! needs load_reversed_masked u8
FG_INLINE V(b1) FN(load_reversed_masked, b1)(const u8* p, V(b1) m) { return TO_B1(FN(load_reversed_masked, u8)(p, m) != 0); }

//! store_reversed_masked b1
//! needs store_reversed_masked u8
FG_INLINE void FN(store_reversed_masked, b1)(u8* p, V(b1) v, V(b1) m) {
  FN(store_reversed_masked, u8)(p, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0)), m);
}
