// A sort by two threads: a pivot by sampling, an AVX-512 partition, and vqsort of both halves.
#pragma once

#include <hwy/contrib/sort/vqsort.h>
#include <immintrin.h>
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "peers/element_functions.h"

namespace bench {

// The vectors of each type of key: which are at most the pivot, and those of a mask, packed.
inline std::uint32_t at_most(__m512i v, std::int32_t pivot) {
  return _mm512_cmple_epi32_mask(v, _mm512_set1_epi32(pivot));
}
inline std::uint32_t at_most(__m512i v, std::int64_t pivot) {
  return _mm512_cmple_epi64_mask(v, _mm512_set1_epi64(pivot));
}
inline std::uint32_t at_most(__m512i v, std::uint64_t pivot) {
  return _mm512_cmple_epu64_mask(v, _mm512_set1_epi64(static_cast<std::int64_t>(pivot)));
}
inline std::uint32_t at_most(__m512i v, float pivot) {
  return _mm512_cmp_ps_mask(_mm512_castsi512_ps(v), _mm512_set1_ps(pivot), _CMP_LE_OQ);
}

template <class Key>
constexpr std::int64_t key_lanes = 64 / sizeof(Key);

template <class Key>
void store_packed(Key* out, std::uint32_t mask, int count, __m512i v) {
  if (sizeof(Key) == 4)
    _mm512_mask_storeu_epi32(out, (1u << count) - 1, _mm512_maskz_compress_epi32(mask, v));
  else
    _mm512_mask_storeu_epi64(out, (1u << count) - 1, _mm512_maskz_compress_epi64(mask, v));
}

template <class Key>
Key median_of_samples(const Key* keys, std::int64_t n) {
  std::vector<Key> samples;
  std::uint64_t state = 88172645463325252ull;
  for (int i = 0; i < 8191; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    samples.push_back(keys[state % n]);
  }
  std::nth_element(samples.begin(), samples.begin() + 4095, samples.end());
  return samples[4095];
}

template <class Key>
void sort_halves(Key* keys, std::int64_t n) {
  constexpr std::int64_t lanes = key_lanes<Key>;
  constexpr std::uint32_t every_lane = (1u << lanes) - 1;
  Key* parted = scratch<Key>(0, n + 64);
  const Key pivot = median_of_samples(keys, n);
  std::int64_t lows[2] = {0, 0};
#pragma omp parallel num_threads(2)
  {
    const int t = omp_get_thread_num();
    const std::int64_t first = n / 2 * t, last = t ? n : n / 2, whole = last - (last - first) % lanes;
    std::int64_t count = 0;
    for (std::int64_t i = first; i < whole; i += lanes)
      count += __builtin_popcount(at_most(_mm512_loadu_si512(keys + i), pivot));
    for (std::int64_t i = whole; i < last; i++) count += keys[i] <= pivot;
    lows[t] = count;
#pragma omp barrier
    const std::int64_t all_lows = lows[0] + lows[1];
    std::int64_t low = t ? lows[0] : 0, high = all_lows + (t ? n / 2 - lows[0] : 0);
    for (std::int64_t i = first; i < whole; i += lanes) {
      const __m512i v = _mm512_loadu_si512(keys + i);
      const std::uint32_t mask = at_most(v, pivot);
      const int k = __builtin_popcount(mask);
      store_packed(parted + low, mask, k, v);
      store_packed(parted + high, ~mask & every_lane, static_cast<int>(lanes) - k, v);
      low += k;
      high += lanes - k;
    }
    for (std::int64_t i = whole; i < last; i++) parted[keys[i] <= pivot ? low++ : high++] = keys[i];
#pragma omp barrier
    const std::int64_t begin = t ? all_lows : 0, end = t ? n : all_lows;
    std::memcpy(keys + begin, parted + begin, static_cast<std::size_t>(end - begin) * sizeof(Key));
    hwy::Sorter()(keys + begin, static_cast<std::size_t>(end - begin), hwy::SortAscending());
  }
}

// Pairs as integers, the key above and the payload, which is not negative, below: equal keys are in the
// order of their payloads.
inline void sort_pairs_packed(std::int32_t* keys, std::int32_t* payload, std::int64_t n) {
  std::uint64_t* pairs = scratch<std::uint64_t>(1, n + 64);
  constexpr std::uint32_t sign = 0x80000000u;
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < n; i++)
    pairs[i] = std::uint64_t{static_cast<std::uint32_t>(keys[i]) ^ sign} << 32 |
               static_cast<std::uint32_t>(payload[i]);
  sort_halves(pairs, n);
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < n; i++) {
    keys[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(pairs[i] >> 32) ^ sign);
    payload[i] = static_cast<std::int32_t>(pairs[i]);
  }
}

}  // namespace bench
