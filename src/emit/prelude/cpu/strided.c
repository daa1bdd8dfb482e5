// Strided loads that read whole vectors (rules: types.c).

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
