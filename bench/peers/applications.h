// What whole applications are compared with: loops that a C++ programmer writes with OpenMP, of two threads.
#pragma once

#include <cstdint>

#include "peers/nests_rows.h"

namespace bench {

/// exp(x[i, j]) / sum of a row's exp, less the row's maximum.
void omp_softmax(const Rows&, float* to);
/// Rows less their means, divided by their deviations, times gains, plus offsets.
void omp_layer_norm(const Rows&, const float* gains, const float* offsets, float* to);
/// softmax(q k^T / sqrt(columns)) v; `own` has room for 2 n columns + 2 * 6 * n elements. n and columns are
/// multiples of 16.
struct Attention {
  std::int64_t n, columns;
  const float *q, *k, *v;
};
void omp_attention(const Attention&, float* own, float* to);

/// The mean of products of columns less their means; columns are a multiple of 16. Half of it is computed,
/// the other half mirrored.
void omp_covariance(const Rows&, float* to);
/// Distances of all rows of `a` to all rows of `b`, whose number is a multiple of 16.
void omp_distances(const Rows& a, const Rows& b, float* to);
/// The 5 nearest of the points for each query, nearest first; the points' number is a multiple of 16.
void omp_nearest_five(const Rows& queries, const Rows& points, std::int64_t* places);
/// A step of the method of k means: for each centre, the mean of the points that it is nearest to.
void omp_means_of_nearest(const Rows& points, const Rows& centres, float* stepped);

struct Bodies {
  std::int64_t n;
  const float *x, *y, *z, *mass;
};
/// The acceleration of each body, softened.
void omp_accelerations(const Bodies&, float* x, float* y, float* z);

/// Factors L and U in one matrix, without pivots. `m` is read.
void omp_factors(std::int64_t n, const float* m, float* to);
/// The lengths of the shortest paths between all pairs of n nodes.
void omp_shortest_paths(std::int64_t n, const float* lengths, float* to);

/// So many steps of Jacobi's method, the border kept. `own` has as many elements.
void omp_jacobi_steps(std::int64_t rows, std::int64_t columns, int steps, const float* from, float* own,
                      float* to);
/// The border is kept. Sums of four neighbouring rows are shared by three columns.
void omp_points_27(std::int64_t n, const float* from, float* to);
/// The magnitude of Sobel's gradient of means of 3 x 3 points; beyond the edges is the nearest point.
void omp_edges(std::int64_t rows, std::int64_t columns, const float* from, float* to);
#ifdef BENCH_HALIDE
/// Sobel's gradient by Halide 14, scheduled by hand.
void halide_edges(std::int64_t rows, std::int64_t columns, const float* from, float* to);
#endif

}  // namespace bench
