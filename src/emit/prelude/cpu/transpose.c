// Runs of memory, one a lane, in step (rules: types.c). Pieces of at most 16 bytes, one of each run, are put side by side as they are
// read; then vectors are interleaved so often that it would bring each back to its place, which makes rows of columns (Eklundh, "A
// fast computer method for matrix transposing", 1972). Each of these is one instruction, of a kind that few units execute: to read whole
// registers of each run would take more of them, which bring the pieces to their places.

//! runs_ b1
#ifndef FG_RUN
#define FG_LIST_2(f) f(0), f(1)
#define FG_LIST_4(f) FG_LIST_2(f), f(2), f(3)
#define FG_LIST_8(f) FG_LIST_4(f), f(4), f(5), f(6), f(7)
#define FG_LIST_16(f) FG_LIST_8(f), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)
#define FG_LIST_32(f) \
  FG_LIST_16(f), f(16), f(17), f(18), f(19), f(20), f(21), f(22), f(23), f(24), f(25), f(26), f(27), f(28), f(29), f(30), f(31)
#define FG_LIST_64(f) \
  FG_LIST_32(f), f(32), f(33), f(34), f(35), f(36), f(37), f(38), f(39), f(40), f(41), f(42), f(43), f(44), f(45), f(46), f(47), \
    f(48), f(49), f(50), f(51), f(52), f(53), f(54), f(55), f(56), f(57), f(58), f(59), f(60), f(61), f(62), f(63)
#define FG_LIST(n, f) FG_CAT(FG_LIST_, n)(f)
// In multiples of four and a rest, which addresses add up: for multiples of every number there are not registers enough.
#define FG_RUN(l) p + l / 4 * (4 * stride) + l % 4 * stride
#endif

//! transpose_2 transpose_4 transpose_8 transpose_16 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs store KIND, runs_ b1
// tile[s * pitch + l] = p[s + l * stride] for s < WHAT <= LANES
#undef FG_LANE
#define FG_LANE(l) (l) / WHAT * WHAT + (l) % WHAT / 2 + (l) % 2 * LANES
FG_INLINE V(KIND) FN(JOIN(low_, WHAT), KIND)(V(KIND) a, V(KIND) b) { return __builtin_shufflevector(a, b, FG_LIST(LANES, FG_LANE)); }
#undef FG_LANE
#define FG_LANE(l) (l) / WHAT * WHAT + (l) % WHAT / 2 + (l) % 2 * LANES + WHAT / 2
FG_INLINE V(KIND) FN(JOIN(high_, WHAT), KIND)(V(KIND) a, V(KIND) b) { return __builtin_shufflevector(a, b, FG_LIST(LANES, FG_LANE)); }
FG_INLINE void FN(STEM, KIND)(KIND* tile, const KIND* p, i64 stride, i64 pitch) {
  typedef JOIN(JOIN(KIND, x), WHAT) piece __attribute__((aligned(sizeof(KIND)), may_alias));
  V(KIND) a[WHAT], b[WHAT];
#define FG_STEP(l) ((piece*)&a[l % WHAT])[l / WHAT] = *(const piece*)(FG_RUN(l));
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#define FG_STEP(s) \
  b[s] = s % 2 ? FN(JOIN(high_, WHAT), KIND)(a[s / 2], a[s / 2 + WHAT / 2]) : FN(JOIN(low_, WHAT), KIND)(a[s / 2], a[s / 2 + WHAT / 2]);
#define FG_BACK(s) a[s] = b[s];
#define FG_STAGE FG_EACH(WHAT, FG_STEP) FG_EACH(WHAT, FG_BACK)
  FG_STAGE
#if WHAT > 2
  FG_STAGE
#endif
#if WHAT > 4
  FG_STAGE
#endif
#if WHAT > 8
  FG_STAGE
#endif
#undef FG_STAGE
#undef FG_BACK
#undef FG_STEP
#define FG_STEP(s) FN(store, KIND)(tile + s * pitch, a[s]);
  FG_EACH(WHAT, FG_STEP)
#undef FG_STEP
}

//! fetch_runs i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs runs_ b1
// What is `ahead` elements behind the first of each run is fetched into the second level of cache, what comes `next` into the first.
FG_INLINE void FN(fetch_runs, KIND)(const KIND* p, i64 stride, i64 next, i64 ahead) {
#define FG_STEP(l)                             \
  __builtin_prefetch(FG_RUN(l) + ahead, 0, 2); \
  __builtin_prefetch(FG_RUN(l) + next, 0, 3);
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
}
