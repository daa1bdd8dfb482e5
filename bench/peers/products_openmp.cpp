// Products by hand: tiles of accumulators in registers, the right operand packed in panels, rows shared by
// two threads. The operators are the only difference.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "peers/products.h"

namespace bench {
namespace {

#ifdef __AVX512F__
constexpr int bytes = 64, vectors = 4;
#else
constexpr int bytes = 32, vectors = 2;
#endif
constexpr int rows_at_once = 6;
constexpr std::int64_t depth_at_once = 256, rows_of_task = 132;

template <class T>
struct Vector {
  typedef T type __attribute__((vector_size(bytes)));
  static constexpr std::int64_t lanes = bytes / static_cast<std::int64_t>(sizeof(T));
};

// Some rows of c, for one panel of b: columns as wide as all vectors together.
template <class T, class Op>
void tile(std::int64_t n_rows, std::int64_t depth, const T* a, std::int64_t stride, const T* panel, T* c,
          std::int64_t c_stride, std::int64_t width, bool is_first, const Op& op) {
  using V = typename Vector<T>::type;
  constexpr std::int64_t lanes = Vector<T>::lanes;
  V acc[rows_at_once][vectors];
  for (auto& row : acc)
    for (V& v : row) v = V{} + op.neutral;
  const T* row_of[rows_at_once];
  for (int r = 0; r < rows_at_once; ++r) row_of[r] = a + std::min<std::int64_t>(r, n_rows - 1) * stride;
  for (std::int64_t l = 0; l < depth; ++l) {
    V b[vectors];
    std::memcpy(b, panel + l * vectors * lanes, sizeof b);
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      const V x = V{} + row_of[r][l];
#pragma unroll
      for (int v = 0; v < vectors; ++v) acc[r][v] = op.join(acc[r][v], op.combine(x, b[v]));
    }
  }
  for (std::int64_t r = 0; r < n_rows; ++r) {
    T values[vectors * lanes];
    std::memcpy(values, acc[r], sizeof values);
    for (std::int64_t j = 0; j < width; ++j) {
      T& to = c[r * c_stride + j];
      to = is_first ? values[j] : op.join(to, values[j]);
    }
  }
}

template <class T, class Op>
void product(const ProductShape& s, const T* a, const T* b, T* c, bool is_transposed, const Op& op) {
  constexpr std::int64_t width = vectors * Vector<T>::lanes;
  const std::int64_t n_panels = (s.n + width - 1) / width;
  static std::vector<T> packed;
  packed.resize(static_cast<std::size_t>(n_panels * width * s.k));
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (std::int64_t p = 0; p < n_panels; ++p)
      for (std::int64_t l = 0; l < s.k; ++l)
        for (std::int64_t t = 0; t < width; ++t) {
          const std::int64_t j = std::min(p * width + t, s.n - 1);
          packed[static_cast<std::size_t>((p * s.k + l) * width + t)] =
              is_transposed ? b[j * s.k + l] : b[l * s.n + j];
        }
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t first = 0; first < s.m; first += rows_of_task)
      for (std::int64_t from = 0; from < s.k; from += depth_at_once) {
        const std::int64_t depth = std::min(depth_at_once, s.k - from);
        for (std::int64_t p = 0; p < n_panels; ++p)
          for (std::int64_t i = first; i < std::min(first + rows_of_task, s.m); i += rows_at_once)
            tile(std::min<std::int64_t>(rows_at_once, std::min(first + rows_of_task, s.m) - i), depth,
                 a + i * s.k + from, s.k, packed.data() + (p * s.k + from) * width, c + i * s.n + p * width,
                 s.n, std::min(width, s.n - p * width), from == 0, op);
      }
  }
}

template <class T>
struct SumOfProducts {
  T neutral = 0;
  template <class V>
  V combine(V x, V y) const {
    return x * y;
  }
  template <class V>
  V join(V x, V y) const {
    return x + y;
  }
};
struct SomePair {
  std::uint8_t neutral = 0;
  template <class V>
  V combine(V x, V y) const {
    return x & y;
  }
  template <class V>
  V join(V x, V y) const {
    return x | y;
  }
};
struct LeastSum {
  float neutral = std::numeric_limits<float>::infinity();
  template <class V>
  V combine(V x, V y) const {
    return x + y;
  }
  template <class V>
  V join(V x, V y) const {
    return x < y ? x : y;
  }
};
struct SumOfSquares {
  float neutral = 0;
  template <class V>
  V combine(V x, V y) const {
    return (x - y) * (x - y);
  }
  template <class V>
  V join(V x, V y) const {
    return x + y;
  }
};

}  // namespace

void hand_product(const ProductShape& s, const std::int32_t* a, const std::int32_t* b, std::int32_t* c) {
  product(s, a, b, c, false, SumOfProducts<std::int32_t>{});
}
void hand_product(const ProductShape& s, const std::int64_t* a, const std::int64_t* b, std::int64_t* c) {
  product(s, a, b, c, false, SumOfProducts<std::int64_t>{});
}
void hand_product(const ProductShape& s, const bool* a, const bool* b, bool* c) {
  product(s, reinterpret_cast<const std::uint8_t*>(a), reinterpret_cast<const std::uint8_t*>(b),
          reinterpret_cast<std::uint8_t*>(c), false, SomePair{});
}
void hand_distances(const ProductShape& s, const float* a, const float* b, float* c) {
  product(s, a, b, c, false, LeastSum{});
}
void hand_pairs(const ProductShape& s, const float* a, const float* b, float* c) {
  product(s, a, b, c, true, SumOfSquares{});
}

}  // namespace bench
