// Moves between lanes (rules: types.c): lane numbers, halves for folds, reversal.

//! lists_ b1
#ifndef FG_UP_2
#define FG_UP_1 0
#define FG_UP_2 0, 1
#define FG_UP_4 0, 1, 2, 3
#define FG_UP_8 0, 1, 2, 3, 4, 5, 6, 7
#define FG_UP_16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define FG_UP_32 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define FG_UP_64 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
#define FG_DOWN_2 1, 0
#define FG_DOWN_4 3, 2, 1, 0
#define FG_DOWN_8 7, 6, 5, 4, 3, 2, 1, 0
#define FG_DOWN_16 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#define FG_DOWN_32 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#define FG_DOWN_64 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#define FG_LOW_2 0
#define FG_HIGH_2 1
#define FG_LOW_4 0, 1
#define FG_HIGH_4 2, 3
#define FG_LOW_8 0, 1, 2, 3
#define FG_HIGH_8 4, 5, 6, 7
#define FG_LOW_16 0, 1, 2, 3, 4, 5, 6, 7
#define FG_HIGH_16 8, 9, 10, 11, 12, 13, 14, 15
#define FG_LOW_32 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define FG_HIGH_32 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define FG_LOW_64 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define FG_HIGH_64 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
#define FG_EVEN_2 0
#define FG_ODD_2 1
#define FG_EVEN_4 0, 2
#define FG_ODD_4 1, 3
#define FG_EVEN_8 0, 2, 4, 6
#define FG_ODD_8 1, 3, 5, 7
#define FG_EVEN_16 0, 2, 4, 6, 8, 10, 12, 14
#define FG_ODD_16 1, 3, 5, 7, 9, 11, 13, 15
#define FG_EVEN_32 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define FG_ODD_32 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define FG_EVEN_64 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62
#define FG_ODD_64 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63
#define FG_HALF_2 1
#define FG_HALF_4 2
#define FG_HALF_8 4
#define FG_HALF_16 8
#define FG_HALF_32 16
#define FG_HALF_64 32
#endif

//! lane i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs lists_ b1
// 0, 1, 2 ... in the lanes.
FG_INLINE V(KIND) FN(lane, KIND)(void) { return (V(KIND)){FG_CAT(FG_UP_, LANES)}; }

//! half_ b1
//! needs lists_ b1
// One half of v's lanes, chosen by a list; a plain scalar where only one lane is left.
#undef FG_HALF_OF
#undef FG_HALF_TYPE
#define FG_HALF_TYPE(k) FG_VECTOR(k, FG_CAT(FG_HALF_, LANES))
#if LANES == 2
#define FG_HALF_OF(v, list) (v)[FG_CAT(list, 2)]
#else
#define FG_HALF_OF(v, list) __builtin_shufflevector(v, v, FG_CAT(list, LANES))
#endif

//! low b1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs half_ b1
// The lower half of the lanes. Folding op(low(v), high(v)) until one lane is left needs an operator that commutes.
FG_INLINE FG_HALF_TYPE(KIND) FN(low, KIND)(V(KIND) v) { return FG_HALF_OF(v, FG_LOW_); }

//! high b1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs half_ b1
FG_INLINE FG_HALF_TYPE(KIND) FN(high, KIND)(V(KIND) v) { return FG_HALF_OF(v, FG_HIGH_); }

//! even b1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs half_ b1
// The lanes with even numbers. Folding op(even(v), odd(v)) until one lane is left keeps the order.
FG_INLINE FG_HALF_TYPE(KIND) FN(even, KIND)(V(KIND) v) { return FG_HALF_OF(v, FG_EVEN_); }

//! odd b1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs half_ b1
FG_INLINE FG_HALF_TYPE(KIND) FN(odd, KIND)(V(KIND) v) { return FG_HALF_OF(v, FG_ODD_); }
