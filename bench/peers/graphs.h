// What graphs, sparse products, sorts and hulls are compared with: loops that a C++ programmer writes with
// OpenMP.
#pragma once

#include <cstdint>
#include <vector>

#include "irregular.h"

namespace bench {

struct Edge {
  int from, to;
};
/// The least vertex that edges connect with each vertex. By pointer jumping: in each round roots are hooked
/// to lesser ones, then every vertex finds its root (Shiloach and Vishkin 1982, as the GAP benchmark suite
/// does it).
void omp_components_by_jumping(const Edge* edges, std::int64_t n_edges, int n, int* roots);
/// Components in one pass over the edges: a union-find whose compare-and-swaps hook one root to the other.
void omp_components_by_swaps(const Edge* edges, std::int64_t n_edges, int n, int* roots);

/// How many triangles there are in a graph; `later` are the neighbours of each vertex that come after it, in
/// order.
std::int64_t omp_triangles(const RaggedRows<int>& later);

struct Road {
  int to, length;
};
/// The lengths of the shortest paths from a vertex, by delta stepping (Meyer, Sanders 2003) with a bucket of
/// each thread; the greatest int where there is no path.
void omp_shortest_paths(const RaggedRows<Road>& roads, int from, int delta, int* lengths);

struct Sparse {
  std::int64_t rows, columns;
  const std::int64_t* offsets;
  const int* column;
  const double* value;
};
/// The product, rows in order of columns (Gustavson 1978): each thread adds a row up in a dense one.
void omp_sparse_product(const Sparse& a, const Sparse& b, std::vector<std::int64_t>& offsets,
                        std::vector<int>& columns, std::vector<double>& values);

/// The sums of the elements of each row up to each of them.
void omp_row_scans(const RaggedRows<float>& rows, float* sums);

/// In order: tasks for the halves, std::sort for what is short.
void omp_quicksort(int* xs, std::int64_t n);
/// Quicksort of one array that is divided in each round, with flags where its segments begin: what
/// Accelerate's quicksort does, in loops.
void omp_flat_quicksort(int* xs, std::int64_t n);

struct Point {
  double x, y;
};
/// The corners of the convex hull, counterclockwise from the leftmost point, of which the lowest. Points lie
/// on integers below 2^20, so that nothing is rounded.
void omp_quickhull(const Point* points, std::int64_t n, std::vector<Point>& hull);

}  // namespace bench
