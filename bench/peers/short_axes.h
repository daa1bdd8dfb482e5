// What points, pixels and quaternions in matrices of few columns are compared with: loops over the rows with
// OpenMP, whose inner loops have constant bounds, as a C++ programmer writes them.
#pragma once

#include <cstdint>

namespace bench {

/// `n` rows, the results, and one or two other arrays.
struct ShortRows {
  std::int64_t n;
  const float* from;
  const float* other;
  float* to;
};

/// Three columns: p becomes other p + p, with a matrix of 3 x 3.
void omp_move_points(const ShortRows&);
void omp_normalise_points(const ShortRows&);
/// from x other.
void omp_cross_products(const ShortRows&);
/// Steps of particles that are pulled to the origin; `other` are their velocities.
void omp_pull_particles(const ShortRows&, float step);
/// Sums of three columns, and their products with each other.
void omp_sum_columns(const ShortRows&);
void omp_column_products(const ShortRows&);
/// The sum of 1 / distance to all others, softened.
void omp_potentials(const ShortRows&);

/// Four columns.
void omp_quaternion_products(const ShortRows&);
void omp_sort_rows(const ShortRows&);

/// Rows of this many columns: std::sort of each row; Highway's vqsort of each; the middle elements, by
/// std::nth_element.
void omp_sort_each(const ShortRows&, std::int64_t columns);
void omp_vqsort_each(const ShortRows&, std::int64_t columns);
void omp_medians(const ShortRows&, std::int64_t columns);

}  // namespace bench
