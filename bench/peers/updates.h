// What rows that loops change element by element are compared with: loops that a C++ programmer writes with
// OpenMP, each row changed where it lies in the result.
#pragma once

#include <cstdint>

namespace bench {

/// Tridiagonal systems, one for each of `rows` rows of `n` unknowns: element i of `off` stands beside element
/// i of the diagonal, on both sides of it. `rest` has room for n floats for each of the two threads.
void omp_thomas(std::int64_t rows, std::int64_t n, const float* diagonal, const float* off,
                const float* right, float* rest, float* unknowns);

/// The step of a Brownian bridge that gives element `at` of a path from two others, or from its first one.
struct BridgeStep {
  std::int32_t at, left, right;
  float of_left, of_right, deviation;
};
/// Paths of n + 1 places, whose first is 0, of n normal numbers each.
void omp_bridges(std::int64_t paths, std::int64_t n, const BridgeStep* steps, const float* normal, float* to);

/// LU decompositions of n x n matrices, in place of copies of them.
void omp_lu(std::int64_t matrices, std::int64_t n, const float* from, float* to);

/// In copies of rows of n elements, `steps` elements are replaced, one after the other.
void omp_steps(std::int64_t rows, std::int64_t n, std::int64_t steps, const float* from, float* to);

/// Copies of rows of n elements, each sorted by insertion.
void omp_insertions(std::int64_t rows, std::int64_t n, const float* from, float* to);

}  // namespace bench
