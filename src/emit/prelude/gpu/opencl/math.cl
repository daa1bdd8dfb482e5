// Mathematical functions and bits of OpenCL C (rules: ../both/arithmetic.c), which has one name for all kinds.

//! sqrt floor ceil trunc round rint rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc f32 f64
FG_INLINE KIND FN(STEM, KIND)(KIND a) { return STEM(a); }

//! copysign pow hypot atan2 f32 f64
FG_INLINE KIND FN(STEM, KIND)(KIND a, KIND b) { return STEM(a, b); }

//! fma f32 f64
FG_INLINE KIND FN(fma, KIND)(KIND a, KIND b, KIND c) { return fma(a, b, c); }

// NVIDIA's compiler does not say that its devices have the instruction.

//! muladd f32
#if defined FP_FAST_FMAF || defined __NV_CL_C_VERSION || defined __FMA__ || defined __ARM_FEATURE_FMA
FG_INLINE f32 FN(muladd, f32)(f32 a, f32 b, f32 c) { return fma(a, b, c); }
#else
FG_INLINE f32 FN(muladd, f32)(f32 a, f32 b, f32 c) { return a * b + c; }
#endif

//! muladd f64
#if defined FP_FAST_FMA || defined __NV_CL_C_VERSION || defined __FMA__ || defined __ARM_FEATURE_FMA
FG_INLINE f64 FN(muladd, f64)(f64 a, f64 b, f64 c) { return fma(a, b, c); }
#else
FG_INLINE f64 FN(muladd, f64)(f64 a, f64 b, f64 c) { return a * b + c; }
#endif

//! abs f32 f64
FG_INLINE KIND FN(abs, KIND)(KIND a) { return fabs(a); }

//! min f32 f64
FG_INLINE KIND FN(min, KIND)(KIND a, KIND b) { return fmin(a, b); }

//! max f32 f64
FG_INLINE KIND FN(max, KIND)(KIND a, KIND b) { return fmax(a, b); }

//! rem f32 f64
FG_INLINE KIND FN(rem, KIND)(KIND a, KIND b) { return fmod(a, b); }

//! popcount clz u32 u64
FG_INLINE KIND FN(STEM, KIND)(KIND a) { return STEM(a); }
