// What the program products is compared with: OpenBLAS, and kernels with tiles written by hand.
#pragma once

#include <cstdint>

namespace bench {

/// c = a b, row-major: a of m rows and k columns, b of k rows and n columns.
struct ProductShape {
  std::int64_t m, n, k;
};

/// With OpenBLAS by two threads; `is_transposed`: b has n rows and k columns.
bool has_blas();
void blas_product(const ProductShape&, const float* a, const float* b, float* c, bool is_transposed);
void blas_product(const ProductShape&, const double* a, const double* b, double* c, bool is_transposed);

/// By hand, by two threads: sums of products of integers, those of 8 and 16 bits in 32 bits; minima of sums.
void hand_product(const ProductShape&, const std::int32_t* a, const std::int32_t* b, std::int32_t* c);
void hand_product(const ProductShape&, const std::int64_t* a, const std::int64_t* b, std::int64_t* c);
void hand_product(const ProductShape&, const std::uint8_t* a, const std::int8_t* b, std::int32_t* c);
void hand_product(const ProductShape&, const std::int8_t* a, const std::int8_t* b, std::int32_t* c);
void hand_product(const ProductShape&, const std::int16_t* a, const std::int16_t* b, std::int32_t* c);
/// Which rows of a and columns of b have a common one.
void hand_product(const ProductShape&, const bool* a, const bool* b, bool* c);
void hand_distances(const ProductShape&, const float* a, const float* b, float* c);
/// Sums of squared differences of rows of a and rows of b, which has n rows and k columns.
void hand_pairs(const ProductShape&, const float* a, const float* b, float* c);

}  // namespace bench
