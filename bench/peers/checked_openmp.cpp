// Windows, pools and means of chosen rows with OpenMP on two threads.
#include "peers/checked.h"

#include <algorithm>
#include <limits>

namespace bench {
namespace {

// out[j] = fold of add(out[j], row[j + k], k) over k: the columns are the inner loop, which has vectors.
template <class Add>
void fold_windows(const Sliding& s, float neutral, const Add& add) {
  constexpr std::int64_t block = 1024;
  const std::int64_t n = s.columns - s.width + 1, blocks = (n + block - 1) / block;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t task = 0; task < s.rows * blocks; ++task) {
    const std::int64_t first = task % blocks * block, columns = std::min(block, n - first);
    const float* __restrict row = s.from + task / blocks * s.columns + first;
    float* __restrict out = s.to + task / blocks * n + first;
    std::fill(out, out + columns, neutral);
    for (std::int64_t k = 0; k < s.width; ++k)
      for (std::int64_t j = 0; j < columns; ++j) out[j] = add(out[j], row[j + k], k);
  }
}

}  // namespace

void omp_sliding_sums(const Sliding& s) {
  fold_windows(s, 0, [](float sum, float x, std::int64_t) { return sum + x; });
}
void omp_sliding_maxima(const Sliding& s) {
  fold_windows(s, -std::numeric_limits<float>::infinity(),
               [](float most, float x, std::int64_t) { return most < x ? x : most; });
}
void omp_filter(const Sliding& s, const float* weights) {
  fold_windows(s, 0, [=](float sum, float x, std::int64_t k) { return sum + x * weights[k]; });
}

void omp_max_pool(const Planes& p) {
  const std::int64_t rows = p.rows / 2, columns = p.columns / 2;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < p.planes * rows; ++i) {
    const float* __restrict above = p.from + (i / rows * p.rows + i % rows * 2) * p.columns;
    const float* __restrict below = above + p.columns;
    float* __restrict out = p.to + i * columns;
    for (std::int64_t j = 0; j < columns; ++j) {
      const float a = std::max(above[2 * j], above[2 * j + 1]), b = std::max(below[2 * j], below[2 * j + 1]);
      out[j] = std::max(a, b);
    }
  }
}

void omp_means_of_bags(const Bags& b) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < b.bags; ++i) {
    float* __restrict out = b.to + i * b.columns;
    std::fill(out, out + b.columns, 0.f);
    for (std::int64_t k = 0; k < b.members; ++k) {
      const float* __restrict row = b.table + b.ids[i * b.members + k] * b.columns;
      for (std::int64_t j = 0; j < b.columns; ++j) out[j] += row[j];
    }
    for (std::int64_t j = 0; j < b.columns; ++j) out[j] /= static_cast<float>(b.members);
  }
}

}  // namespace bench
