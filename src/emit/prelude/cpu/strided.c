// Strided loads and stores of whole vectors (rules: types.c).

//! load_every_second i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs load KIND
// p[0], p[2], p[4] ... from two vectors that overlap in one element, so that nothing behind the last lane is read.
FG_INLINE V(KIND) FN(load_every_second, KIND)(const KIND* p) {
#if LANES == 1
  return *p;
#else
  return __builtin_shufflevector(FN(load, KIND)(p), FN(load, KIND)(p + (LANES - 1)), LIST(0, 2, HALF), LIST(LANES + 1, 2, HALF));
#endif
}

//! load_every_second b1
//! needs load_every_second u8
FG_INLINE V(b1) FN(load_every_second, b1)(const u8* p) { return TO_B1(FN(load_every_second, u8)(p) != 0); }

//! load_same_masked i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs any b1
// p[0] in the lanes whose mask holds, of which there is one if the element is read, else 0.
FG_INLINE V(KIND) FN(load_same_masked, KIND)(const KIND* p, V(b1) m) {
  return CHOOSE(KIND, MASK(KIND, m), S(KIND, FN(any, b1)(m) ? *p : 0), S(KIND, 0));
}

//! load_same_masked b1
//! needs load_same_masked u8
FG_INLINE V(b1) FN(load_same_masked, b1)(const u8* p, V(b1) m) { return TO_B1(FN(load_same_masked, u8)(p, m) != 0); }

//! store_every_second i32 i64 u32 u64 f32 f64
//! needs store_masked KIND, store_strided KIND, lane i64
// p[0], p[2], p[4] ... by two vectors with masks. What lies between is not written, as it may be another thread's.
FG_INLINE void FN(store_every_second, KIND)(KIND* p, V(KIND) v) {
#if defined(__AVX512VL__) && LANES > 1
  V(b1) first_of_two = TO_B1((FN(lane, i64)() & 1) == 0);
  FN(store_masked, KIND)(p, __builtin_shufflevector(v, v, TWICE(0, HALF)), first_of_two);
  FN(store_masked, KIND)(p + LANES, __builtin_shufflevector(v, v, TWICE(HALF, HALF)), first_of_two);
#else
  FN(store_strided, KIND)(p, 2, v);
#endif
}

//! store_every_second i8 i16 u8 u16
//! needs store_strided KIND
#define FN(store_every_second, KIND)(p, v) FN(store_strided, KIND)(p, 2, v)

//! store_every_second b1
//! needs store_strided b1
#define FN(store_every_second, b1)(p, v) FN(store_strided, b1)(p, 2, v)
