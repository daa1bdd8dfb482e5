// What the windows by slices, and the reads at places that data choose, are compared with: loops that a C++
// programmer writes with OpenMP, without any check.
#pragma once

#include <cstdint>

namespace bench {

/// Windows of `width` elements, of each of `rows` rows of `columns`; there are columns - width + 1 a row.
struct Sliding {
  std::int64_t rows, columns, width;
  const float* from;
  float* to;
};
void omp_sliding_sums(const Sliding&);
void omp_sliding_maxima(const Sliding&);
/// The sums of the products of the windows with `width` weights.
void omp_filter(const Sliding&, const float* weights);

/// The largest of each 2 x 2 block of planes of rows of columns.
struct Planes {
  std::int64_t planes, rows, columns;
  const float* from;
  float* to;
};
void omp_max_pool(const Planes&);

/// Means of `members` rows of a table of `columns`, for each of `bags` bags.
struct Bags {
  std::int64_t bags, members, columns;
  const int* ids;
  const float* table;
  float* to;
};
void omp_means_of_bags(const Bags&);

}  // namespace bench
