// Floating point operations that are one or a few instructions, comparisons, masks and selections (rules: types.c). IEEE results, bit for bit on every target.
// min and max ignore a NaN operand; of a positive and a negative zero either may be the result.

//! div f32 f64
FG_INLINE V(KIND) FN(div, KIND)(V(KIND) a, V(KIND) b) { return a / b; }

//! abs f32 f64
FG_INLINE V(KIND) FN(abs, KIND)(V(KIND) a) { return __builtin_elementwise_abs(a); }

//! copysign f32 f64
FG_INLINE V(KIND) FN(copysign, KIND)(V(KIND) a, V(KIND) b) { return __builtin_elementwise_copysign(a, b); }

//! sign f32 f64
FG_INLINE V(KIND) FN(sign, KIND)(V(KIND) a) {
  return CHOOSE(KIND, (a > 0 | a < 0), __builtin_elementwise_copysign(S(KIND, 1), a), a);  // zeros and NaN as they are
}

// One instruction of AVX-512 does what otherwise takes a minimum, a comparison and a choice.

//! min f32 f64
//! needs part_names_ b1, again parts_ KIND
FG_INLINE V(KIND) FN(min, KIND)(V(KIND) a, V(KIND) b) {
#if FG_PART && defined __AVX512DQ__ && defined __AVX512VL__
  union { V(KIND) whole; FG_FLOAT_PART_TYPE part[FG_PART_COUNT]; } x = {a}, y = {b};
#define FG_STEP(i) x.part[i] = FG_FLOAT_BUILTIN(range)(x.part[i], y.part[i], 4, x.part[i], -1 FG_ROUNDING);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  return x.whole;
#else
  return __builtin_elementwise_min(a, b);
#endif
}

//! max f32 f64
//! needs part_names_ b1, again parts_ KIND
FG_INLINE V(KIND) FN(max, KIND)(V(KIND) a, V(KIND) b) {
#if FG_PART && defined __AVX512DQ__ && defined __AVX512VL__
  union { V(KIND) whole; FG_FLOAT_PART_TYPE part[FG_PART_COUNT]; } x = {a}, y = {b};
#define FG_STEP(i) x.part[i] = FG_FLOAT_BUILTIN(range)(x.part[i], y.part[i], 5, x.part[i], -1 FG_ROUNDING);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  return x.whole;
#else
  return __builtin_elementwise_max(a, b);
#endif
}

// Where b is never NaN: a comparison with NaN does not hold, which gives b. By name, as the compiler makes a comparison and a masked
// product of a choice whose operand is a product.

//! min_of_number f32 f64
//! needs part_names_ b1, again parts_ KIND
FG_INLINE V(KIND) FN(min_of_number, KIND)(V(KIND) a, V(KIND) b) {
#if FG_PART >= 32
  union { V(KIND) whole; FG_FLOAT_PART_TYPE part[FG_PART_COUNT]; } x = {a}, y = {b};
#define FG_STEP(i) x.part[i] = FG_EXTREMUM(min)(x.part[i], y.part[i] FG_ROUNDING);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  return x.whole;
#else
  return CHOOSE(KIND, a < b, a, b);
#endif
}

//! max_of_number f32 f64
//! needs part_names_ b1, again parts_ KIND
FG_INLINE V(KIND) FN(max_of_number, KIND)(V(KIND) a, V(KIND) b) {
#if FG_PART >= 32
  union { V(KIND) whole; FG_FLOAT_PART_TYPE part[FG_PART_COUNT]; } x = {a}, y = {b};
#define FG_STEP(i) x.part[i] = FG_EXTREMUM(max)(x.part[i], y.part[i] FG_ROUNDING);
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
  return x.whole;
#else
  return CHOOSE(KIND, a > b, a, b);
#endif
}

//! sqrt f32 f64
FG_INLINE V(KIND) FN(sqrt, KIND)(V(KIND) a) { return __builtin_elementwise_sqrt(a); }

//! floor f32 f64
FG_INLINE V(KIND) FN(floor, KIND)(V(KIND) a) { return __builtin_elementwise_floor(a); }

//! ceil f32 f64
FG_INLINE V(KIND) FN(ceil, KIND)(V(KIND) a) { return __builtin_elementwise_ceil(a); }

//! trunc f32 f64
FG_INLINE V(KIND) FN(trunc, KIND)(V(KIND) a) { return __builtin_elementwise_trunc(a); }

//! round f32 f64
FG_INLINE V(KIND) FN(round, KIND)(V(KIND) a) { return __builtin_elementwise_round(a); }

//! rint f32 f64
FG_INLINE V(KIND) FN(rint, KIND)(V(KIND) a) { return __builtin_elementwise_roundeven(a); }

//! isnan f32 f64
FG_INLINE V(b1) FN(isnan, KIND)(V(KIND) a) { return TO_B1(a != a); }

//! isinf f32 f64
FG_INLINE V(b1) FN(isinf, KIND)(V(KIND) a) { return TO_B1(__builtin_elementwise_abs(a) == __builtin_inff()); }

//! isfinite f32 f64
FG_INLINE V(b1) FN(isfinite, KIND)(V(KIND) a) { return TO_B1(__builtin_elementwise_abs(a) < __builtin_inff()); }

//! eq i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
#define FN(eq, KIND)(a, b) TO_B1((V(KIND))(a) == (V(KIND))(b))

//! ne i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
#define FN(ne, KIND)(a, b) TO_B1((V(KIND))(a) != (V(KIND))(b))

//! lt i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
#define FN(lt, KIND)(a, b) TO_B1((V(KIND))(a) < (V(KIND))(b))

//! le i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
#define FN(le, KIND)(a, b) TO_B1((V(KIND))(a) <= (V(KIND))(b))

//! eq b1
FG_INLINE V(b1) FN(eq, b1)(V(b1) a, V(b1) b) { return !(a ^ b); }

//! ne b1
FG_INLINE V(b1) FN(ne, b1)(V(b1) a, V(b1) b) { return a ^ b; }

//! lt b1
FG_INLINE V(b1) FN(lt, b1)(V(b1) a, V(b1) b) { return !a & b; }

//! le b1
FG_INLINE V(b1) FN(le, b1)(V(b1) a, V(b1) b) { return !a | b; }

//! min b1
FG_INLINE V(b1) FN(min, b1)(V(b1) a, V(b1) b) { return a & b; }

//! max b1
FG_INLINE V(b1) FN(max, b1)(V(b1) a, V(b1) b) { return a | b; }

//! select i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
#define FN(select, KIND)(m, a, b) ((V(KIND))(MASK(KIND, m) ? (V(KIND))(a) : (V(KIND))(b)))

//! select b1
FG_INLINE V(b1) FN(select, b1)(V(b1) m, V(b1) a, V(b1) b) { return (m & a) | (!m & b); }

//! splat b1
FG_INLINE V(b1) FN(splat, b1)(b1 c) { return TO_B1(S(i8, c) != 0); }

//! any b1
#if LANES == 1
#define FN(any, b1)(m) ((b1)(m))
#else
#define FN(any, b1)(m) ((b1)__builtin_reduce_or(m))
#endif

//! all b1
#if LANES == 1
#define FN(all, b1)(m) ((b1)(m))
#else
#define FN(all, b1)(m) ((b1)__builtin_reduce_and(m))
#endif

//! fma f32 f64
// Without the instruction the compiler calls fma or fmaf of the C library, lane by lane.
FG_INLINE V(KIND) FN(fma, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) { return __builtin_elementwise_fma(a, b, c); }

//! muladd f32 f64
FG_INLINE V(KIND) FN(muladd, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) { return MULADD(a, b, c); }
