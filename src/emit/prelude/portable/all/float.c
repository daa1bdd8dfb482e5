// Floating point operations of one or a few instructions (rules: types.c).

//! abs f32 f64
FG_INLINE V(KIND) FN(abs, KIND)(V(KIND) a) { return BITS(KIND, BITS(UINT(KIND), a) & ~BITS(UINT(KIND), S(KIND, -0.0f))); }

//! copysign f32 f64
FG_INLINE V(KIND) FN(copysign, KIND)(V(KIND) a, V(KIND) b) {
  const V(UINT(KIND)) sign = BITS(UINT(KIND), S(KIND, -0.0f));
  return BITS(KIND, (BITS(UINT(KIND), a) & ~sign) | (BITS(UINT(KIND), b) & sign));
}

//! min f32 f64
FG_INLINE V(KIND) FN(min, KIND)(V(KIND) a, V(KIND) b) { return CHOOSE(KIND, (M(KIND))(a != a), b, CHOOSE(KIND, (M(KIND))(b < a), b, a)); }

//! max f32 f64
FG_INLINE V(KIND) FN(max, KIND)(V(KIND) a, V(KIND) b) { return CHOOSE(KIND, (M(KIND))(a != a), b, CHOOSE(KIND, (M(KIND))(b > a), b, a)); }

//! min_of_number f32 f64
FG_INLINE V(KIND) FN(min_of_number, KIND)(V(KIND) a, V(KIND) b) { return CHOOSE(KIND, (M(KIND))(a < b), a, b); }

//! max_of_number f32 f64
FG_INLINE V(KIND) FN(max_of_number, KIND)(V(KIND) a, V(KIND) b) { return CHOOSE(KIND, (M(KIND))(a > b), a, b); }

//! sqrt floor ceil trunc rint f32 f64
FG_INLINE V(KIND) FN(STEM, KIND)(V(KIND) a) {
#define FG_STEP(l) a[l] = ONE(STEM, KIND)(a[l]);
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return a;
}

//! round f32 f64
FG_INLINE V(KIND) FN(round, KIND)(V(KIND) a) {
  V(KIND) whole = FN(trunc, KIND)(a), away = whole + FN(copysign, KIND)(S(KIND, 1), a);
  return CHOOSE(KIND, (M(KIND))(FN(abs, KIND)(a - whole) >= (KIND)0.5), away, whole);
}

//! fma f32 f64
FG_INLINE V(KIND) FN(fma, KIND)(V(KIND) a, V(KIND) b, V(KIND) c) {
#define FG_STEP(l) a[l] = ONE(fma, KIND)(a[l], b[l], c[l]);
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
  return a;
}

//! min i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(min, KIND)(V(KIND) a, V(KIND) b) { return CHOOSE(KIND, (M(KIND))(a < b), a, b); }

//! max i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE V(KIND) FN(max, KIND)(V(KIND) a, V(KIND) b) { return CHOOSE(KIND, (M(KIND))(a > b), a, b); }
