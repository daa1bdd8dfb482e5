// Conversions between kinds (rules: types.c). Floats to integers truncate, saturate, and give 0 for NaN; integers wrap; to boolean is "is not zero".
// Out-of-range floats are clamped before the conversion, because C and the IR leave them undefined.

//! cast_limits f32 f64
// FG_HIGH_<float>_<int>: the largest float that does not exceed the greatest int. FG_GREATEST_<int>, FG_LEAST_<int>: as floats are compared with.
#ifndef FG_GREATEST_i8
#define FG_GREATEST_i8 127
#define FG_GREATEST_i16 32767
#define FG_GREATEST_i32 2147483647
#define FG_GREATEST_i64 9223372036854775807
#define FG_GREATEST_u8 255
#define FG_GREATEST_u16 65535
#define FG_GREATEST_u32 4294967295u
#define FG_GREATEST_u64 18446744073709551615u
#define FG_LEAST_i8 -128
#define FG_LEAST_i16 -32768
#define FG_LEAST_i32 -2147483648
#define FG_LEAST_i64 -0x1p63
#define FG_LEAST_u8 0
#define FG_LEAST_u16 0
#define FG_LEAST_u32 0
#define FG_LEAST_u64 0
#define FG_HIGH_f32_i8 127
#define FG_HIGH_f32_i16 32767
#define FG_HIGH_f32_i32 0x1.fffffep30
#define FG_HIGH_f32_i64 0x1.fffffep62
#define FG_HIGH_f32_u8 255
#define FG_HIGH_f32_u16 65535
#define FG_HIGH_f32_u32 0x1.fffffep31
#define FG_HIGH_f32_u64 0x1.fffffep63
#define FG_HIGH_f64_i8 127
#define FG_HIGH_f64_i16 32767
#define FG_HIGH_f64_i32 2147483647
#define FG_HIGH_f64_i64 0x1.fffffffffffffp62
#define FG_HIGH_f64_u8 255
#define FG_HIGH_f64_u16 65535
#define FG_HIGH_f64_u32 4294967295.0
#define FG_HIGH_f64_u64 0x1.fffffffffffffp63
#endif

//! cast f32 f64 > i8 i16 i32 i64 u8 u16 u32 u64
//! needs cast_limits KIND
FG_INLINE V(TO) FN2(cast, KIND, TO)(V(KIND) x) {
  V(KIND) low = S(KIND, FG_CAT(FG_LEAST_, TO)), high = S(KIND, FG_CAT(FG_CAT(FG_CAT(FG_HIGH_, KIND), _), TO));
  V(KIND) kept = CHOOSE(KIND, x == x, x, S(KIND, 0));
  kept = CHOOSE(KIND, kept > low, kept, low);
  V(TO) r = CAST(TO, CHOOSE(KIND, kept < high, kept, high));
  if (sizeof(TO) >= sizeof(KIND)) {  // `high` is less than the greatest TO
    V(b1) above = TO_B1(x > high);
    r = CHOOSE(TO, MASK(TO, above), S(TO, FG_CAT(FG_GREATEST_, TO)), r);
  }
  return r;
}

//! cast i8 i16 i32 i64 u8 u16 u32 u64 > i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(TO) FN2(cast, KIND, TO)(V(KIND) x) { return CAST(TO, x); }

//! cast_run i64 > f32
// Of numbers that follow each other: those that fit are converted from 32 bits, twice as many at a time.
FG_INLINE V(TO) FN2(cast_run, KIND, TO)(V(KIND) x) {
  const i64 first = LANE(x, 0);
  if (first == (i32)first && first < 0x7fffffff - LANES) return CAST(TO, (V(i32))((i32)first) + (V(i32)){LIST(0, 1, LANES)});
  return CAST(TO, x);
}

//! cast f32 f64 > f32 f64
FG_INLINE V(TO) FN2(cast, KIND, TO)(V(KIND) x) { return CAST(TO, x); }

//! cast b1 > i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE V(TO) FN2(cast, b1, TO)(V(b1) x) { return CHOOSE(TO, MASK(TO, x), S(TO, 1), S(TO, 0)); }

//! cast i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 > b1
FG_INLINE V(b1) FN2(cast, KIND, b1)(V(KIND) x) { return TO_B1(x != 0); }

//! cast b1 > b1
FG_INLINE V(b1) FN2(cast, b1, b1)(V(b1) x) { return x; }

//! bitcast i32 u32 f32 > i32 u32 f32
FG_INLINE V(TO) FN2(bitcast, KIND, TO)(V(KIND) x) { return BITS(TO, x); }

//! bitcast i64 u64 f64 > i64 u64 f64
FG_INLINE V(TO) FN2(bitcast, KIND, TO)(V(KIND) x) { return BITS(TO, x); }

//! bitcast i16 u16 > i16 u16
FG_INLINE V(TO) FN2(bitcast, KIND, TO)(V(KIND) x) { return BITS(TO, x); }

//! bitcast i8 u8 > i8 u8
FG_INLINE V(TO) FN2(bitcast, KIND, TO)(V(KIND) x) { return BITS(TO, x); }
