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

//! octets_ b1
// Which lanes of eight the masks 0 to 255 keep: four bits for each.
#if defined __AVX2__ && !defined __AVX512VL__ && !defined FG_OCTETS
#define FG_OCTETS 1
static const u32 fg_octets[256] __attribute__((aligned(64), unused)) = {
  0x00000000, 0x00000000, 0x00000001, 0x00000010, 0x00000002, 0x00000020, 0x00000021, 0x00000210, 0x00000003, 0x00000030, 0x00000031, 0x00000310,
  0x00000032, 0x00000320, 0x00000321, 0x00003210, 0x00000004, 0x00000040, 0x00000041, 0x00000410, 0x00000042, 0x00000420, 0x00000421, 0x00004210,
  0x00000043, 0x00000430, 0x00000431, 0x00004310, 0x00000432, 0x00004320, 0x00004321, 0x00043210, 0x00000005, 0x00000050, 0x00000051, 0x00000510,
  0x00000052, 0x00000520, 0x00000521, 0x00005210, 0x00000053, 0x00000530, 0x00000531, 0x00005310, 0x00000532, 0x00005320, 0x00005321, 0x00053210,
  0x00000054, 0x00000540, 0x00000541, 0x00005410, 0x00000542, 0x00005420, 0x00005421, 0x00054210, 0x00000543, 0x00005430, 0x00005431, 0x00054310,
  0x00005432, 0x00054320, 0x00054321, 0x00543210, 0x00000006, 0x00000060, 0x00000061, 0x00000610, 0x00000062, 0x00000620, 0x00000621, 0x00006210,
  0x00000063, 0x00000630, 0x00000631, 0x00006310, 0x00000632, 0x00006320, 0x00006321, 0x00063210, 0x00000064, 0x00000640, 0x00000641, 0x00006410,
  0x00000642, 0x00006420, 0x00006421, 0x00064210, 0x00000643, 0x00006430, 0x00006431, 0x00064310, 0x00006432, 0x00064320, 0x00064321, 0x00643210,
  0x00000065, 0x00000650, 0x00000651, 0x00006510, 0x00000652, 0x00006520, 0x00006521, 0x00065210, 0x00000653, 0x00006530, 0x00006531, 0x00065310,
  0x00006532, 0x00065320, 0x00065321, 0x00653210, 0x00000654, 0x00006540, 0x00006541, 0x00065410, 0x00006542, 0x00065420, 0x00065421, 0x00654210,
  0x00006543, 0x00065430, 0x00065431, 0x00654310, 0x00065432, 0x00654320, 0x00654321, 0x06543210, 0x00000007, 0x00000070, 0x00000071, 0x00000710,
  0x00000072, 0x00000720, 0x00000721, 0x00007210, 0x00000073, 0x00000730, 0x00000731, 0x00007310, 0x00000732, 0x00007320, 0x00007321, 0x00073210,
  0x00000074, 0x00000740, 0x00000741, 0x00007410, 0x00000742, 0x00007420, 0x00007421, 0x00074210, 0x00000743, 0x00007430, 0x00007431, 0x00074310,
  0x00007432, 0x00074320, 0x00074321, 0x00743210, 0x00000075, 0x00000750, 0x00000751, 0x00007510, 0x00000752, 0x00007520, 0x00007521, 0x00075210,
  0x00000753, 0x00007530, 0x00007531, 0x00075310, 0x00007532, 0x00075320, 0x00075321, 0x00753210, 0x00000754, 0x00007540, 0x00007541, 0x00075410,
  0x00007542, 0x00075420, 0x00075421, 0x00754210, 0x00007543, 0x00075430, 0x00075431, 0x00754310, 0x00075432, 0x00754320, 0x00754321, 0x07543210,
  0x00000076, 0x00000760, 0x00000761, 0x00007610, 0x00000762, 0x00007620, 0x00007621, 0x00076210, 0x00000763, 0x00007630, 0x00007631, 0x00076310,
  0x00007632, 0x00076320, 0x00076321, 0x00763210, 0x00000764, 0x00007640, 0x00007641, 0x00076410, 0x00007642, 0x00076420, 0x00076421, 0x00764210,
  0x00007643, 0x00076430, 0x00076431, 0x00764310, 0x00076432, 0x00764320, 0x00764321, 0x07643210, 0x00000765, 0x00007650, 0x00007651, 0x00076510,
  0x00007652, 0x00076520, 0x00076521, 0x00765210, 0x00007653, 0x00076530, 0x00076531, 0x00765310, 0x00076532, 0x00765320, 0x00765321, 0x07653210,
  0x00007654, 0x00076540, 0x00076541, 0x00765410, 0x00076542, 0x00765420, 0x00765421, 0x07654210, 0x00076543, 0x00765430, 0x00765431, 0x07654310,
  0x00765432, 0x07654320, 0x07654321, 0x76543210};
#endif

//! pack i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
//! needs mask_bits b1, part_names_ b1, quads_ b1, octets_ b1, shares_ b1, again parts_ KIND
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
#elif (LANES >= 8 && FG_BYTES == 4 && defined __AVX2__) || (LANES >= 4 && FG_BYTES == 4 && defined __SSSE3__) || \
    (LANES >= 4 && FG_BYTES == 8 && defined __AVX2__)
#if LANES >= 8 && FG_BYTES == 4 && defined __AVX2__
#define FG_SHARE 8
#define FG_SHARE_TYPE i32x8
  const u32x8 nibble = {0, 4, 8, 12, 16, 20, 24, 28};
#define FG_PACKED(share, here) __builtin_ia32_permvarsi256(share, (i32x8)((u32x8)fg_octets[here] >> nibble))
#elif FG_BYTES == 4
#define FG_SHARE 4
#define FG_SHARE_TYPE i8x16
#define FG_PACKED(share, here) __builtin_ia32_pshufb128(share, *(const i8x16*)fg_quads[here])
#else
#define FG_SHARE 4
#define FG_SHARE_TYPE i32x8
#define FG_PACKED(share, here) __builtin_ia32_permvarsi256(share, __builtin_convertvector(*(const u8x8*)fg_halves[here], i32x8))
#endif
  u64 bits = FN(mask_bits, b1)(m);
  union { V(KIND) whole; FG_SHARE_TYPE share[LANES / FG_SHARE]; } from = {v};
  typedef FG_SHARE_TYPE loose __attribute__((aligned(sizeof(KIND)), may_alias));
#define FG_STEP(i)                                                \
  {                                                               \
    u64 here = bits >> (i * FG_SHARE) & ((1u << FG_SHARE) - 1);   \
    *(loose*)p = FG_PACKED(from.share[i], here);                  \
    p += __builtin_popcountll(here);                              \
  }
  FG_CAT(FG_EACH_, FG_SHARES(LANES, FG_SHARE))(FG_STEP)
#undef FG_STEP
#undef FG_PACKED
#undef FG_SHARE_TYPE
#undef FG_SHARE
#else
  u64 bits = FN(mask_bits, b1)(m);
#define FG_STEP(l) *p = v[l], p += bits >> l & 1;
  FG_EACH(LANES, FG_STEP)
#undef FG_STEP
#endif
}

//! pack b1
//! needs pack u8
FG_INLINE void FN(pack, b1)(u8* p, V(b1) v, V(b1) m) { FN(pack, u8)(p, CHOOSE(u8, MASK(u8, v), S(u8, 1), S(u8, 0)), m); }
