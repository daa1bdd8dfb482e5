// Runs of memory, one a lane, in step, as in ../../cpu/transpose.c: pieces become a register by instructions, since GCC puts them side by
// side in memory, where a load of all waits for the stores of each.

//! transpose_4 i32 u32 f32
//! needs runs_ b1
FG_INLINE void FN(STEM, KIND)(KIND* tile, const KIND* p, i64 stride, i64 pitch) {
#define FG_PIECE(l) _mm_loadu_si128((const __m128i*)(const void*)(FG_RUN((l))))
#if LANES == 16
#define FG_ROW(s)                                                                                                            \
  _mm512_inserti32x4(_mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi128_si512(FG_PIECE(s)), FG_PIECE(s + 4), 1), FG_PIECE(s + 8), 2), \
                     FG_PIECE(s + 12), 3)
#endif
#if LANES == 8
#define FG_ROW(s) _mm256_inserti128_si256(_mm256_castsi128_si256(FG_PIECE(s)), FG_PIECE(s + 4), 1)
#endif
#if LANES == 4
#define FG_ROW(s) FG_PIECE(s)
#endif
  const REGISTER_OF(i32) a = FG_ROW(0), b = FG_ROW(1), c = FG_ROW(2), d = FG_ROW(3);
#undef FG_ROW
#undef FG_PIECE
  const REGISTER_OF(i32) low = PREFIX(unpacklo_epi32)(a, b), high = PREFIX(unpackhi_epi32)(a, b);
  const REGISTER_OF(i32) low2 = PREFIX(unpacklo_epi32)(c, d), high2 = PREFIX(unpackhi_epi32)(c, d);
  SI(storeu)((void*)(tile), PREFIX(unpacklo_epi64)(low, low2));
  SI(storeu)((void*)(tile + pitch), PREFIX(unpackhi_epi64)(low, low2));
  SI(storeu)((void*)(tile + 2 * pitch), PREFIX(unpacklo_epi64)(high, high2));
  SI(storeu)((void*)(tile + 3 * pitch), PREFIX(unpackhi_epi64)(high, high2));
}
