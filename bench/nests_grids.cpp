#include "applications.h"
#include "nests_applications.h"
#include "peers/applications.h"
#include "solvers.h"
#include "windows.h"

namespace bench {
namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;
using Index = Exp<fg::i64>;
using Cube = fg::Acc<float, 3>;

// Only what changes: the block after the pivot, and the column below it.
Mat<float> updated_factors(Mat<float> m) {
  const auto n = m.size(0);
  return fg::iterate(
      n - 1,
      [&](Index k, Mat<float> u) {
        const fg::Range rest{k + 1, n}, pivot{k, k + 1};
        const Mat<float> scaled = u.slice(rest, pivot) / u(k, k);
        const Mat<float> block = u.slice(rest, rest) - fg::outer(fg::flatten(scaled), u[k].slice(k + 1, n));
        return fg::with(fg::with(u, {rest, rest}, block), {rest, pivot}, scaled);
      },
      m);
}

Mat<float> shortest_paths(Mat<float> lengths) {
  const auto n = lengths.size(0);
  return fg::iterate(
      n,
      [&](Index k, Mat<float> d) {
        return fg::generate({n, n}, [&](Index i, Index j) { return fg::min(d(i, j), d(i, k) + d(k, j)); });
      },
      lengths);
}

constexpr int steps = 100;
Mat<float> jacobi(Mat<float> u) {
  return fg::iterate(steps, jacobi_by_cond, u);
}

Cube points_27(Cube u) {
  const auto n = u.size(0);
  return fg::generate({n, n, n}, [&](Index h, Index i, Index j) {
    return fg::cond(
        0 < h && h < n - 1 && 0 < i && i < n - 1 && 0 < j && j < n - 1,
        [&] {
          constexpr float weights[] = {0.5f, 1 / 24.f, 1 / 60.f, 1 / 160.f};
          Exp<float> sums[] = {0.0f, 0.0f, 0.0f, 0.0f};
          for (const int up : {-1, 0, 1})
            for (const int down : {-1, 0, 1})
              for (const int right : {-1, 0, 1})
                sums[up * up + down * down + right * right] += u(h + up, i + down, j + right);
          return weights[0] * sums[0] + weights[1] * sums[1] + weights[2] * sums[2] + weights[3] * sums[3];
        },
        [&] { return u(h, i, j); });
  });
}

Mat<float> edges(Mat<float> image) {
  const auto mean = [](auto p) {
    const auto row = [&](int i) { return p(i, -1) + p(i, 0) + p(i, 1); };
    return (row(-1) + row(0) + row(1)) / 9.0f;
  };
  const auto gradient = [](auto p) {
    const auto x = p(-1, 1) - p(-1, -1) + 2.0f * (p(0, 1) - p(0, -1)) + p(1, 1) - p(1, -1);
    const auto y = p(1, -1) + 2.0f * p(1, 0) + p(1, 1) - p(-1, -1) - 2.0f * p(-1, 0) - p(-1, 1);
    return fg::sqrt(x * x + y * y);
  };
  return fg::stencil(gradient, fg::boundary::clamp, fg::stencil(mean, fg::boundary::clamp, image));
}

void add_matrices(const Table& table) {
  const auto plain = fg::compile(factored), updated = fg::compile(updated_factors);
  const auto paths = fg::compile(shortest_paths);
  for (const std::int64_t n : {256, 800}) {
    std::vector<float> elements = scattered(n * n);
    for (std::int64_t i = 0; i < n; ++i)
      elements[static_cast<std::size_t>(i * (n + 1))] = static_cast<float>(n);
    const fg::Array<float, 2> m(elements, {n, n});
    const auto by_hand = [&](float* to) { omp_factors(n, m.data(), to); };
    application<float>(
        table, fmt::format("LU {} x {}", n, n), n * n, n * n, [&] { return plain(m); }, by_hand);
    application<float>(
        table, fmt::format("LU {} x {}, updates", n, n), n * n, n * n, [&] { return updated(m); }, by_hand);
    for (float& x : elements) x = 1 + std::abs(x);
    for (std::int64_t i = 0; i < n; ++i) elements[static_cast<std::size_t>(i * (n + 1))] = 0;
    const fg::Array<float, 2> lengths(elements, {n, n});
    application<float>(
        table, fmt::format("shortest paths of {}", n), n * n, n * n, [&] { return paths(lengths); },
        [&](float* to) { omp_shortest_paths(n, lengths.data(), to); });
  }
}

void add_stencils(const Table& table) {
  const auto iterated = fg::compile(jacobi);
  for (const std::int64_t n : {256, 1000, 3000}) {
    const fg::Array<float, 2> u = scattered_matrix(n, n);
    std::vector<float> own(static_cast<std::size_t>(n * n));
    application<float>(
        table, fmt::format("{} steps of jacobi {} x {}", steps, n, n), n * n, n * n,
        [&] { return iterated(u); },
        [&](float* to) { omp_jacobi_steps(n, n, steps, u.data(), own.data(), to); });
  }
  const auto all = fg::compile(points_27);
  for (const std::int64_t n : {64, 128, 256}) {
    const fg::Array<float, 3> u(scattered(n * n * n), {n, n, n});
    application<float>(
        table, fmt::format("27 points {0} x {0} x {0}", n), n * n * n, n * n * n, [&] { return all(u); },
        [&](float* to) { omp_points_27(n, u.data(), to); });
  }
  const auto found = fg::compile(edges);
  for (const std::int64_t n : {512, 2048}) {
    const fg::Array<float, 2> image = scattered_matrix(n, n);
    const auto ours = [&] { return found(image); };
    application<float>(table, fmt::format("edges of {} x {}", n, n), n * n, n * n, ours,
                       [&](float* to) { omp_edges(n, n, image.data(), to); });
#ifdef BENCH_HALIDE
    application<float>(table, fmt::format("edges of {} x {}, beside Halide", n, n), n * n, n * n, ours,
                       [&](float* to) { halide_edges(n, n, image.data(), to); });
#endif
  }
}

}  // namespace

void add_grids(const Table& table) {
  add_matrices(table);
  add_stencils(table);
}

}  // namespace bench
