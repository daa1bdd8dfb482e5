// The GPU preludes: what CUDA C++ and OpenCL C spell alike, with types.cu or types.cl in front. Scalars only: a function is called
// fg_<stem>_<kind>. The rules of sections are those of ../../cpu/types.c, and a section may have several stems; further words of it:
//   STEM          the stem                                         MATH(k)         the stem as C's mathematical function of kind k: sqrtf
//   JOIN(a, b)    one word of two
//   SPACE         FG_SHARED if the stem ends in _shared, else FG_GLOBAL: what a pointer's type begins with
//   SWAP          the stem of compare_exchange in that memory      WHAT            the stem without atomic_ and _shared
// Arithmetic wraps, and nothing traps: OpenCL runs on processors, too. A zero divisor gives 0, and the kernel reports it.

//! abs i8 i16 i32 i64
FG_INLINE KIND FN(abs, KIND)(KIND a) { return a < 0 ? (KIND)(0 - (WRAP(KIND))a) : a; }

//! abs u8 u16 u32 u64
FG_INLINE KIND FN(abs, KIND)(KIND a) { return a; }

//! sign i8 i16 i32 i64
FG_INLINE KIND FN(sign, KIND)(KIND a) { return (KIND)((a > 0) - (a < 0)); }

//! sign u8 u16 u32 u64
FG_INLINE KIND FN(sign, KIND)(KIND a) { return (KIND)(a != 0); }

//! sign f32 f64
FG_INLINE KIND FN(sign, KIND)(KIND a) { return a > 0 ? (KIND)1 : a < 0 ? (KIND)-1 : a; }  // zeros and NaN as they are

//! min i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(min, KIND)(KIND a, KIND b) { return b < a ? b : a; }

//! max i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(max, KIND)(KIND a, KIND b) { return b > a ? b : a; }

//! min b1
FG_INLINE b1 FN(min, b1)(b1 a, b1 b) { return a & b; }

//! max b1
FG_INLINE b1 FN(max, b1)(b1 a, b1 b) { return a | b; }

//! div i8 i16 i32 i64
FG_INLINE KIND FN(div, KIND)(KIND a, KIND b) {
  return b == 0 ? (KIND)0 : b == -1 ? (KIND)(0 - (WRAP(KIND))a) : (KIND)(a / b);
}

//! div u8 u16 u32 u64
FG_INLINE KIND FN(div, KIND)(KIND a, KIND b) { return b == 0 ? (KIND)0 : (KIND)(a / b); }

//! rem i8 i16 i32 i64
FG_INLINE KIND FN(rem, KIND)(KIND a, KIND b) { return b == 0 || b == -1 ? (KIND)0 : (KIND)(a % b); }

//! rem u8 u16 u32 u64
FG_INLINE KIND FN(rem, KIND)(KIND a, KIND b) { return b == 0 ? (KIND)0 : (KIND)(a % b); }

//! ceil_div i8 i16 i32 i64
FG_INLINE KIND FN(ceil_div, KIND)(KIND a, KIND b) {
  if (b == 0 || b == -1) return b == 0 ? (KIND)0 : (KIND)(0 - (WRAP(KIND))a);
  return (KIND)(a / b + (a % b != 0 && (a < 0) == (b < 0)));
}

//! ceil_div u8 u16 u32 u64
FG_INLINE KIND FN(ceil_div, KIND)(KIND a, KIND b) { return b == 0 ? (KIND)0 : (KIND)(a / b + (a % b != 0)); }

//! add_half_products i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(add_half_products, KIND)(KIND a, KIND b, KIND c) {
  const int width = 4 * sizeof(KIND);
  INT(KIND) low_a = (INT(KIND))((INT(KIND))((UINT(KIND))a << width) >> width), low_b = (INT(KIND))((INT(KIND))((UINT(KIND))b << width) >> width);
  INT(KIND) high_a = (INT(KIND))((INT(KIND))a >> width), high_b = (INT(KIND))((INT(KIND))b >> width);
  return (KIND)((WRAP(KIND))c + (WRAP(KIND))(low_a * low_b) + (WRAP(KIND))(high_a * high_b));
}

//! add_quarter_products i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(add_quarter_products, KIND)(KIND a, KIND b, KIND c) {
  const int quarter = 2 * sizeof(KIND), shift = 6 * sizeof(KIND);
  for (int i = 0; i < 4; ++i) {
    INT(KIND) x = (INT(KIND))((UINT(KIND))((UINT(KIND))a << (shift - i * quarter)) >> shift);
    INT(KIND) y = (INT(KIND))((INT(KIND))((UINT(KIND))b << (shift - i * quarter)) >> shift);
    c = (KIND)((WRAP(KIND))c + (WRAP(KIND))(x * y));
  }
  return c;
}

//! shl i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(shl, KIND)(KIND a, KIND b) { return (KIND)((WRAP(KIND))a << ((WRAP(KIND))b & (8 * sizeof(KIND) - 1))); }

//! shr i8 i16 i32 i64 u8 u16 u32 u64
FG_INLINE KIND FN(shr, KIND)(KIND a, KIND b) { return (KIND)(a >> ((WRAP(KIND))b & (8 * sizeof(KIND) - 1))); }

//! popcount u8 u16
//! needs popcount u32
FG_INLINE KIND FN(popcount, KIND)(KIND a) { return (KIND)FN(popcount, u32)(a); }

//! clz u8 u16
//! needs clz u32
FG_INLINE KIND FN(clz, KIND)(KIND a) { return (KIND)(FN(clz, u32)(a) - (32 - 8 * sizeof(KIND))); }

//! ctz u8 u16 u32 u64
//! needs popcount KIND
FG_INLINE KIND FN(ctz, KIND)(KIND a) { return FN(popcount, KIND)((KIND)(~a & (a - 1))); }  // the ones below the last one

//! popcount clz ctz i8 i16 i32 i64
//! needs STEM UNSIGNED
FG_INLINE KIND FN(STEM, KIND)(KIND a) { return (KIND)FN(STEM, UINT(KIND))((UINT(KIND))a); }

//! isnan f32 f64
FG_INLINE b1 FN(isnan, KIND)(KIND a) { return a != a; }

//! isinf f32 f64
//! needs abs KIND, highest KIND
FG_INLINE b1 FN(isinf, KIND)(KIND a) { return FN(abs, KIND)(a) > JOIN(FG_HIGHEST_, KIND); }

//! isfinite f32 f64
//! needs abs KIND, highest KIND
FG_INLINE b1 FN(isfinite, KIND)(KIND a) { return FN(abs, KIND)(a) <= JOIN(FG_HIGHEST_, KIND); }

//! highest f32
#define FG_HIGHEST_f32 3.40282346638528859812e+38f

//! highest f64
#define FG_HIGHEST_f64 1.79769313486231570815e+308
