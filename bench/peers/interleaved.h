// What programs whose points read by quotients and remainders of their index by small constants, and windows
// that are a few elements apart, are compared with: loops that a C++ programmer writes with OpenMP.
#pragma once

#include <cstdint>

namespace bench {

/// to = x[0], y[0], x[1], y[1] ...; n elements of each.
void omp_interleaved(std::int64_t n, const float* x, const float* y, float* to);
/// A step of the inverse Haar transform: to = sums and differences of x[i] and y[i], side by side.
void omp_haar(std::int64_t n, const float* x, const float* y, float* to);
/// to = each of n elements three times.
void omp_repeated(std::int64_t n, const float* x, float* to);
/// to = each pixel of a picture as a square of four.
void omp_enlarged(std::int64_t rows, std::int64_t columns, const float* from, float* to);
/// to = each two neighbours of a row, turned by an angle of their own.
void omp_rotated(std::int64_t rows, std::int64_t columns, const float* x, const float* cosines,
                 const float* sines, float* to);
/// to = the lower four bits and the upper four of each of n bytes.
void omp_nibbles(std::int64_t n, const std::uint8_t* x, std::uint8_t* to);
/// to = the eight bits of each of n bytes.
void omp_bits(std::int64_t n, const std::uint8_t* x, std::uint8_t* to);
/// to = four numbers of six bits for each three of n bytes, the first bits first.
void omp_sixes(std::int64_t n, const std::uint8_t* x, std::uint8_t* to);

/// to[i] = sum(weights[k] * x[3 * i + k]), of n results.
void omp_every_third(std::int64_t n, std::int64_t taps, const float* x, const float* weights, float* to);
/// to[i, j] = sum(weights[k, l] * x[2 * i + k, 2 * j + l]) of 3 x 3 weights; `columns` are those of x.
void omp_every_second(std::int64_t rows, std::int64_t columns, const float* x, const float* weights,
                      float* to);
/// to[i, j] = the largest of x[2 * i, 2 * j] and its neighbours to the right, below, and both.
void omp_largest_of_four(std::int64_t rows, std::int64_t columns, const float* x, float* to);

}  // namespace bench
