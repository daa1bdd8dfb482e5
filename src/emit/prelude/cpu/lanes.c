// Moves between lanes (rules: types.c): lane numbers, halves for folds, reversal.

//! lane i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// 0, 1, 2 ... in the lanes.
#define FN(lane, KIND)() ((V(KIND)){LIST(0, 1, LANES)})

//! half_ b1
// One half of v's lanes, chosen by a list; a plain scalar where only one lane is left.
#undef FG_HALF_OF
#if LANES == 2
#define FG_HALF_OF(v, lane) (v)[lane]
#else
#define FG_HALF_OF(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#endif

//! low b1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs half_ b1
// The lower half of the lanes. Folding op(low(v), high(v)) until one lane is left needs an operator that commutes.
FG_INLINE HALF_V(KIND) FN(low, KIND)(V(KIND) v) { return FG_HALF_OF(v, LIST(0, 1, HALF)); }

//! high b1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs half_ b1
FG_INLINE HALF_V(KIND) FN(high, KIND)(V(KIND) v) { return FG_HALF_OF(v, LIST(HALF, 1, HALF)); }

//! even b1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs half_ b1
// The lanes with even numbers. Folding op(even(v), odd(v)) until one lane is left keeps the order.
FG_INLINE HALF_V(KIND) FN(even, KIND)(V(KIND) v) { return FG_HALF_OF(v, LIST(0, 2, HALF)); }

//! odd b1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs half_ b1
FG_INLINE HALF_V(KIND) FN(odd, KIND)(V(KIND) v) { return FG_HALF_OF(v, LIST(1, 2, HALF)); }
