// What hand-written reductions and scans share: products of 2x2 matrices of bytes in lanes, and the transpose
// that gives each lane a contiguous run.
#pragma once

#include <immintrin.h>

#include "peers/expert.h"
#include "peers/functions.h"

namespace bench {

// 16 products of 2x2 byte matrices at once, with 16-bit multiplies
inline Ints multiply_lanes(Ints x, Ints y) {
  auto pat = [](int b) {
    return _mm512_broadcast_i32x4(
        _mm_setr_epi8(b, -1, b, -1, 4 + b, -1, 4 + b, -1, 8 + b, -1, 8 + b, -1, 12 + b, -1, 12 + b, -1));
  };
  Ints xh = _mm512_srli_epi16(x, 8);  // (a01, a11)
  Ints p1 = _mm512_mullo_epi16(x, _mm512_shuffle_epi8(y, pat(0))),
       p2 = _mm512_mullo_epi16(xh, _mm512_shuffle_epi8(y, pat(2)));
  Ints p3 = _mm512_mullo_epi16(x, _mm512_shuffle_epi8(y, pat(1))),
       p4 = _mm512_mullo_epi16(xh, _mm512_shuffle_epi8(y, pat(3)));
  Ints first = _mm512_add_epi16(p1, p2), last = _mm512_slli_epi16(_mm512_add_epi16(p3, p4), 8);
  return _mm512_or_si512(_mm512_and_si512(first, _mm512_set1_epi16(0x00FF)), last);
}
inline Ints multiply_neighbours(Ints v0, Ints v1) {  // 32 in order -> 16 products of neighbours, in order
  const Ints ev = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
             od = _mm512_add_epi32(ev, _mm512_set1_epi32(1));
  return multiply_lanes(_mm512_permutex2var_epi32(v0, ev, v1), _mm512_permutex2var_epi32(v0, od, v1));
}
inline std::uint32_t product(const std::int32_t* p, std::int64_t first, std::int64_t last, std::uint32_t s) {
  std::uint32_t r = identity_2x2;
  std::int64_t i = first;
  Ints vs = _mm512_set1_epi32(s), m1 = _mm512_set1_epi32(0xFFFFFEFF), m2 = _mm512_set1_epi32(0x01000001);
  // tree over blocks of 16 vectors; partial trees of 16-lane vectors are combined by a binary counter (order
  // kept)
  Ints st[48];
  int lev[48];
  int sp = 0;
  auto ld = [&](std::int64_t k) {
    return _mm512_or_si512(_mm512_and_si512(_mm512_add_epi32(_mm512_loadu_si512(p + k), vs), m1), m2);
  };
  for (; i + 256 <= last; i += 256) {
    Ints a[8];
    for (int k = 0; k < 8; k++) a[k] = multiply_neighbours(ld(i + 32 * k), ld(i + 32 * k + 16));
    for (int w = 4; w; w >>= 1)
      for (int k = 0; k < w; k++) a[k] = multiply_neighbours(a[2 * k], a[2 * k + 1]);
    st[sp] = a[0];
    lev[sp++] = 0;
    while (sp > 1 && lev[sp - 1] == lev[sp - 2]) {
      st[sp - 2] = multiply_neighbours(st[sp - 2], st[sp - 1]);
      lev[sp - 2]++;
      sp--;
    }
  }
  for (int k = 0; k < sp; k++) {
    std::uint32_t q[16];
    _mm512_storeu_si512(q, st[k]);
    for (int j = 0; j < 16; j++) r = multiply_2x2(r, q[j]);
  }
  for (; i < last; i++) r = multiply_2x2(r, lift_2x2(p[i], s));
  return r;
}

inline void transpose(Ints* r) {
  Ints t[16];
  for (int i = 0; i < 8; i++) {
    t[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
  }
  for (int i = 0; i < 4; i++) {
    r[4 * i] = _mm512_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
    r[4 * i + 1] = _mm512_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
    r[4 * i + 2] = _mm512_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
    r[4 * i + 3] = _mm512_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
  }
  for (int i = 0; i < 4; i++) {
    t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
  }
  for (int i = 0; i < 8; i++) {
    r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
  }
}

}  // namespace bench
