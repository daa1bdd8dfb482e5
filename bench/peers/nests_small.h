// What batches of small matrices are compared with: loops that a C++ programmer writes with OpenMP and
// vectors for extents that he knows. Matrices are row-major, one after the other.
#pragma once

#include <cstdint>

namespace bench {

/// c = a b, of n matrices each.
void omp_products_4(std::int64_t n, const float* a, const float* b, float* c);
void omp_products_8(std::int64_t n, const float* a, const float* b, float* c);
/// 17 x 31 times 31 x 17.
void omp_products_17(std::int64_t n, const float* a, const float* b, float* c);
/// The factors of 4 x 4 matrices without pivoting, both in one matrix.
void omp_factors_4(std::int64_t n, const float* a, float* lu);
/// x with l x = b, for lower triangular 4 x 4 matrices l.
void omp_solved_4(std::int64_t n, const float* l, const float* b, float* x);

/// Reads so many elements and writes so many others, as fast as two threads do: the limit.
void read_and_write(std::int64_t n_read, const float* from, std::int64_t n_written, float* to);

}  // namespace bench
