// Elements of global memory that several tasks change at a time (rules: types.c). All give what the element was.

//! atomic_add i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(atomic_add, KIND)(KIND* p, KIND v) { return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL); }

//! atomic_bit_and i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(atomic_bit_and, KIND)(KIND* p, KIND v) { return __atomic_fetch_and(p, v, __ATOMIC_ACQ_REL); }

//! atomic_bit_or i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(atomic_bit_or, KIND)(KIND* p, KIND v) { return __atomic_fetch_or(p, v, __ATOMIC_ACQ_REL); }

//! atomic_bit_xor i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(atomic_bit_xor, KIND)(KIND* p, KIND v) { return __atomic_fetch_xor(p, v, __ATOMIC_ACQ_REL); }

//! atomic_exchange i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE KIND FN(atomic_exchange, KIND)(KIND* p, KIND v) {
  KIND before;
  __atomic_exchange(p, &v, &before, __ATOMIC_ACQ_REL);
  return before;
}

//! atomic_add f32 f64
FG_INLINE KIND FN(atomic_add, KIND)(KIND* p, KIND v) {
  KIND before, after;
  __atomic_load(p, &before, __ATOMIC_RELAXED);
  do after = before + v;
  while (!__atomic_compare_exchange(p, &before, &after, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return before;
}

//! atomic_min atomic_max i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs WHAT KIND
FG_INLINE KIND FN(STEM, KIND)(KIND* p, KIND v) {
  KIND before, after;
  __atomic_load(p, &before, __ATOMIC_RELAXED);
  do after = FN(WHAT, KIND)(before, v);
  while (!__atomic_compare_exchange(p, &before, &after, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return before;
}

//! atomic_compare_exchange i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FG_INLINE KIND FN(atomic_compare_exchange, KIND)(KIND* p, KIND v, KIND expected) {
  __atomic_compare_exchange(p, &expected, &v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return expected;
}
