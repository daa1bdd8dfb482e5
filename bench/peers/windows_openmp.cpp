// Stencils and convolutions with OpenMP on two threads.
#include "peers/windows.h"

#include <algorithm>

namespace bench {
namespace {

using Vector [[gnu::vector_size(32)]] = float;
using AnyPlace [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;
constexpr std::int64_t vectors = 8, lanes = 8, block = vectors * lanes;

// sum(h, k, l) weight * element, for outputs of row i of all planes from column j on; `add(weight, elements)`
// takes the next ones.
template <class Add>
void for_weights(const Convolution& c, std::int64_t i, std::int64_t j, const Add& add) {
  const std::int64_t columns = c.columns + c.width - 1, rows = c.rows + c.height - 1;
  const float* first = c.from + (i / c.rows * rows + i % c.rows) * columns + j;
  const float* weight = c.weights;
  for (std::int64_t h = 0; h < c.depth; ++h)
    for (std::int64_t k = 0; k < c.height; ++k)
      for (std::int64_t l = 0; l < c.width; ++l) add(*weight++, first + (h * rows + k) * columns + l);
}
void whole_block(const Convolution& c, std::int64_t i, std::int64_t j) {
  Vector sums[vectors] = {};
  for_weights(c, i, j, [&](float weight, const float* from) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v)
      sums[v] += weight * *reinterpret_cast<const AnyPlace*>(from + v * lanes);
  });
  float* to = c.to + i * c.columns + j;
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) *reinterpret_cast<AnyPlace*>(to + v * lanes) = sums[v];
}
void rest_of_row(const Convolution& c, std::int64_t i, std::int64_t j) {
  for (; j < c.columns; ++j) {
    float sum = 0;
    for_weights(c, i, j, [&](float weight, const float* from) { sum += weight * *from; });
    c.to[i * c.columns + j] = sum;
  }
}

}  // namespace

void omp_jacobi(const Field& f) {
  const std::int64_t rows = f.rows, columns = f.columns;
  const float* __restrict from = f.from;
  float* __restrict to = f.to;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* row = from + i * columns;
    float* out = to + i * columns;
    if (i == 0 || i == rows - 1) {
      for (std::int64_t j = 0; j < columns; ++j) out[j] = row[j];
      continue;
    }
    out[0] = row[0];
#pragma omp simd
    for (std::int64_t j = 1; j < columns - 1; ++j)
      out[j] = 0.25f * (row[j - columns] + row[j + columns] + row[j - 1] + row[j + 1]);
    out[columns - 1] = row[columns - 1];
  }
}

void omp_jacobi_clamped(const Field& f) {
  const std::int64_t rows = f.rows, columns = f.columns;
  const float* __restrict from = f.from;
  float* __restrict to = f.to;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* row = from + i * columns;
    const float* above = i > 0 ? row - columns : row;
    const float* below = i + 1 < rows ? row + columns : row;
    float* out = to + i * columns;
    const std::int64_t last = columns - 1;
    out[0] = 0.25f * (above[0] + below[0] + row[0] + row[1]);
#pragma omp simd
    for (std::int64_t j = 1; j < last; ++j) out[j] = 0.25f * (above[j] + below[j] + row[j - 1] + row[j + 1]);
    out[last] = 0.25f * (above[last] + below[last] + row[last - 1] + row[last]);
  }
}

void omp_jacobi_interior(const Field& f) {
  const std::int64_t rows = f.rows - 2, columns = f.columns;
  const float* __restrict from = f.from;
  float* __restrict to = f.to;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* row = from + (i + 1) * columns + 1;
    float* out = to + i * (columns - 2);
#pragma omp simd
    for (std::int64_t j = 0; j < columns - 2; ++j)
      out[j] = 0.25f * (row[j - columns] + row[j + columns] + row[j - 1] + row[j + 1]);
  }
}

void omp_seven_points(const Field& f) {
  const std::int64_t rows = f.rows, columns = f.columns, plane = rows * columns;
  const float* __restrict from = f.from;
  float* __restrict to = f.to;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t p = 0; p < f.planes; ++p)
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* row = from + p * plane + i * columns;
      float* out = to + p * plane + i * columns;
      if (p == 0 || p == f.planes - 1 || i == 0 || i == rows - 1) {
        for (std::int64_t j = 0; j < columns; ++j) out[j] = row[j];
        continue;
      }
      out[0] = row[0];
#pragma omp simd
      for (std::int64_t j = 1; j < columns - 1; ++j)
        out[j] = 0.125f * (row[j - plane] + row[j + plane] + row[j - columns] + row[j + columns] +
                           row[j - 1] + row[j + 1] + 2 * row[j]);
      out[columns - 1] = row[columns - 1];
    }
}

void omp_seven_points_clamped(const Field& f) {
  const std::int64_t rows = f.rows, columns = f.columns, plane = rows * columns, last = columns - 1;
  const float* __restrict from = f.from;
  float* __restrict to = f.to;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t p = 0; p < f.planes; ++p)
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* row = from + p * plane + i * columns;
      const float* front = p > 0 ? row - plane : row;
      const float* back = p + 1 < f.planes ? row + plane : row;
      const float* above = i > 0 ? row - columns : row;
      const float* below = i + 1 < rows ? row + columns : row;
      float* out = to + p * plane + i * columns;
      const auto at = [&](std::int64_t j, float left, float right) {
        out[j] = 0.125f * (front[j] + back[j] + above[j] + below[j] + left + right + 2 * row[j]);
      };
      at(0, row[0], row[1]);
#pragma omp simd
      for (std::int64_t j = 1; j < last; ++j)
        out[j] = 0.125f * (front[j] + back[j] + above[j] + below[j] + row[j - 1] + row[j + 1] + 2 * row[j]);
      at(last, row[last - 1], row[last]);
    }
}

void omp_convolution(const Convolution& c) {
  const std::int64_t whole = c.columns / block, blocks = (c.columns + block - 1) / block;
#pragma omp parallel for schedule(static) num_threads(2)
  for (std::int64_t b = 0; b < c.planes * c.rows * blocks; ++b) {
    const std::int64_t i = b / blocks, j = b % blocks;
    if (j < whole)
      whole_block(c, i, j * block);
    else
      rest_of_row(c, i, j * block);
  }
}

void omp_binomial(const Convolution& c) {
  const float* __restrict x = c.from;
  float* __restrict to = c.to;
#pragma omp parallel for simd schedule(static) num_threads(2)
  for (std::int64_t j = 0; j < c.columns; ++j)
    to[j] = 0.0625f * (x[j] + x[j + 4]) + 0.25f * (x[j + 1] + x[j + 3]) + 0.375f * x[j + 2];
}

void omp_copy(const float* from, float* to, std::int64_t n) {
#pragma omp parallel for simd schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

}  // namespace bench
