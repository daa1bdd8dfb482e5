// Mathematical functions and bits of the host's part of emitted programs (rules: ../../gpu/both/arithmetic.c). Those of f32 that no standard rounds
// are those of f64, rounded, as in the library's own host part.

//! sqrt floor ceil trunc round f32 f64
FG_INLINE KIND FN(STEM, KIND)(KIND a) { return MATH(KIND)(a); }

//! rint f32
FG_INLINE f32 FN(rint, f32)(f32 a) { return nearbyintf(a); }

//! rint f64
FG_INLINE f64 FN(rint, f64)(f64 a) { return nearbyint(a); }

//! cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc f32 f64
FG_INLINE KIND FN(STEM, KIND)(KIND a) { return (KIND)STEM((f64)a); }

//! exp10 f32 f64
FG_INLINE KIND FN(exp10, KIND)(KIND a) { return (KIND)pow(10, (f64)a); }

//! rsqrt f32 f64
FG_INLINE KIND FN(rsqrt, KIND)(KIND a) { return (KIND)(1 / sqrt((f64)a)); }

//! copysign f32 f64
FG_INLINE KIND FN(copysign, KIND)(KIND a, KIND b) { return MATH(KIND)(a, b); }

//! pow hypot atan2 f32 f64
FG_INLINE KIND FN(STEM, KIND)(KIND a, KIND b) { return (KIND)STEM((f64)a, (f64)b); }

//! fma f32
FG_INLINE f32 FN(fma, f32)(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }

//! fma f64
FG_INLINE f64 FN(fma, f64)(f64 a, f64 b, f64 c) { return fma(a, b, c); }

//! muladd f32
FG_INLINE f32 FN(muladd, f32)(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }

//! muladd f64
FG_INLINE f64 FN(muladd, f64)(f64 a, f64 b, f64 c) { return fma(a, b, c); }

//! abs f32
FG_INLINE f32 FN(abs, f32)(f32 a) { return fabsf(a); }

//! abs f64
FG_INLINE f64 FN(abs, f64)(f64 a) { return fabs(a); }

//! min f32 f64
FG_INLINE KIND FN(min, KIND)(KIND a, KIND b) { return a != a || b < a ? b : a; }

//! max f32 f64
FG_INLINE KIND FN(max, KIND)(KIND a, KIND b) { return a != a || b > a ? b : a; }

//! rem f32
FG_INLINE f32 FN(rem, f32)(f32 a, f32 b) { return fmodf(a, b); }

//! rem f64
FG_INLINE f64 FN(rem, f64)(f64 a, f64 b) { return fmod(a, b); }

//! popcount u32
FG_INLINE u32 FN(popcount, u32)(u32 a) { return (u32)__builtin_popcount(a); }

//! popcount u64
FG_INLINE u64 FN(popcount, u64)(u64 a) { return (u64)__builtin_popcountll(a); }

//! clz u32
FG_INLINE u32 FN(clz, u32)(u32 a) { return a == 0 ? 32 : (u32)__builtin_clz(a); }

//! clz u64
FG_INLINE u64 FN(clz, u64)(u64 a) { return a == 0 ? 64 : (u64)__builtin_clzll(a); }
