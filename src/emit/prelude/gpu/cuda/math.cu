// Mathematical functions, bits and shuffles of CUDA (rules: ../both/arithmetic.c).

//! sqrt floor ceil trunc round rint rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc f32 f64
FG_INLINE KIND FN(STEM, KIND)(KIND a) { return MATH(KIND)(a); }

//! copysign pow hypot atan2 f32 f64
FG_INLINE KIND FN(STEM, KIND)(KIND a, KIND b) { return MATH(KIND)(a, b); }

//! fma f32 f64
FG_INLINE KIND FN(fma, KIND)(KIND a, KIND b, KIND c) { return MATH(KIND)(a, b, c); }

//! muladd f32
FG_INLINE f32 FN(muladd, f32)(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }

//! muladd f64
FG_INLINE f64 FN(muladd, f64)(f64 a, f64 b, f64 c) { return fma(a, b, c); }

//! mul f32
// A product that no compiler makes part of a sum.
FG_INLINE f32 FN(mul, f32)(f32 a, f32 b) { return __fmul_rn(a, b); }

//! mul f64
FG_INLINE f64 FN(mul, f64)(f64 a, f64 b) { return __dmul_rn(a, b); }

//! abs f32
FG_INLINE f32 FN(abs, f32)(f32 a) { return fabsf(a); }

//! abs f64
FG_INLINE f64 FN(abs, f64)(f64 a) { return fabs(a); }

//! min f32
FG_INLINE f32 FN(min, f32)(f32 a, f32 b) { return fminf(a, b); }

//! min f64
FG_INLINE f64 FN(min, f64)(f64 a, f64 b) { return fmin(a, b); }

//! max f32
FG_INLINE f32 FN(max, f32)(f32 a, f32 b) { return fmaxf(a, b); }

//! max f64
FG_INLINE f64 FN(max, f64)(f64 a, f64 b) { return fmax(a, b); }

//! rem f32
FG_INLINE f32 FN(rem, f32)(f32 a, f32 b) { return fmodf(a, b); }

//! rem f64
FG_INLINE f64 FN(rem, f64)(f64 a, f64 b) { return fmod(a, b); }

//! popcount u32
FG_INLINE u32 FN(popcount, u32)(u32 a) { return __popc(a); }

//! popcount u64
FG_INLINE u64 FN(popcount, u64)(u64 a) { return __popcll(a); }

//! clz u32
FG_INLINE u32 FN(clz, u32)(u32 a) { return __clz(a); }

//! clz u64
FG_INLINE u64 FN(clz, u64)(u64 a) { return __clzll(a); }

//! shuffle i32 i64 u32 u64 f32 f64
FG_INLINE KIND FN(shuffle, KIND)(u32 threads, KIND v, i64 from, i32 width) { return __shfl_sync(threads, v, (i32)from, width); }

//! shuffle b1 i8 i16 u8 u16
FG_INLINE KIND FN(shuffle, KIND)(u32 threads, KIND v, i64 from, i32 width) {
  return (KIND)__shfl_sync(threads, (i32)v, (i32)from, width);
}
