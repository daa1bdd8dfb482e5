// What solvers and other step by step programs are compared with: loops that a C++ programmer writes with
// OpenMP, of two threads.
#pragma once

#include <cstdint>

namespace bench {

/// Scores of the best alignments of all pairs of beginnings of two sequences (Needleman and Wunsch):
/// (n + 1) x (n + 1) of them, whose first row and column are gaps. `similarity` has n x n elements.
void omp_alignment(std::int64_t n, const int* similarity, int penalty, int* scores);
/// The scores by diagonals, each after the two before it.
void omp_alignment_by_diagonals(std::int64_t n, const int* similarity, int penalty, int* scores);

/// How to place the `at`th of a path's dates between two known ones; 0 is the beginning.
struct Bridge {
  int at, left, right;
  float of_left, of_right, deviation;
};
/// Paths of some assets over some dates. Sobol's numbers have a dimension for each asset of each date, and
/// `directions` has 30 rows of dimensions; at date d an asset's price is
/// start * exp(drift * d + volatility * w), w being its Brownian motion.
struct Market {
  std::int64_t dates, assets;
  const int* directions;
  const Bridge* bridges;
  const float *drift, *volatility;
  float start, strike;
};
/// The sum over all paths of what a call on the mean of all prices pays.
double omp_option(const Market&, std::int64_t paths);

/// Grids of prices x and logarithms of volatilities y, and the second differences along both: those of a
/// place are coefficients for the place before it, for itself and for the place after it.
struct VolatilityGrid {
  std::int64_t nx, ny, steps;
  const float *x, *log_x, *y;
  const float* along_x[3];
  const float* along_y[3];
  float nu, years;
};
/// Steps back from what calls pay, for each a strike and an exponent; Crank and Nicolson's method with
/// alternating directions. Each result has ny x nx elements.
void omp_local_volatility(const VolatilityGrid&, std::int64_t options, const float* strikes,
                          const float* exponents, float* results);

/// Factors L and U in one matrix by blocks of 32 x 32, without pivots; n is a multiple of 32.
void omp_factors_in_blocks(std::int64_t n, const float* from, float* to);

/// Sweeps over the inner points of rows x columns, first those whose indices have an even sum, then the
/// others: each becomes the mean of its neighbours and of `right`.
void omp_gauss_seidel(std::int64_t rows, std::int64_t columns, int sweeps, const float* from,
                      const float* right, float* to);

/// Sorts by n rounds in which neighbours change places, those at even places and those at odd places in turn.
void omp_transposition_sort(std::int64_t n, const int* from, int* to);

/// Generations of the game of life, 64 cells a word, the lowest bit first, on a torus.
void omp_life(std::int64_t rows, std::int64_t words, int generations, const std::uint64_t* from,
              std::uint64_t* own, std::uint64_t* to);

/// Where van der Pol's oscillators stand that began at 2 and 0: Bogacki and Shampine's pair, each with steps
/// of its own.
void omp_oscillators(std::int64_t n, const double* damping, double end, double tolerance, double* places);

}  // namespace bench
