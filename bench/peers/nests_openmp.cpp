// Reductions along axis 0 with OpenMP: each of two threads takes rows, and has what it reduced of each
// column. Scans along axis 0: each of them takes half of the columns and goes down all rows.
#include <omp.h>

#include <algorithm>
#include <limits>

#include "peers/nests.h"

namespace bench {
namespace {

// own[j] = op(own[j], row i, column j), then both threads' joined.
template <class T, class Op, class Join>
void reduce(const Matrix<T>& m, T neutral, T* results, const Op& op, const Join& join) {
  const std::int64_t columns = m.columns;
#pragma omp parallel num_threads(2)
  {
    T* own = m.own + omp_get_thread_num() * (columns + between_threads);
    for (std::int64_t j = 0; j < columns; ++j) own[j] = neutral;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < m.rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) own[j] = op(own[j], i, m.elements[i * columns + j]);
  }
  for (std::int64_t j = 0; j < columns; ++j)
    results[j] = join(m.own[j], m.own[columns + between_threads + j]);
}

template <class T>
void sums_of(const Matrix<T>& m, T* sums) {
  reduce(m, T(0), sums, [](T sum, std::int64_t, T x) { return sum + x; }, [](T a, T b) { return a + b; });
}

// to[i, j] = op(to[i - 1, j], i, m[i, j])
template <class T, class Op>
void scan(const Matrix<T>& m, T* to, const Op& op) {
  const std::int64_t columns = m.columns, half = (columns + 1) / 2;
#pragma omp parallel num_threads(2)
  {
    const std::int64_t begin = omp_get_thread_num() * half, end = std::min(columns, begin + half);
    for (std::int64_t j = begin; j < end && m.rows > 0; ++j) to[j] = m.elements[j];
    for (std::int64_t i = 1; i < m.rows; ++i)
      for (std::int64_t j = begin; j < end; ++j)
        to[i * columns + j] = op(to[(i - 1) * columns + j], i, m.elements[i * columns + j]);
  }
}

template <class T>
void transpose(const Matrix<T>& m, T* to) {
  constexpr std::int64_t tile = 32;
#pragma omp parallel for collapse(2) num_threads(2)
  for (std::int64_t from_j = 0; from_j < m.columns; from_j += tile)
    for (std::int64_t from_i = 0; from_i < m.rows; from_i += tile)
      for (std::int64_t j = from_j; j < std::min(m.columns, from_j + tile); ++j)
        for (std::int64_t i = from_i; i < std::min(m.rows, from_i + tile); ++i)
          to[j * m.rows + i] = m.elements[i * m.columns + j];
}

// to[i, j, k] = x[i * apart[0] + j * apart[1] + k * apart[2]]
void permute(const float* x, const std::array<std::int64_t, 3>& extent,
             const std::array<std::int64_t, 3>& apart, float* to) {
  constexpr std::int64_t tile = 16;
  const auto end = [&](std::int64_t from, std::size_t axis) { return std::min(extent[axis], from + tile); };
#pragma omp parallel for collapse(2) num_threads(2)
  for (std::int64_t from_i = 0; from_i < extent[0]; from_i += tile)
    for (std::int64_t from_j = 0; from_j < extent[1]; from_j += tile)
      for (std::int64_t from_k = 0; from_k < extent[2]; from_k += tile)
        for (std::int64_t i = from_i; i < end(from_i, 0); ++i)
          for (std::int64_t j = from_j; j < end(from_j, 1); ++j)
            for (std::int64_t k = from_k; k < end(from_k, 2); ++k)
              to[(i * extent[1] + j) * extent[2] + k] = x[i * apart[0] + j * apart[1] + k * apart[2]];
}

template <class T>
void copy(const Matrix<T>& m, T* to) {
  const std::int64_t n = m.rows * m.columns;
  const T* elements = m.elements;
#pragma omp parallel for simd nontemporal(to) schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < n; ++i) to[i] = elements[i];
}

template <class T>
void read(const Matrix<T>& m) {
  const std::int64_t n = m.rows * m.columns;
  const T* elements = m.elements;
  T sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static) num_threads(2)
  for (std::int64_t i = 0; i < n; ++i) sum += elements[i];
  m.own[0] = sum;
}

}  // namespace

