// What the stencils and convolutions of the program nests are compared with: loops that a C++ programmer
// writes with OpenMP.
#pragma once

#include <cstdint>

namespace bench {

/// A field of planes of rows of columns, and where a step of a stencil writes; one plane is a matrix.
struct Field {
  std::int64_t planes, rows, columns;
  const float* from;
  float* to;
};

/// The mean of four neighbours, of points of the border the point itself.
void omp_jacobi(const Field&);
/// The mean of four neighbours, the nearest point of the field for those outside.
void omp_jacobi_clamped(const Field&);
/// The mean of four neighbours; only the interior is written, as a matrix of its own.
void omp_jacobi_interior(const Field&);
/// The mean of six neighbours and twice the point itself; of points of the border the point itself.
void omp_seven_points(const Field&);
/// omp_seven_points(), with the nearest point of the field for neighbours outside.
void omp_seven_points_clamped(const Field&);

/// A convolution of `to`, of planes times rows times columns points, with depth times height times width
/// weights; `from` has depth - 1, height - 1 and width - 1 more on its axes.
struct Convolution {
  std::int64_t rows, columns, height, width;
  const float *from, *weights;
  float* to;
  std::int64_t planes = 1, depth = 1;
};
/// Blocks of outputs stay in registers while the loops over the weights run.
void omp_convolution(const Convolution&);
/// A convolution along one row with five constant weights: 1, 4, 6, 4, 1 sixteenths.
void omp_binomial(const Convolution&);
/// from = to, as fast as two threads copy.
void omp_copy(const float* from, float* to, std::int64_t n);

}  // namespace bench
