// What the program nests is compared with: loops that a C++ programmer writes with OpenMP.
#pragma once

#include <array>
#include <cstdint>

namespace bench {

/// Elements between the memory of two threads, so that they share no cache line.
constexpr std::int64_t between_threads = 64;

/// A matrix of `rows` rows of `columns` elements, and memory for 2 * (columns + between_threads) of them, of
/// which each of two threads has half.
template <class T>
struct Matrix {
  std::int64_t rows, columns;
  const T* elements;
  T* own;
};

// Results for each column.
void omp_sums(const Matrix<float>&, float* sums);
void omp_sums(const Matrix<double>&, double* sums);
void omp_maxima(const Matrix<std::int32_t>&, std::int32_t* most);
void omp_product(const Matrix<float>&, const float* weights, float* sums);
void omp_places(const Matrix<float>&, std::int64_t* own_places, std::int64_t* places);

// Running results for each column, a matrix: element [i, j] joins rows 0 to i of column j.
void omp_running_sums(const Matrix<float>&, float* sums);
void omp_running_sums(const Matrix<double>&, double* sums);
void omp_running_maxima(const Matrix<std::int32_t>&, std::int32_t* most);
/// Weighted sums (weight, value) of each column, an operator that does not commute: it goes from the row x to
/// the next one, (a, b), as (x.a * a, x.b * a + b). Row i has a = weights[i].
void omp_linear(const Matrix<float>&, const float* weights, float* values);

/// The matrix transposed, in tiles of 32 x 32.
void omp_transposed(const Matrix<float>&, float* to);
void omp_transposed(const Matrix<double>&, double* to);
/// The axes of x[a, b, c] in the order {2, 0, 1} and {2, 1, 0}, in tiles of 16 x 16 x 16.
void omp_last_axis_first(const float* x, const std::array<std::int64_t, 3>& shape, float* to);
void omp_axes_reversed(const float* x, const std::array<std::int64_t, 3>& shape, float* to);

/// Copies all elements with stores that bypass the caches: the limit of what makes a matrix of a matrix.
void copy_all(const Matrix<float>&, float* to);
void copy_all(const Matrix<double>&, double* to);
void copy_all(const Matrix<std::int32_t>&, std::int32_t* to);

/// Reads all elements once, as fast as two threads do: the limit.
void read_all(const Matrix<float>&);
void read_all(const Matrix<double>&);
void read_all(const Matrix<std::int32_t>&);

}  // namespace bench
