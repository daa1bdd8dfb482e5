// Programs of every kind of statement that ranks share, with arguments of any size.
#pragma once

#include <fulgurite/fulgurite.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "../../examples/fluid.h"
#include "programs.h"

namespace mpi_engine {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

// Maps, reductions, scans, filters.
inline Vec<float> scaled(Vec<float> x) {
  return 2.f * x + 1.f;
}
inline Exp<float> length(Vec<float> x) {
  return fg::sqrt(fg::sum(x * x));
}
inline Vec<float> running(Vec<float> x) {
  return fg::scan(fg::plus, 0.f, x);
}
inline Vec<float> large_ones(Vec<float> x) {
  return fg::filter([](Exp<float> a) { return a > 0.5f; }, x);
}
inline Exp<float> of_large_ones(Vec<float> x) {
  auto y = fg::filter([](Exp<float> a) { return a > 0.5f; }, x);
  return fg::sum(fg::sqrt(y));
}
inline Vec<float> backwards(Vec<float> x) {
  auto y = 2.f * x;
  return fg::reverse(y);
}
inline Vec<float> shifted(Vec<float> x) {
  return fg::iterate(
      3,
      [](Vec<float> v) {
        return fg::stencil([](auto w) { return w(-2) + w(1); }, fg::boundary::constant(1.f), v);
      },
      x);
}

// Stencils in loops.
inline Vec<float> jacobi_1d(Vec<float> x, Exp<int> steps) {
  return fg::iterate(
      steps,
      [](Vec<float> v) {
        return fg::stencil([](auto w) { return 0.25f * w(-1) + 0.5f * w(0) + 0.25f * w(1); },
                           fg::boundary::constant(0.f), v);
      },
      x);
}
inline Mat<float> jacobi_2d(Mat<float> x, Exp<int> steps) {
  return fg::iterate(
      steps,
      [](Mat<float> v) {
        return fg::stencil([](auto w) { return 0.2f * (w(0, -1) + w(0, 0) + w(0, 1) + w(-1, 0) + w(1, 0)); },
                           fg::boundary::clamp, v);
      },
      x);
}
inline Exp<float> until_small(Vec<float> x) {
  auto [v, change] = fg::while_loop([](Vec<float>, Exp<float> c) { return c > 0.125f; },
                                    [](Vec<float> w, Exp<float>) {
                                      auto next = 0.5f * w;
                                      return std::tuple{next, fg::sum(fg::abs(w - next))};
                                    },
                                    x, 1.f);
  return fg::sum(v);
}

// Matrices.
inline Mat<float> transposed(Mat<float> x) {
  return fg::transpose(fg::map([](Exp<float> a) { return a + 1.f; }, x));
}
inline Mat<float> product(Mat<float> a, Mat<float> b) {
  return fg::matmul(a, b);
}
inline auto small_products(fg::Acc<float, 3> a, fg::Acc<float, 3> b) {
  return fg::map([](Mat<float> x, Mat<float> y) { return fg::matmul(x, y); }, fg::slices(a), fg::slices(b));
}
inline Vec<float> row_sums(Mat<float> a) {
  return fg::sum(a, fg::axis(1));
}
inline Vec<float> column_sums(Mat<float> a) {
  return fg::sum(a, fg::axis(0));
}

// Indices that the data say.
inline Vec<int> counted(Vec<fg::i64> k) {
  return fg::histogram(fg::plus, 0, 100, k % fg::i64{100}, fg::replicate(k.size(), 1));
}
inline Vec<float> gathered(Vec<float> x, Vec<fg::i64> at) {
  auto y = 2.f * x;
  return fg::map([&](Exp<fg::i64> k) { return y[k]; }, at);
}
inline Vec<float> scattered(Vec<float> x, Vec<fg::i64> at) {
  return fg::scatter(0.f * x, at, x);
}
inline Vec<float> in_order(Vec<float> x) {
  return fg::sort(x);
}
inline Vec<float> rows_in_order(Vec<float> x) {
  return fg::sort(fg::segments(fg::flags(x > 0.5f), x)).values();
}
inline Vec<float> gathered_twice(Vec<float> x, Vec<fg::i64> at) {
  return fg::map([&](Exp<fg::i64> k) { return x[at[k]] + x[k]; }, at);
}
inline Vec<float> scattered_and_smoothed(Vec<float> x, Vec<fg::i64> at) {
  return jacobi_1d(fg::scatter(x, at, 2.f * x), 2);
}
inline Vec<int> counted_at(Vec<int> x, Vec<fg::i64> at) {
  return fg::permute(fg::plus, fg::replicate(x.size(), 1), [&](Exp<fg::i64> i) { return at[i]; }, x);
}
inline auto classes(Vec<int> x) {
  return fg::partition(5, [](Exp<int> v) { return (v + 300) % 5; }, x);
}
inline Vec<float> sparse_product(Vec<fg::i64> starts, Vec<fg::i64> column, Vec<float> value, Vec<float> x) {
  return fg::generate(starts.size() - 1, [&](Exp<fg::i64> row) {
    const auto begin = starts[row];
    return fg::sum(fg::generate(starts[row + 1] - begin,
                                [&](Exp<fg::i64> k) { return value[begin + k] * x[column[begin + k]]; }));
  });
}

constexpr int clusters = 4;
// The mean of each cluster is a sum over all points.
inline std::tuple<Vec<float>, Vec<float>> k_means(Vec<float> x, Vec<float> y, Vec<float> at_x,
                                                  Vec<float> at_y) {
  return fg::iterate(
      2,
      [&](Vec<float> cx, Vec<float> cy) {
        auto nearest = fg::map(
            [&](Exp<float> px, Exp<float> py) {
              auto next = [&](Exp<int> c, Exp<int> found, Exp<float> least) {
                auto d = (px - cx[c]) * (px - cx[c]) + (py - cy[c]) * (py - cy[c]);
                return std::tuple{c + 1, fg::select(d < least, c, found), fg::min(d, least)};
              };
              return std::get<1>(fg::iterate(clusters, next, 0, 0, 1e30f));
            },
            x, y);
        auto mean = [&](Vec<float> of) {
          return fg::map(
              [&](Exp<int> c) {
                auto in = fg::map([&](Exp<int> k) { return fg::select(k == c, 1.f, 0.f); }, nearest);
                return fg::sum(in * of) / fg::max(fg::sum(in), 1.f);
              },
              fg::iota<int>(clusters));
        };
        return std::tuple{mean(x), mean(y)};
      },
      at_x, at_y);
}

inline std::vector<float> floats(std::int64_t n, unsigned seed = 1) {
  std::vector<float> all;
  for (std::int64_t i = 0; i < n; ++i)
    all.push_back(static_cast<float>((i * 7919 + 31 * static_cast<std::int64_t>(seed)) % 1009) / 1009);
  return all;
}
// A permutation of 0 to n - 1 where n is no multiple of 7919; with places taken twice where `has_doubles`.
inline std::vector<std::int64_t> places(std::int64_t n, bool has_doubles = false) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back((has_doubles ? i / 3 : i) * 7919 % n);
  return all;
}
// Where rows of 0, 1, 2, .. and up to 4 elements begin, n in all.
inline std::vector<std::int64_t> row_starts(std::int64_t n) {
  std::vector<std::int64_t> all{0};
  for (std::int64_t row = 0; all.back() < n; ++row) all.push_back(std::min(all.back() + row % 5, n));
  return all;
}
inline fg::Array<float, 2> matrix(std::int64_t rows, std::int64_t columns, unsigned seed = 1) {
  return {floats(rows * columns, seed), {rows, columns}};
}

