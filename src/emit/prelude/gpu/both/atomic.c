// Atomic operations that neither language has (rules: arithmetic.c): by compare and exchange, tried again until nobody came between. Elements are
// compared by their bits. All give what the element was before.

//! add i8 i16 u8 u16
FG_INLINE KIND FN(add, KIND)(KIND a, KIND b) { return (KIND)(a + b); }

//! add f32 f64
FG_INLINE KIND FN(add, KIND)(KIND a, KIND b) { return a + b; }

//! bit_and i8 i16 u8 u16
FG_INLINE KIND FN(bit_and, KIND)(KIND a, KIND b) { return (KIND)(a & b); }

//! bit_or i8 i16 u8 u16
FG_INLINE KIND FN(bit_or, KIND)(KIND a, KIND b) { return (KIND)(a | b); }

//! bit_xor i8 i16 u8 u16
FG_INLINE KIND FN(bit_xor, KIND)(KIND a, KIND b) { return (KIND)(a ^ b); }

//! exchange i8 i16 u8 u16
FG_INLINE KIND FN(exchange, KIND)(KIND a, KIND b) { return b; }

//! atomic_add atomic_add_shared atomic_min atomic_min_shared atomic_max atomic_max_shared atomic_bit_and atomic_bit_and_shared atomic_bit_or atomic_bit_or_shared atomic_bit_xor atomic_bit_xor_shared atomic_exchange atomic_exchange_shared i8 i16 u8 u16
//! needs WHAT KIND, SWAP KIND
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) {
  for (KIND seen = *(SPACE volatile KIND*)p;;) {
    const KIND before = FN(SWAP, KIND)(p, FN(WHAT, KIND)(seen, v), seen);
    if (before == seen) return before;
    seen = before;
  }
}

//! atomic_min atomic_max atomic_min_shared atomic_max_shared f32 f64
//! needs WHAT KIND, SWAP UNSIGNED, bitcast KIND>UNSIGNED, bitcast UNSIGNED>KIND
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v) {
  for (UINT(KIND) seen = *(SPACE volatile UINT(KIND)*)p;;) {
    const KIND wanted = FN(WHAT, KIND)(FN2(bitcast, UINT(KIND), KIND)(seen), v);
    const UINT(KIND) before = FN(SWAP, UINT(KIND))((SPACE UINT(KIND)*)p, FN2(bitcast, KIND, UINT(KIND))(wanted), seen);
    if (before == seen) return FN2(bitcast, UINT(KIND), KIND)(before);
    seen = before;
  }
}

//! atomic_compare_exchange atomic_compare_exchange_shared f32 f64
//! needs SWAP UNSIGNED, bitcast KIND>UNSIGNED, bitcast UNSIGNED>KIND
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v, KIND expected) {
  return FN2(bitcast, UINT(KIND), KIND)(FN(SWAP, UINT(KIND))(
      (SPACE UINT(KIND)*)p, FN2(bitcast, KIND, UINT(KIND))(v), FN2(bitcast, KIND, UINT(KIND))(expected)));
}

//! atomic_compare_exchange atomic_compare_exchange_shared i8 i16 u8 u16
//! needs SWAP u32
// In the four aligned bytes around the element, of which the others must stay what they are.
FG_INLINE KIND FN(STEM, KIND)(SPACE KIND* p, KIND v, KIND expected) {
  SPACE u32* const word = (SPACE u32*)((size_t)p & ~(size_t)3);
  const u32 shift = (u32)((size_t)p & 3) * 8, mask = (u32)(UINT(KIND))~(UINT(KIND))0 << shift;
  const u32 from = (u32)(UINT(KIND))expected << shift, to = (u32)(UINT(KIND))v << shift;
  for (u32 seen = *(SPACE volatile u32*)word;;) {
    if ((seen & mask) != from) return (KIND)(UINT(KIND))(seen >> shift);
    const u32 before = FN(SWAP, u32)(word, (seen & ~mask) | to, seen);
    if (before == seen) return expected;
    seen = before;
  }
}
