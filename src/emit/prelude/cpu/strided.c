// Strided loads that read whole vectors (rules: types.c).

//! second_lists_ b1
#ifndef FG_SECOND_2
#define FG_SECOND_2 0, 3
#define FG_SECOND_4 0, 2, 5, 7
#define FG_SECOND_8 0, 2, 4, 6, 9, 11, 13, 15
#define FG_SECOND_16 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31
#define FG_SECOND_32 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63
#define FG_SECOND_64 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 65, 67, 69, 71, 73, 75, 77, 79, 81, 83, 85, 87, 89, 91, 93, 95, 97, 99, 101, 103, 105, 107, 109, 111, 113, 115, 117, 119, 121, 123, 125, 127
#endif

//! load_every_second i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs load KIND, second_lists_ b1
// p[0], p[2], p[4] ... from two vectors that overlap in one element, so that nothing behind the last lane is read.
FG_INLINE V(KIND) FN(load_every_second, KIND)(const KIND* p) {
#if LANES == 1
  return *p;
#else
  return __builtin_shufflevector(FN(load, KIND)(p), FN(load, KIND)(p + (LANES - 1)), FG_CAT(FG_SECOND_, LANES));
#endif
}

//! load_every_second b1
//! needs load_every_second u8
FG_INLINE V(b1) FN(load_every_second, b1)(const u8* p) { return TO_B1(FN(load_every_second, u8)(p) != 0); }
