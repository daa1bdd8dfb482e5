// f32 functions that compute in f64 lanes (rules: types.c): the error is then the final rounding's, 0.5 ULP and a little.

//! tan f32
//! needs tan f64
FG_INLINE V(f32) FN(tan, f32)(V(f32) x) { return CAST(f32, FN(tan, f64)(CAST(f64, x))); }

//! asin f32
//! needs asin f64
FG_INLINE V(f32) FN(asin, f32)(V(f32) x) { return CAST(f32, FN(asin, f64)(CAST(f64, x))); }

//! acos f32
//! needs acos f64
FG_INLINE V(f32) FN(acos, f32)(V(f32) x) { return CAST(f32, FN(acos, f64)(CAST(f64, x))); }

//! atan f32
//! needs atan f64
FG_INLINE V(f32) FN(atan, f32)(V(f32) x) { return CAST(f32, FN(atan, f64)(CAST(f64, x))); }

//! sinh f32
//! needs sinh f64
FG_INLINE V(f32) FN(sinh, f32)(V(f32) x) { return CAST(f32, FN(sinh, f64)(CAST(f64, x))); }

//! cosh f32
//! needs cosh f64
FG_INLINE V(f32) FN(cosh, f32)(V(f32) x) { return CAST(f32, FN(cosh, f64)(CAST(f64, x))); }

//! asinh f32
//! needs asinh f64
FG_INLINE V(f32) FN(asinh, f32)(V(f32) x) { return CAST(f32, FN(asinh, f64)(CAST(f64, x))); }

//! acosh f32
//! needs acosh f64
FG_INLINE V(f32) FN(acosh, f32)(V(f32) x) { return CAST(f32, FN(acosh, f64)(CAST(f64, x))); }

//! atanh f32
//! needs atanh f64
FG_INLINE V(f32) FN(atanh, f32)(V(f32) x) { return CAST(f32, FN(atanh, f64)(CAST(f64, x))); }

//! cbrt f32
//! needs cbrt f64
FG_INLINE V(f32) FN(cbrt, f32)(V(f32) x) { return CAST(f32, FN(cbrt, f64)(CAST(f64, x))); }

//! log1p f32
//! needs log1p f64
FG_INLINE V(f32) FN(log1p, f32)(V(f32) x) { return CAST(f32, FN(log1p, f64)(CAST(f64, x))); }

//! atan2 f32
//! needs atan2 f64
FG_INLINE V(f32) FN(atan2, f32)(V(f32) y, V(f32) x) { return CAST(f32, FN(atan2, f64)(CAST(f64, y), CAST(f64, x))); }
