// The prelude of portable C: what GCC's C lacks of the CPU prelude (its rules: ../../cpu/types.c), in C11 with the vectors that GCC and Clang
// have in common. A section here stands for the CPU prelude's of the same stem and kind; those in v4/ and v2_v3/, written with intrinsics,
// stand for these where a vector has at least 16 bytes, those in one/ for single lanes.
//
// Sections are printed for vectors of one register or less; functions of wide ones call them for each register (portable_prelude.cpp). So
// they are functions, not macros, and a parameter is `p` where it is the address of the first lane's element, `stride` where it is the
// distance of two lanes'. Further words:
//   INTRINSIC(f), SIGNED_INTRINSIC(f)  _mm256_<f>_ps, _mm_<f>_epu8 ... for a V(KIND); of integers always _epi<bits>
//   REGISTER(x)                        a V(KIND) as intrinsics take it
//   PREFIX(f), SI(f)                   _mm256_<f>, _mm256_<f>_si256
//   ONE(stem, k)                       the function of one lane      MATHS(f)    f of f64, ff of f32      COMPARISON(eq)  ==
//   IS_ON(m, l)                        whether lane l of a mask is on
// Masks: with AVX-512 the bits of an integer, else integers of 32 bits, all ones where a lane is on.

// Clang's back end minds neither pragma nor attribute under -ffast-math, which it tells, and -ffp-contract=fast, which it does not.

//! opening
#if defined __clang__
#if defined __FAST_MATH__
#error "Clang's -ffast-math would change the results of this file: compile it with -fno-fast-math -ffp-contract=off"
#endif
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wparentheses"
#pragma clang diagnostic ignored "-Wunknown-pragmas"
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#pragma clang diagnostic ignored "-Wself-assign"
#pragma clang diagnostic ignored "-Wtautological-compare"
#pragma clang diagnostic ignored "-Wunused-but-set-variable"
#pragma clang diagnostic ignored "-Wunused-parameter"
#pragma clang diagnostic ignored "-Wunused-variable"
#pragma clang fp contract(off)
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "wrapv", "no-math-errno", "no-unsafe-math-optimizations", "no-associative-math", "no-reciprocal-math", "no-finite-math-only", "signed-zeros", "no-strict-aliasing")
#pragma GCC optimize("schedule-insns", "sched-pressure", "no-sched-interblock", "no-gcse")  // so that values of long formulas stay in registers
#endif

//! target_generic
#define FG_TARGET

//! target_v2
#include <immintrin.h>
#define FG_X86 1
#define FG_SSSE3 1
#define FG_TARGET __attribute__((target("sse3,ssse3,sse4.1,sse4.2,popcnt")))

//! target_v3
#include <immintrin.h>
#define FG_X86 1
#define FG_SSSE3 1
#define FG_AVX2 1
#define FG_FMA 1
#define FG_TARGET __attribute__((target("avx,avx2,fma,bmi,bmi2,f16c,lzcnt,popcnt,movbe")))

//! target_v4
#include <immintrin.h>
#define FG_X86 1
#define FG_SSSE3 1
#define FG_AVX2 1
#define FG_FMA 1
#define FG_AVX512F 1
#define FG_AVX512VL 1
#define FG_AVX512DQ 1
#if defined __clang__
#define FG_TARGET __attribute__((target("avx,avx2,fma,bmi,bmi2,f16c,lzcnt,popcnt,movbe,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"), min_vector_width(512)))
#else
#define FG_TARGET __attribute__((target("avx,avx2,fma,bmi,bmi2,f16c,lzcnt,popcnt,movbe,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")))
#endif

//! types
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
#define FG_PHASE FG_TARGET static __attribute__((unused))
#define FG_INLINE FG_TARGET static inline __attribute__((always_inline, unused))
#define FG_OUT_OF_LINE FG_TARGET static __attribute__((noinline, cold, unused))
#define FG_BITS(type, value)                               \
  ({                                                       \
    const __typeof__(value) fg_from = (value);             \
    type fg_to;                                            \
    __builtin_memcpy(&fg_to, &fg_from, sizeof fg_to);      \
    fg_to;                                                 \
  })
#define FG_PASTE(a, b) a##b
#define FG_CAT(a, b) FG_PASTE(a, b)
#define FG_EACH_1(f) f(0)  // unrolled in the text: not every compiler does that
#define FG_EACH_2(f) FG_EACH_1(f) f(1)
#define FG_EACH_4(f) FG_EACH_2(f) f(2) f(3)
#define FG_EACH_8(f) FG_EACH_4(f) f(4) f(5) f(6) f(7)
#define FG_EACH_16(f) FG_EACH_8(f) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define FG_EACH_32(f) FG_EACH_16(f) f(16) f(17) f(18) f(19) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
#define FG_EACH_64(f) \
  FG_EACH_32(f) f(32) f(33) f(34) f(35) f(36) f(37) f(38) f(39) f(40) f(41) f(42) f(43) f(44) f(45) f(46) f(47) f(48) f(49) f(50) \
  f(51) f(52) f(53) f(54) f(55) f(56) f(57) f(58) f(59) f(60) f(61) f(62) f(63)
#define FG_EACH(n, f) FG_CAT(FG_EACH_, n)(f)

//! fg_touch
// A load that stays although nobody uses what it gives.
#define fg_touch(p) ((void)*(const volatile u8*)(p))
