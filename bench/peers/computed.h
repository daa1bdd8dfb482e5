// What programs with computed indices and loops over unchanged arrays are compared with: loops that a C++
// programmer writes with OpenMP, for sizes that are known when they run.
#pragma once

#include <cstdint>

namespace bench {

/// Complex numbers, as two arrays.
struct Complex {
  float *re, *im;
};
/// Fourier transform of n = 2^k numbers by Stockham's method: each step reads one of the two buffers and
/// writes the other one. `roots` has the n / 2 first roots of one. The result is in `from` if k is even.
void omp_fft(std::int64_t n, Complex from, Complex to, Complex roots);

/// A matrix of rows * columns elements in row-major order.
struct Flat {
  std::int64_t rows, columns;
  const float* from;
  float* to;
};
/// to = from * weights[column] + offsets[row]
void omp_flat_scale(const Flat&, const float* weights, const float* offsets);
/// The mean of nine neighbours, of the nearest point of the matrix for those outside.
void omp_flat_box(const Flat&);

/// A sparse matrix: row i has the elements starts[i] to below starts[i + 1].
struct Sparse {
  std::int64_t rows;
  const std::int64_t *starts, *columns;
  const float* values;
};
/// x = so many steps of conjugate gradients towards matrix * x = b, from 0 on. `own` has 3 * rows elements.
void omp_conjugate_gradients(const Sparse&, int steps, const float* b, float* own, float* x);

/// weights = so many steps of gradient descent of a logistic regression of labels 0 and 1 on the rows of
/// `points`. `own` has rows elements.
struct Labelled {
  std::int64_t rows, columns;
  const float *points, *labels;
};
void omp_logistic(const Labelled&, int steps, float rate, float* own, float* weights);
/// One step of a perceptron: weights + the sum of label * point over all points that are on the wrong side;
/// labels are -1 and 1.
void omp_perceptron(const Labelled&, const float* weights, float* stepped);

}  // namespace bench
