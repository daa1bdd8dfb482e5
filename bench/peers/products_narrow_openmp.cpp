// Products of small integers by hand: both operands packed in pairs of 16 bits, which one instruction
// multiplies and adds (pmaddwd), in a tile of accumulators in registers, rows shared by two threads.
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "peers/products.h"

namespace bench {
namespace {

constexpr int rows_at_once = 6;
constexpr std::int64_t depth_at_once = 512, rows_of_task = 132;

#ifdef __AVX512BW__
constexpr int vectors = 4;
using V = __m512i;
V pairs(V a, V b) {
  return _mm512_madd_epi16(a, b);
}
V sum(V a, V b) {
  return _mm512_add_epi32(a, b);
}
V splat(std::int32_t x) {
  return _mm512_set1_epi32(x);
}
#else
constexpr int vectors = 2;
using V = __m256i;
V pairs(V a, V b) {
  return _mm256_madd_epi16(a, b);
}
V sum(V a, V b) {
  return _mm256_add_epi32(a, b);
}
V splat(std::int32_t x) {
  return _mm256_set1_epi32(x);
}
#endif
constexpr std::int64_t width = vectors * static_cast<std::int64_t>(sizeof(V) / 4);

std::int32_t pair(std::int32_t low, std::int32_t high) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(low) & 0xffff) |
                                   static_cast<std::uint32_t>(high) << 16);
}

// Some rows of c, for one panel of b: columns as wide as all vectors together.
void tile(std::int64_t n_rows, std::int64_t n_pairs, const std::int32_t* a, std::int64_t stride,
          const std::int32_t* panel, std::int32_t* c, std::int64_t c_stride, std::int64_t n_columns,
          bool is_first) {
  V acc[rows_at_once][vectors] = {};
  const std::int32_t* row_of[rows_at_once];
  for (int r = 0; r < rows_at_once; ++r) row_of[r] = a + std::min<std::int64_t>(r, n_rows - 1) * stride;
  for (std::int64_t l = 0; l < n_pairs; ++l) {
    V b[vectors];
    std::memcpy(b, panel + l * width, sizeof b);
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      const V x = splat(row_of[r][l]);
#pragma unroll
      for (int v = 0; v < vectors; ++v) acc[r][v] = sum(acc[r][v], pairs(x, b[v]));
    }
  }
  for (std::int64_t r = 0; r < n_rows; ++r) {
    std::int32_t values[width];
    std::memcpy(values, acc[r], sizeof values);
    std::int32_t* const to = c + r * c_stride;
    for (std::int64_t j = 0; j < n_columns; ++j) to[j] = is_first ? values[j] : to[j] + values[j];
  }
}

template <class A, class B>
void product(const ProductShape& s, const A* a, const B* b, std::int32_t* c) {
  const std::int64_t n_panels = (s.n + width - 1) / width, k_pairs = (s.k + 1) / 2;
  static std::vector<std::int32_t> packed;
  packed.resize(static_cast<std::size_t>(n_panels * width * k_pairs));
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (std::int64_t p = 0; p < n_panels; ++p)
      for (std::int64_t l = 0; l < k_pairs; ++l) {
        std::int32_t* const to = packed.data() + (p * k_pairs + l) * width;
        const B *low = b + 2 * l * s.n + p * width, *high = low + s.n;
        const std::int64_t n_columns = std::min(width, s.n - p * width);
        if (2 * l + 1 < s.k && n_columns == width)
          for (std::int64_t t = 0; t < width; ++t) to[t] = pair(low[t], high[t]);
        else
          for (std::int64_t t = 0; t < width; ++t)
            to[t] = t < n_columns ? pair(low[t], 2 * l + 1 < s.k ? high[t] : B(0)) : 0;
      }
    std::vector<std::int32_t> rows(static_cast<std::size_t>(rows_of_task * depth_at_once / 2));
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t first = 0; first < s.m; first += rows_of_task)
      for (std::int64_t from = 0; from < s.k; from += depth_at_once) {
        const std::int64_t depth = std::min(depth_at_once, s.k - from),
                           end = std::min(first + rows_of_task, s.m);
        for (std::int64_t i = first; i < end; ++i) {
          std::int32_t* const to = rows.data() + (i - first) * (depth_at_once / 2);
          const A* const x = a + i * s.k + from;
          for (std::int64_t l = 0; l < depth / 2; ++l) to[l] = pair(x[2 * l], x[2 * l + 1]);
          if (depth % 2 != 0) to[depth / 2] = pair(x[depth - 1], 0);
        }
        for (std::int64_t p = 0; p < n_panels; ++p)
          for (std::int64_t i = first; i < end; i += rows_at_once)
            tile(std::min<std::int64_t>(rows_at_once, end - i), (depth + 1) / 2,
                 rows.data() + (i - first) * (depth_at_once / 2), depth_at_once / 2,
                 packed.data() + (p * k_pairs + from / 2) * width, c + i * s.n + p * width, s.n,
                 std::min(width, s.n - p * width), from == 0);
      }
  }
}

}  // namespace

void hand_product(const ProductShape& s, const std::uint8_t* a, const std::int8_t* b, std::int32_t* c) {
  product(s, a, b, c);
}
void hand_product(const ProductShape& s, const std::int8_t* a, const std::int8_t* b, std::int32_t* c) {
  product(s, a, b, c);
}
void hand_product(const ProductShape& s, const std::int16_t* a, const std::int16_t* b, std::int32_t* c) {
  product(s, a, b, c);
}

}  // namespace bench
