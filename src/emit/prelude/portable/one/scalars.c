// Single lanes, for which C has words of its own (rules: ../all/types.c).

//! abs f32 f64
FG_INLINE KIND FN(abs, KIND)(KIND a) { return JOIN(__builtin_, MATHS(fabs))(a); }

//! copysign f32 f64
FG_INLINE KIND FN(copysign, KIND)(KIND a, KIND b) { return JOIN(__builtin_, MATHS(copysign))(a, b); }

//! min f32 f64
FG_INLINE KIND FN(min, KIND)(KIND a, KIND b) { return a != a ? b : (b < a ? b : a); }

//! max f32 f64
FG_INLINE KIND FN(max, KIND)(KIND a, KIND b) { return a != a ? b : (b > a ? b : a); }

//! min_of_number f32 f64
FG_INLINE KIND FN(min_of_number, KIND)(KIND a, KIND b) { return a < b ? a : b; }

//! max_of_number f32 f64
FG_INLINE KIND FN(max_of_number, KIND)(KIND a, KIND b) { return a > b ? a : b; }

//! sqrt floor ceil trunc round f32 f64
FG_INLINE KIND FN(STEM, KIND)(KIND a) { return JOIN(__builtin_, MATHS(STEM))(a); }

//! rsqrt f32 f64
FG_INLINE KIND FN(rsqrt, KIND)(KIND a) { return 1 / JOIN(__builtin_, MATHS(sqrt))(a); }

//! rint f32 f64
// Adding what has no bits behind the point rounds to even.
FG_INLINE KIND FN(rint, KIND)(KIND a) {
  const KIND size = JOIN(__builtin_, MATHS(fabs))(a), magic = (KIND)(sizeof(KIND) == 4 ? 0x1p23f : 0x1p52);
  return JOIN(__builtin_, MATHS(copysign))(size < magic ? (size + magic) - magic : a, a);
}

//! fma f32 f64
FG_INLINE KIND FN(fma, KIND)(KIND a, KIND b, KIND c) { return JOIN(__builtin_, MATHS(fma))(a, b, c); }

//! min i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(min, KIND)(KIND a, KIND b) { return a < b ? a : b; }

//! max i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(max, KIND)(KIND a, KIND b) { return a > b ? a : b; }

//! mask_bits b1
FG_INLINE u64 FN(mask_bits, b1)(b1 m) { return m; }

//! any all b1
FG_INLINE b1 FN(STEM, b1)(b1 m) { return m; }

//! bit_not b1
FG_INLINE b1 FN(bit_not, b1)(b1 m) { return !m; }

//! splat b1
FG_INLINE b1 FN(splat, b1)(b1 m) { return m; }

//! splat i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE KIND FN(splat, KIND)(KIND c) { return c; }

//! load i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE KIND FN(load, KIND)(const KIND* p) { return *p; }

//! store i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE void FN(store, KIND)(KIND* p, KIND v) { *p = v; }

//! select i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 b1
FG_INLINE KIND FN(select, KIND)(b1 m, KIND a, KIND b) { return m ? a : b; }

//! eq ne lt le i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 b1
FG_INLINE b1 FN(STEM, KIND)(KIND a, KIND b) { return a COMPARISON(STEM) b; }

//! store_stream i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE void FN(store_stream, KIND)(KIND* p, KIND v) { *p = v; }

//! store_streaming i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE void FN(store_streaming, KIND)(KIND* p, KIND v) { *p = v; }

//! pack i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE void FN(pack, KIND)(KIND* p, KIND v, b1 m) {
  (void)m;
  *p = v;
}
