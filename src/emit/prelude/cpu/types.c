// The CPU prelude: C text that the compiler prints in front of a kernel. This file: the rules of all files here, then the types.
//
// In: nothing (freestanding C, clang 19, -std=gnu2x, no includes, no libc, no libm). Out: types and functions for kernels.
//
// Names that a kernel sees
//   types      <kind>x<lanes>: f32x16, i64x8, u8x32, b1x16 ... for lanes 1, 2, 4, 8, 16, 32, 64. One lane is the plain scalar: f32x1 is f32 is
//              float. The kinds are b1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64. b1x<lanes> is a vector of _Bool (one bit a lane in a register):
//              the masks. Those that are named are defined. &, |, ^ and ! work on masks of any lane count. In memory a b1 is one byte, 0 or 1.
//   functions  fg_<stem>_<kind>_x<lanes>, the same for one lane: fg_exp_f32_x16(x), fg_div_i32_x1(a, b), fg_any_b1_x8(m).
//              The shortest are macros, which evaluate each argument once: every function costs the compiler 50 to 100 us.
//              A function with two kinds has both in its name: fg_cast_f32_i32_x16(x).
//   A scalar is splat by a cast: (f32x16)(0.5f), (i64x1)(n); b1 by fg_splat_b1_x16(c).
//
// How a file is built
//   A line "//! <stem> <kinds>" opens a section, which goes on to the next such line. The sections `types` and `end` stand for themselves, others of one
//   word are printed where the kernel has that word; any other defines the functions of one stem for one lane count and one kind. <kinds> lists the kinds; "a b > c d" means two kinds, from and to.
//   "//! needs <stem> <kind>[>kind], ..." (directly after the opening line) lists the sections that must be printed first, for the same lane
//   count; KIND and TO stand for the section's own kinds, UNSIGNED for the unsigned kind of KIND's size. After "again" stands a
//   section of macros that is printed in front of this one even if it was before. A stem may have several sections for different kinds.
//   A translation unit is: `types`, `context`, the wanted sections for each lane count, last `end` (emit/prelude_sections.cpp).
//
// Words of a section, replaced when it is printed
//   KIND, TO      the section's kinds                              LANES, HALF     the lane count, half of it
//   LIST(first, step, n)  n numbers, for shuffles                  HALF_V(k)       the vector of kind k with HALF lanes
//   TWICE(first, n)       n numbers from the first on, each twice
//   V(k)          the vector of kind k with LANES lanes            FN(stem, k)     the function's name; FN2(stem, from, to) with two kinds
//   M(k)          the type of a comparison of two V(k): integers of the same size, all ones where true (one lane: int 1)
//   INT(k), UINT(k)  the signed, unsigned integer kind of the same size
//   S(k, c)       the constant c in every lane                     CAST(k, x)      element-wise C conversion (only for values that fit)
//   BITS(k, x)    the same bits as kind k                          MASK(k, m)      a b1 mask as an M(k)
//   TO_B1(m)      an M(k) as a b1 mask                             WRAP(k)         unsigned type in which arithmetic of kind k wraps
//   ANY(k, m)     some lane of an M(k) holds                       LANE(v, l)      one lane of v
//   CHOOSE(k, m, a, b)  m ? a : b with m an M(k) and a, b of V(k): a single blend on every target
//   NOT(m)        the other lanes of an M(k)                       ELEMENTWISE(f, k, x)  Clang's function of that name for a V(k)
// and macros
//   MULADD(a,b,c) a * b + c, rounded once where the target has FMA, else twice
//   FG_EACH(LANES, f)  f(0) f(1) ... for all lanes
//   & | on M(k). Never ~, which is wrong for one lane.
//   Arithmetic is never contracted behind our back: a product and a sum are one operation where the text says fma or muladd. (A back end that
//   fuses whatever it can, as with the driver's -ffp-contract=fast, breaks this.)
//
// Invariants: no lane can trap or touch memory that its mask does not allow; lanes do not influence each other; the bits of a lane's result do not depend on the
// lane count (tests/emit/math_accuracy_slow_test.cpp).

//! types
#pragma clang fp contract(off)
typedef _Bool b1;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long u64;
typedef float f32;
typedef double f64;
#define FG_TYPE(k, n) typedef k k##x##n __attribute__((ext_vector_type(n)))
#define FG_INLINE static inline __attribute__((always_inline, unused))
#define FG_PASTE(a, b) a##b
#define FG_CAT(a, b) FG_PASTE(a, b)
#define FG_EACH_1(f) f(0)  // unrolled in the text: the compiler that we run has no unroller
#define FG_EACH_2(f) FG_EACH_1(f) f(1)
#define FG_EACH_4(f) FG_EACH_2(f) f(2) f(3)
#define FG_EACH_8(f) FG_EACH_4(f) f(4) f(5) f(6) f(7)
#define FG_EACH_16(f) FG_EACH_8(f) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define FG_EACH_32(f) FG_EACH_16(f) f(16) f(17) f(18) f(19) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
#define FG_EACH_64(f) \
  FG_EACH_32(f) f(32) f(33) f(34) f(35) f(36) f(37) f(38) f(39) f(40) f(41) f(42) f(43) f(44) f(45) f(46) f(47) f(48) f(49) f(50) \
  f(51) f(52) f(53) f(54) f(55) f(56) f(57) f(58) f(59) f(60) f(61) f(62) f(63)
#define FG_EACH(n, f) FG_CAT(FG_EACH_, n)(f)
#define FG_VECTOR2(k, n) k##x##n
#define FG_VECTOR(k, n) FG_VECTOR2(k, n)
#if defined __FMA__ || defined __ARM_FEATURE_FMA
#define MULADD(a, b, c) __builtin_elementwise_fma(a, b, c)
#else
#define MULADD(a, b, c) ((a) * (b) + (c))
#endif

//! end
#undef MULADD
