// What the program nests is compared with: loops that a C++ programmer writes with OpenMP.
#pragma once

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

/// Reads all elements once, as fast as two threads do: the limit.
void read_all(const Matrix<float>&);
void read_all(const Matrix<double>&);
void read_all(const Matrix<std::int32_t>&);

}  // namespace bench
