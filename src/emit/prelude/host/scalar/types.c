// The prelude of the host's part of emitted programs, in C and C++ (rules: ../../gpu/both/arithmetic.c): one value at a time, by the C
// library's functions.

//! types
typedef bool b1;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef float f32;
typedef double f64;
#undef FG_INLINE
#define FG_INLINE static inline

//! end
