// Conversions (rules: arithmetic.c). Floats to integers truncate, saturate, and give 0 for NaN: what does not fit is never converted, because C
// leaves that undefined. The other conversions are C's.

//! limits i8
#define FG_MIN_i8 (-128)
#define FG_MAX_i8 127
#define FG_BEYOND_i8 128.0f  // the first float that is too large

//! limits i16
#define FG_MIN_i16 (-32768)
#define FG_MAX_i16 32767
#define FG_BEYOND_i16 32768.0f

//! limits i32
#define FG_MIN_i32 (-2147483647 - 1)
#define FG_MAX_i32 2147483647
#define FG_BEYOND_i32 2147483648.0f

//! limits i64
#define FG_MIN_i64 (-9223372036854775807 - 1)
#define FG_MAX_i64 9223372036854775807
#define FG_BEYOND_i64 9223372036854775808.0f

//! limits u8
#define FG_MAX_u8 255
#define FG_BEYOND_u8 256.0f

//! limits u16
#define FG_MAX_u16 65535
#define FG_BEYOND_u16 65536.0f

//! limits u32
#define FG_MAX_u32 4294967295u
#define FG_BEYOND_u32 4294967296.0f

//! limits u64
#define FG_MAX_u64 18446744073709551615u
#define FG_BEYOND_u64 18446744073709551616.0f

//! cast f32 f64 > i8 i16 i32 i64
//! needs limits TO
FG_INLINE TO FN2(cast, KIND, TO)(KIND x) {
  return x != x ? (TO)0 : x >= JOIN(FG_BEYOND_, TO) ? (TO)JOIN(FG_MAX_, TO) : x < -JOIN(FG_BEYOND_, TO) ? (TO)JOIN(FG_MIN_, TO) : (TO)x;
}

//! cast f32 f64 > u8 u16 u32 u64
//! needs limits TO
FG_INLINE TO FN2(cast, KIND, TO)(KIND x) {
  return x >= JOIN(FG_BEYOND_, TO) ? (TO)JOIN(FG_MAX_, TO) : x > 0 ? (TO)x : (TO)0;
}

//! bitcast i8 u8 > i8 u8
FG_INLINE TO FN2(bitcast, KIND, TO)(KIND x) { return (TO)x; }

//! bitcast i16 u16 > i16 u16
FG_INLINE TO FN2(bitcast, KIND, TO)(KIND x) { return (TO)x; }

//! bitcast i32 u32 > i32 u32
FG_INLINE TO FN2(bitcast, KIND, TO)(KIND x) { return (TO)x; }

//! bitcast i64 u64 > i64 u64
FG_INLINE TO FN2(bitcast, KIND, TO)(KIND x) { return (TO)x; }

//! bitcast f32 > i32 u32 f32
FG_INLINE TO FN2(bitcast, KIND, TO)(KIND x) { union { KIND from; TO to; } bits = {x}; return bits.to; }

//! bitcast i32 u32 > f32
FG_INLINE TO FN2(bitcast, KIND, TO)(KIND x) { union { KIND from; TO to; } bits = {x}; return bits.to; }

//! bitcast f64 > i64 u64 f64
FG_INLINE TO FN2(bitcast, KIND, TO)(KIND x) { union { KIND from; TO to; } bits = {x}; return bits.to; }

//! bitcast i64 u64 > f64
FG_INLINE TO FN2(bitcast, KIND, TO)(KIND x) { union { KIND from; TO to; } bits = {x}; return bits.to; }

//! bits f32
//! needs bitcast u32>f32
FG_INLINE f32 FN(bits, f32)(u32 x) { return FN2(bitcast, u32, f32)(x); }

//! bits f64
//! needs bitcast u64>f64
FG_INLINE f64 FN(bits, f64)(u64 x) { return FN2(bitcast, u64, f64)(x); }
