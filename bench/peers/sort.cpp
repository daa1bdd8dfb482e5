// "vqsort-1t": Highway's vqsort on one thread. "omp-expert": a pivot by sampling, an AVX-512 partition and
// vqsort on two threads.
#include <hwy/contrib/sort/vqsort.h>
#include <immintrin.h>
#include <omp.h>

#include <cstring>
#include <vector>

#include "harness/data.h"
#include "peers/element_functions.h"

namespace bench {
namespace {

void sort_halves(Data& d) {
  const std::int64_t n = d.n;
  std::int32_t* tmp = scratch<std::int32_t>(0, n + 64);
  std::int32_t* p = d.out_ints;
  std::vector<std::int32_t> s;
  std::uint64_t r = 88172645463325252ull;
  for (int i = 0; i < 8191; i++) {
    r ^= r << 13;
    r ^= r >> 7;
    r ^= r << 17;
    s.push_back(p[r % n]);
  }
  std::nth_element(s.begin(), s.begin() + 4095, s.end());
  const std::int32_t pv = s[4095];
  std::int64_t lows[2] = {0, 0};
#pragma omp parallel num_threads(2)
  {
    int t = omp_get_thread_num();
    std::int64_t first = n / 2 * t, last = t ? n : n / 2, c = 0;
    __m512i v = _mm512_set1_epi32(pv);
    for (std::int64_t i = first; i + 16 <= last; i += 16)
      c += __builtin_popcount(_mm512_cmple_epi32_mask(_mm512_loadu_si512(p + i), v));
    for (std::int64_t i = last - (last - first) % 16; i < last; i++) c += p[i] <= pv;
    lows[t] = c;
#pragma omp barrier
    std::int64_t L = lows[0] + lows[1], a = t ? lows[0] : 0, b = L + (t ? n / 2 - lows[0] : 0);
    std::int64_t i = first;
    for (; i + 16 <= last; i += 16) {
      __m512i x = _mm512_loadu_si512(p + i);
      __mmask16 m = _mm512_cmple_epi32_mask(x, v);
      int k = __builtin_popcount(m);
      _mm512_mask_storeu_epi32(tmp + a, (1u << k) - 1, _mm512_maskz_compress_epi32(m, x));
      _mm512_mask_storeu_epi32(tmp + b, (1u << (16 - k)) - 1, _mm512_maskz_compress_epi32(~m, x));
      a += k;
      b += 16 - k;
    }
    for (; i < last; i++) {
      if (p[i] <= pv)
        tmp[a++] = p[i];
      else
        tmp[b++] = p[i];
    }
#pragma omp barrier
    std::int64_t l = t ? L : 0, h = t ? n : L;
    std::memcpy(p + l, tmp + l, (h - l) * 4);
    hwy::Sorter()(p + l, (size_t)(h - l), hwy::SortAscending());
  }
}

}  // namespace

void add_sort_peers(Peers& peers) {
  peers.add("Sort", "vqsort-1t",
            [](Data& d) { hwy::Sorter()(d.out_ints, static_cast<std::size_t>(d.n), hwy::SortAscending()); });
  peers.add("Sort", "omp-expert", sort_halves);
}

}  // namespace bench
