// Lanes that a mask keeps, moved together (rules: types.c).

//! count b1
//! needs mask_bits b1
FG_INLINE i64 FN(count, b1)(V(b1) m) { return __builtin_popcountll(FN(mask_bits, b1)(m)); }

//! quads_ b1
// Which lanes of four the masks 0 to 15 keep, in bytes of four-byte lanes, and as the halves of four eight-byte lanes.
#if defined __SSSE3__ && !defined FG_QUADS
#define FG_QUADS 1
static const u8 fg_quads[16][16] __attribute__((aligned(16), unused)) = {
  {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
  {4, 5, 6, 7, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 0, 1, 2, 3},
  {8, 9, 10, 11, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, {0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 0, 1, 2, 3},
  {4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3},
  {12, 13, 14, 15, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, {0, 1, 2, 3, 12, 13, 14, 15, 0, 1, 2, 3, 0, 1, 2, 3},
  {4, 5, 6, 7, 12, 13, 14, 15, 0, 1, 2, 3, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 0, 1, 2, 3},
  {8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 0, 1, 2, 3}, {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3},
  {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
static const u8 fg_halves[16][8] __attribute__((aligned(8), unused)) = {
  {0, 1, 0, 1, 0, 1, 0, 1}, {0, 1, 0, 1, 0, 1, 0, 1}, {2, 3, 0, 1, 0, 1, 0, 1}, {0, 1, 2, 3, 0, 1, 0, 1},
  {4, 5, 0, 1, 0, 1, 0, 1}, {0, 1, 4, 5, 0, 1, 0, 1}, {2, 3, 4, 5, 0, 1, 0, 1}, {0, 1, 2, 3, 4, 5, 0, 1},
  {6, 7, 0, 1, 0, 1, 0, 1}, {0, 1, 6, 7, 0, 1, 0, 1}, {2, 3, 6, 7, 0, 1, 0, 1}, {0, 1, 2, 3, 6, 7, 0, 1},
  {4, 5, 6, 7, 0, 1, 0, 1}, {0, 1, 4, 5, 6, 7, 0, 1}, {2, 3, 4, 5, 6, 7, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7}};
#endif

//! pack i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs mask_bits b1, part_names_ b1, quads_ b1, again parts_ KIND
// The lanes whose mask holds, in order and without gaps, to p; up to p[LANES - 1] anything may be written behind them. Each register is packed by itself and
// stored whole, the next one over what is too much: compressing and masked stores are slow on some processors.
FG_INLINE void FN(pack, KIND)(KIND* p, V(KIND) v, V(b1) m) {
#if LANES == 1
  (void)m;
  *p = v;
#elif FG_PART && defined __AVX512VL__ && (FG_BYTES >= 4 || defined __AVX512VBMI2__)
  u64 bits = FN(mask_bits, b1)(m);
  union { V(KIND) whole; FG_PART_TYPE part[FG_PART_COUNT]; } from = {v};
  typedef FG_PART_TYPE loose __attribute__((aligned(sizeof(KIND)), may_alias));
#define FG_STEP(i)                                                                      \
  {                                                                                     \
    u64 here = bits >> (i * FG_PART_LANES) & (~(u64)0 >> (64 - FG_PART_LANES));         \
    *(loose*)p = FG_BUILTIN(compress)(from.part[i], from.part[i], here);                \
    p += __builtin_popcountll(here);                                                    \
  }
  FG_EACH_PART(FG_STEP)
#undef FG_STEP
#elif FG_PART && defined __AVX512VL__ && LANES >= 16
  u64 bits = FN(mask_bits, b1)(m);
  union { V(KIND) whole; FG_VECTOR(KIND, 16) part[LANES / 16]; } from = {v};
  typedef FG_VECTOR(KIND, 16) loose __attribute__((aligned(sizeof(KIND)), may_alias));
  for (i32 i = 0; i < LANES / 16; ++i) {
    u64 here = bits >> (i * 16) & 0xffff;
    i32x16 wide = __builtin_convertvector(from.part[i], i32x16);
    *(loose*)p = __builtin_convertvector(__builtin_ia32_compresssi512_mask(wide, wide, here), FG_VECTOR(KIND, 16));
    p += __builtin_popcountll(here);
  }
#elif LANES >= 4 && FG_BYTES == 4 && defined __SSSE3__
  u64 bits = FN(mask_bits, b1)(m);
  union { V(KIND) whole; i8x16 part[LANES / 4]; } from = {v};
  typedef i8x16 loose __attribute__((aligned(sizeof(KIND)), may_alias));
#define FG_STEP(i)                                                                                                  \
  {                                                                                                                 \
    u64 here = bits >> (i * 4) & 15;                                                                                \
    *(loose*)p = __builtin_ia32_pshufb128(from.part[i], *(const i8x16*)fg_quads[here]);                             \
    p += __builtin_popcountll(here);                                                                                \
  }
  FG_CAT(FG_EACH_, FG_CAT(FG_FOURTH_, LANES))(FG_STEP)
#undef FG_STEP
#elif LANES >= 4 && FG_BYTES == 8 && defined __AVX2__
  u64 bits = FN(mask_bits, b1)(m);
  union { V(KIND) whole; i32x8 part[LANES / 4]; } from = {v};
  typedef i32x8 loose __attribute__((aligned(sizeof(KIND)), may_alias));
#define FG_STEP(i)                                                                                                  \
  {                                                                                                                 \
    u64 here = bits >> (i * 4) & 15;                                                                                \
    *(loose*)p = __builtin_ia32_permvarsi256(from.part[i], __builtin_convertvector(*(const u8x8*)fg_halves[here], i32x8)); \
    p += __builtin_popcountll(here);                                                                                \
  }
  FG_CAT(FG_EACH_, FG_CAT(FG_FOURTH_, LANES))(FG_STEP)
#undef FG_STEP
#else
  u64 bits = FN(mask_bits, b1)(m);
#define FG_STEP(l) *p = v[l], p += bits >> l & 1;
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#endif
}

//! pack b1
//! needs pack u8
FG_INLINE void FN(pack, b1)(u8* p, V(b1) v, V(b1) m) { FN(pack, u8)(p, MASK(u8, v) ? S(u8, 1) : S(u8, 0), m); }
