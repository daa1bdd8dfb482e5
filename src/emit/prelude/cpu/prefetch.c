// Hints of what will be read (rules: types.c).

//! fg_touch
// A load that stays although nobody uses what it gives.
#define fg_touch(p) ((void)*(const volatile u8*)(p))

//! prefetch i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
// LANES elements from p[i] on, or from p[end] on where that is before it, into the cache of this core.
FG_INLINE void FN(prefetch, KIND)(const KIND* p, i64 i, i64 end) {
  const char* at = (const char*)(p + (i < end ? i : end));
#define FG_STEP(line) \
  if (line * 64 < LANES * sizeof(KIND)) __builtin_prefetch(at + line * 64, 0, 2);
  FG_EACH_8(FG_STEP)
#undef FG_STEP
}

//! prefetch b1
//! needs prefetch u8
FG_INLINE void FN(prefetch, b1)(const u8* p, i64 i, i64 end) { FN(prefetch, u8)(p, i, end); }
