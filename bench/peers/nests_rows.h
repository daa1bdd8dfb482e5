// What reductions of rows are compared with: loops that a C++ programmer writes with OpenMP for a length that
// he knows.
#pragma once

#include <cstdint>

namespace bench {

/// Rows of `columns` elements, one after the other.
struct Rows {
  std::int64_t rows, columns;
  const float* elements;
};

void omp_row_sums(const Rows&, float* sums);
/// The first index of the least element; no element is a NaN.
void omp_row_places(const Rows&, std::int64_t* places);
/// For each row the nearest of the centres, which have as many columns.
void omp_nearest(const Rows&, const Rows& centres, std::int64_t* places);

/// Reads all rows and writes a result of `result_bytes` bytes for each, as fast as two threads do: the limit.
void read_rows(const Rows&, std::int64_t result_bytes, void* results);

}  // namespace bench