/// Calls f(name, program, arguments..) for each of them, of about n elements.
template <class F>
void for_each_program(std::int64_t n, const F& f) {
  const fg::Array<float> x(floats(n)), y(floats(n, 5));
  const fg::Array<std::int64_t> at(places(n)), twice(places(n, true));
  std::vector<int> integers;
  for (const float v : floats(n, 3)) integers.push_back(static_cast<int>(v * 1000) - 300);
  const fg::Array<int> k(integers);
  f("scaled", scaled, x);
  f("dot", bench::sdot, x, y);
  f("length", length, x);
  f("running sums", running, x);
  f("filter", large_ones, x);
  f("filter and sum", of_large_ones, x);
  f("reverse", backwards, x);
  f("shifts in a loop", shifted, x);
  f("Jacobi in one dimension", jacobi_1d, x, 4);
  f("until small", until_small, x);
  const std::int64_t side = n < 100 ? n : n / 10;
  const fg::Array<float, 2> a = matrix(side, 13), b = matrix(13, side, 4);
  f("Jacobi in two dimensions", jacobi_2d, a, 3);
  f("Jacobi along rows", jacobi_2d, b, 3);
  f("transpose", transposed, matrix(side, 4));  // tasks of 4 rows
  f("transpose of a square", transposed, matrix(side, side));
  f("product", product, matrix(3 * side, 13), b);  // tasks of 8 or 12 rows
  f("large product", product, matrix(side, 100), matrix(100, side, 5));
  f("products of small matrices", small_products, fg::Array<float, 3>(floats(side * 15), {side, 5, 3}),
    fg::Array<float, 3>(floats(side * 18, 2), {side, 3, 6}));
  f("sums of rows", row_sums, a);
  f("sums of columns", column_sums, a);
  f("histogram", counted, at);
  f("gather", gathered, x, at);
  if (n > 0) f("scatter", scattered, x, at);
  if (n > 0) f("scatter with doubles", scattered, x, twice);
  f("sort", in_order, x);
  f("sort of rows", rows_in_order, x);
  f("gather of a gather", gathered_twice, x, at);
  if (n > 0) f("scatter and stencil", scattered_and_smoothed, x, at);
  if (n > 0) f("permute", counted_at, k, twice);
  f("classes", classes, k);
  f("sparse product", sparse_product, fg::Array<std::int64_t>(row_starts(n)), at, y, x);
  f("rmse", bench::rmse, x, y);
  if (n > 0) f("differences", bench::forward_difference, x);
  if (n > 0) f("index of the greatest", bench::index_of_max_packed, k);
  f("product of matrices", bench::reduce_2x2, k);
  f("integer scan", bench::scan_plus, k);
  f("scan of matrices", bench::scan_2x2, k);
  f("even ones", bench::filter_even, k);
  f("sorted integers", bench::sorted, k);
  f("n-body", bench::n_body, x, y, x, y);
}

/// Calls f with the name and the arguments of each larger program.
template <class F>
void for_each_application(std::int64_t n, const F& f) {
  const fg::Array<float> x(floats(n)), y(floats(n, 5)), z(floats(n, 6)), few(floats(clusters, 7));
  const std::int64_t rows = n / 10;
  const fg::Array<float, 2> a = matrix(rows, 16), b = matrix(rows, 16, 4);
  f("Black-Scholes", bench::black_scholes_map, x, y, z);
  f("k-means", k_means, x, y, few, few);
  f("fluid", fluid::fluid_step, 0.1f, 0.001f, 0.001f, a, b, b, b, a, a);
  // On few ranks, blocks travel in several portions.
  f("transpose of a large square", transposed, matrix(1200, 1200));
}

}  // namespace mpi_engine