void omp_sums(const Matrix<float>& m, float* sums) {
  sums_of(m, sums);
}
void omp_sums(const Matrix<double>& m, double* sums) {
  sums_of(m, sums);
}
void omp_maxima(const Matrix<std::int32_t>& m, std::int32_t* most) {
  const auto larger = [](std::int32_t a, std::int32_t b) { return std::max(a, b); };
  reduce(
      m, std::numeric_limits<std::int32_t>::min(), most,
      [&](std::int32_t so_far, std::int64_t, std::int32_t x) { return larger(so_far, x); }, larger);
}
void omp_product(const Matrix<float>& m, const float* weights, float* sums) {
  reduce(
      m, 0.f, sums, [&](float sum, std::int64_t i, float x) { return sum + weights[i] * x; },
      [](float a, float b) { return a + b; });
}

void omp_places(const Matrix<float>& m, std::int64_t* own_places, std::int64_t* places) {
  const std::int64_t columns = m.columns;
#pragma omp parallel num_threads(2)
  {
    float* most = m.own + omp_get_thread_num() * (columns + between_threads);
    std::int64_t* at = own_places + omp_get_thread_num() * (columns + between_threads);
    for (std::int64_t j = 0; j < columns; ++j) most[j] = std::numeric_limits<float>::lowest(), at[j] = 0;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < m.rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        const float x = m.elements[i * columns + j];
        const bool is_larger = x > most[j];
        most[j] = is_larger ? x : most[j];
        at[j] = is_larger ? i : at[j];
      }
  }
  const std::int64_t other = columns + between_threads;
  for (std::int64_t j = 0; j < columns; ++j)
    places[j] = m.own[other + j] > m.own[j] ? own_places[other + j] : own_places[j];
}

void omp_running_sums(const Matrix<float>& m, float* sums) {
  scan(m, sums, [](float sum, std::int64_t, float x) { return sum + x; });
}
void omp_running_sums(const Matrix<double>& m, double* sums) {
  scan(m, sums, [](double sum, std::int64_t, double x) { return sum + x; });
}
void omp_running_maxima(const Matrix<std::int32_t>& m, std::int32_t* most) {
  scan(m, most, [](std::int32_t so_far, std::int64_t, std::int32_t x) { return std::max(so_far, x); });
}
void omp_linear(const Matrix<float>& m, const float* weights, float* values) {
  scan(m, values, [&](float so_far, std::int64_t i, float x) { return so_far * weights[i] + x; });
}

void omp_transposed(const Matrix<float>& m, float* to) {
  transpose(m, to);
}
void omp_transposed(const Matrix<double>& m, double* to) {
  transpose(m, to);
}
void omp_last_axis_first(const float* x, const std::array<std::int64_t, 3>& shape, float* to) {
  const auto [a, b, c] = shape;
  permute(x, {c, a, b}, {1, b * c, c}, to);
}
void omp_axes_reversed(const float* x, const std::array<std::int64_t, 3>& shape, float* to) {
  const auto [a, b, c] = shape;
  permute(x, {c, b, a}, {1, c, b * c}, to);
}

void copy_all(const Matrix<float>& m, float* to) {
  copy(m, to);
}
void copy_all(const Matrix<double>& m, double* to) {
  copy(m, to);
}
void copy_all(const Matrix<std::int32_t>& m, std::int32_t* to) {
  copy(m, to);
}

void read_all(const Matrix<float>& m) {
  read(m);
}
void read_all(const Matrix<double>& m) {
  read(m);
}
void read_all(const Matrix<std::int32_t>& m) {
  read(m);
}

}  // namespace bench
