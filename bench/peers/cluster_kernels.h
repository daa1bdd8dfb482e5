// What one rank of cluster_mpi.cpp does between messages, with AVX2 where the processor has it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "cluster_data.h"

namespace bench::cluster {

// At lines of the cache.
template <class T>
struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <class U>
  Aligned(const Aligned<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(std::aligned_alloc(64, (n * sizeof(T) + 63) / 64 * 64));
  }
  void deallocate(T* values, std::size_t) { std::free(values); }
  bool operator==(const Aligned&) const { return true; }
};
using Floats = std::vector<float, Aligned<float>>;

#ifdef __AVX2__
inline bool is_aligned(const float* at) {
  return reinterpret_cast<std::uintptr_t>(at) % sizeof(__m256) == 0;
}
#endif

inline float dot_here(const float* x, const float* y, std::size_t n) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

inline void saxpy_here(const float* __restrict x, const float* __restrict y, float* __restrict z,
                       std::size_t n) {
  std::size_t whole = 0;
#ifdef __AVX2__
  whole = n / 8 * 8;
  const __m256 factor = _mm256_set1_ps(saxpy_factor);
#pragma omp parallel for
  for (std::size_t i = 0; i < whole; i += 8)
    _mm256_stream_ps(z + i, _mm256_fmadd_ps(factor, _mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
#endif
  for (std::size_t i = whole; i < n; ++i) z[i] = saxpy_factor * x[i] + y[i];
}

// Inclusive sums of n elements, begun with `sum`.
inline void scan_here(const float* x, float* z, std::size_t n, float sum) {
  std::size_t i = 0;
#ifdef __AVX2__
  __m256 carry = _mm256_set1_ps(sum);
  const __m256i last = _mm256_set1_epi32(7);
  for (; i + 8 <= n; i += 8) {
    __m256 v = _mm256_loadu_ps(x + i);
    v = _mm256_add_ps(v, _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(v), 4)));
    v = _mm256_add_ps(v, _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(v), 8)));
    // The total of the lower half joins the upper one.
    const __m256 lower = _mm256_permute2f128_ps(v, v, 0x08);
    v = _mm256_add_ps(v, _mm256_shuffle_ps(lower, lower, 0xff));
    const __m256 sums = _mm256_add_ps(v, carry);
    _mm256_stream_ps(z + i, sums);
    carry = _mm256_add_ps(carry, _mm256_permutevar8x32_ps(v, last));
  }
  sum = _mm256_cvtss_f32(carry);
#endif
  for (; i < n; ++i) z[i] = sum += x[i];
}

inline float sum_here(const float* x, std::size_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

#ifdef __AVX2__
// For each mask of 8 elements, which of them come first.
inline std::array<std::array<std::int32_t, 8>, 256> make_orders() {
  std::array<std::array<std::int32_t, 8>, 256> orders{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::size_t place = 0;
    for (int bit = 0; bit < 8; ++bit)
      if ((mask >> bit & 1) != 0) orders[mask][place++] = bit;
  }
  return orders;
}
inline const auto orders = make_orders();
#endif

// `kept` has room for 8 elements more.
inline std::size_t filter_here(const Floats& x, float* kept) {
  std::size_t n = 0, i = 0;
#ifdef __AVX2__
  const __m256 limit = _mm256_set1_ps(filter_limit);
  for (; i + 8 <= x.size(); i += 8) {
    const __m256 v = _mm256_loadu_ps(x.data() + i);
    const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(v, limit, _CMP_GT_OQ)));
    const __m256i order = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(orders[mask].data()));
    _mm256_storeu_ps(kept + n, _mm256_permutevar8x32_ps(v, order));
    n += static_cast<std::size_t>(__builtin_popcount(mask));
  }
#endif
  for (; i < x.size(); ++i) {
    kept[n] = x[i];
    n += x[i] > filter_limit ? 1 : 0;
  }
  return n;
}

constexpr std::int64_t tile = 16;  // elements of a line of the cache

#ifdef __AVX2__
// to[j][i] = from[i][j] of 8 rows and columns in tiles.
inline void transpose_8(const float* from, float* to) {
  __m256 r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm256_load_ps(from + i * tile);
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_store_ps(to + i * tile, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_store_ps(to + (i + 4) * tile, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}
#endif

inline void transpose_tile(const float* from, float* to) {
#ifdef __AVX2__
  for (int i = 0; i < tile; i += 8)
    for (int j = 0; j < tile; j += 8) transpose_8(from + i * tile + j, to + j * tile + i);
#else
  for (int j = 0; j < tile; ++j)
    for (int i = 0; i < tile; ++i) to[j * tile + i] = from[i * tile + j];
#endif
}

// Past the cache where that can be done, which then does not read the line first.
inline void write_line(const float* line, float* to) {
#ifdef __AVX2__
  if (is_aligned(to)) {
    _mm256_stream_ps(to, _mm256_load_ps(line));
    _mm256_stream_ps(to + 8, _mm256_load_ps(line + 8));
    return;
  }
#endif
  std::memcpy(to, line, sizeof(float) * tile);
}

// to[j][i] = from[i][j]. Rows of the grid lie a power of two apart, in the same set of the nearest cache, so
// that a tile passes by a buffer, and each of its lines is read and written once, as a whole.
inline void transpose_here(const float* from, std::int64_t pitch, std::int64_t rows, std::int64_t columns,
                           float* to, std::int64_t pitch_of_result) {
  alignas(64) float in[tile * tile], out[tile * tile];
  const std::int64_t whole_rows = rows / tile * tile, whole_columns = columns / tile * tile;
  for (std::int64_t i0 = 0; i0 < whole_rows; i0 += tile)
    for (std::int64_t j0 = 0; j0 < whole_columns; j0 += tile) {
      for (std::int64_t i = 0; i < tile; ++i)
        std::memcpy(in + i * tile, from + (i0 + i) * pitch + j0, sizeof(float) * tile);
      transpose_tile(in, out);
      for (std::int64_t j = 0; j < tile; ++j)
        write_line(out + j * tile, to + (j0 + j) * pitch_of_result + i0);
    }
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = j < whole_columns ? whole_rows : 0; i < rows; ++i)
      to[j * pitch_of_result + i] = from[i * pitch + j];
}

}  // namespace bench::cluster
