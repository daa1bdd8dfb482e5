// Runs of memory, one a lane, in step (rules: types.c). LANES elements of each of LANES runs are read as vectors and transposed in
// registers: first within pieces of 16 bytes, where interleaving vectors so often that it would bring each back to its place makes
// rows of columns (Eklundh, "A fast computer method for matrix transposing", 1972), then the pieces, by taking even and odd ones
// apart. Each of these is one instruction on a target whose registers hold the vector.

//! transpose i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs load KIND, store KIND, part_names_ b1
// tile[s * pitch + l] = p[s + l * stride]. What is `ahead` elements behind the first of each run is fetched into the second level of cache, what
// comes next into the first. Out of line: the text is long, and saving registers around the call is little beside what it moves.
#ifndef FG_LIST
#define FG_LIST_2(f) f(0), f(1)
#define FG_LIST_4(f) FG_LIST_2(f), f(2), f(3)
#define FG_LIST_8(f) FG_LIST_4(f), f(4), f(5), f(6), f(7)
#define FG_LIST_16(f) FG_LIST_8(f), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)
#define FG_LIST(n, f) FG_CAT(FG_LIST_, n)(f)
#endif
#undef FG_PIECE
#if LANES * FG_CAT(FG_BYTES_, KIND) < 16
#define FG_PIECE LANES
#else
#define FG_PIECE (16 / FG_CAT(FG_BYTES_, KIND))
#endif
#define FG_LANE(l) (l) / FG_PIECE * FG_PIECE + (l) % FG_PIECE / 2 + (l) % 2 * LANES
FG_INLINE V(KIND) FN(low_, KIND)(V(KIND) a, V(KIND) b) { return __builtin_shufflevector(a, b, FG_LIST(LANES, FG_LANE)); }
#undef FG_LANE
#define FG_LANE(l) (l) / FG_PIECE * FG_PIECE + (l) % FG_PIECE / 2 + (l) % 2 * LANES + FG_PIECE / 2
FG_INLINE V(KIND) FN(high_, KIND)(V(KIND) a, V(KIND) b) { return __builtin_shufflevector(a, b, FG_LIST(LANES, FG_LANE)); }
#undef FG_LANE
#if LANES > FG_PIECE
#define FG_LANE(l) (l) / (LANES / 2) * LANES + (l) % (LANES / 2) / FG_PIECE * 2 * FG_PIECE + (l) % FG_PIECE
FG_INLINE V(KIND) FN(even_, KIND)(V(KIND) a, V(KIND) b) { return __builtin_shufflevector(a, b, FG_LIST(LANES, FG_LANE)); }
#undef FG_LANE
#define FG_LANE(l) (l) / (LANES / 2) * LANES + (l) % (LANES / 2) / FG_PIECE * 2 * FG_PIECE + (l) % FG_PIECE + FG_PIECE
FG_INLINE V(KIND) FN(odd_, KIND)(V(KIND) a, V(KIND) b) { return __builtin_shufflevector(a, b, FG_LIST(LANES, FG_LANE)); }
#undef FG_LANE
#endif
static __attribute__((noinline, unused)) void FN(transpose, KIND)(KIND* tile, const KIND* p, i64 stride, i64 pitch, i64 ahead) {
  V(KIND) a[LANES], b[LANES];
#define FG_STEP(l)                                \
  __builtin_prefetch(p + l * stride + ahead, 0, 2); \
  __builtin_prefetch(p + l * stride + LANES, 0, 3); \
  a[l] = FN(load, KIND)(p + l * stride);
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#define FG_BACK(l) a[l] = b[l];
#define FG_FIRST(l) l / FG_PIECE * FG_PIECE + l % FG_PIECE / 2
#define FG_STEP(l) \
  b[l] = l % 2 ? FN(high_, KIND)(a[FG_FIRST(l)], a[FG_FIRST(l) + FG_PIECE / 2]) : FN(low_, KIND)(a[FG_FIRST(l)], a[FG_FIRST(l) + FG_PIECE / 2]);
#define FG_STAGE FG_EACH(LANES, FG_STEP) FG_EACH(LANES, FG_BACK)
  FG_STAGE
#if FG_PIECE > 2
  FG_STAGE
#endif
#if FG_PIECE > 4
  FG_STAGE
#endif
#if FG_PIECE > 8
  FG_STAGE
#endif
#undef FG_STEP
#undef FG_FIRST
#if LANES > FG_PIECE
#define FG_FIRST(l) l % (LANES / 2) / FG_PIECE * 2 * FG_PIECE + l % FG_PIECE
#define FG_STEP(l) \
  b[l] = l < LANES / 2 ? FN(even_, KIND)(a[FG_FIRST(l)], a[FG_FIRST(l) + FG_PIECE]) : FN(odd_, KIND)(a[FG_FIRST(l)], a[FG_FIRST(l) + FG_PIECE]);
  FG_STAGE
#if LANES > 2 * FG_PIECE
  FG_STAGE
#endif
#if LANES > 4 * FG_PIECE
  FG_STAGE
#endif
#undef FG_STEP
#undef FG_FIRST
#endif
#undef FG_STAGE
#undef FG_BACK
#define FG_STEP(s) FN(store, KIND)(tile + s * pitch, a[s]);
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
}
