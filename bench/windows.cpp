// Jacobi's method in five spellings, stencils of planes, and convolutions, beside loops with OpenMP and
// beside a copy of what they read.
#include "windows.h"

#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include "peers/windows.h"

namespace bench {

namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;
using Index = Exp<fg::i64>;
using Cube = fg::Acc<float, 3>;

// Other spellings of jacobi_by_cond.
Mat<float> by_select(Mat<float> u) {
  const auto r = u.size(0), c = u.size(1);
  return fg::generate({r, c}, [&](Index i, Index j) {
    const auto above = u(fg::max(i - 1, 0), j), below = u(fg::min(i + 1, r - 1), j);
    const auto left = u(i, fg::max(j - 1, 0)), right = u(i, fg::min(j + 1, c - 1));
    const auto is_border = i == 0 || i == r - 1 || j == 0 || j == c - 1;
    return fg::select(is_border, u(i, j), 0.25f * (above + below + left + right));
  });
}
// Outside is the nearest point.
Mat<float> by_stencil(Mat<float> u) {
  return fg::stencil([](auto v) { return 0.25f * (v(-1, 0) + v(1, 0) + v(0, -1) + v(0, 1)); },
                     fg::boundary::clamp, u);
}
Mat<float> by_padding(Mat<float> u) {
  const auto r = u.size(0), c = u.size(1);
  const Mat<float> tall = fg::concat(fg::axis(0), u.slice({0, 1}, {0, c}), u, u.slice({r - 1, r}, {0, c}));
  const Mat<float> wide = fg::concat(fg::axis(1), u.slice({0, r}, {0, 1}), u, u.slice({0, r}, {c - 1, c}));
  return 0.25f * (tall.slice({0, r}, {0, c}) + tall.slice({2, r + 2}, {0, c}) + wide.slice({0, r}, {0, c}) +
                  wide.slice({0, r}, {2, c + 2}));
}
// The interior alone.
Mat<float> by_slices(Mat<float> u) {
  const auto r = u.size(0), c = u.size(1);
  return 0.25f * (u.slice({0, r - 2}, {1, c - 1}) + u.slice({2, r}, {1, c - 1}) +
                  u.slice({1, r - 1}, {0, c - 2}) + u.slice({1, r - 1}, {2, c}));
}

Cube seven_by_cond(Cube u) {
  const auto p = u.size(0), r = u.size(1), c = u.size(2);
  return fg::generate({p, r, c}, [&](Index h, Index i, Index j) {
    return fg::cond(
        0 < h && h < p - 1 && 0 < i && i < r - 1 && 0 < j && j < c - 1,
        [&] {
          return 0.125f * (u(h - 1, i, j) + u(h + 1, i, j) + u(h, i - 1, j) + u(h, i + 1, j) +
                           u(h, i, j - 1) + u(h, i, j + 1) + 2 * u(h, i, j));
        },
        [&] { return u(h, i, j); });
  });
}
Cube seven_by_stencil(Cube u) {
  return fg::stencil(
      [](auto v) {
        return 0.125f * (v(-1, 0, 0) + v(1, 0, 0) + v(0, -1, 0) + v(0, 1, 0) + v(0, 0, -1) + v(0, 0, 1) +
                         2 * v(0, 0, 0));
      },
      fg::boundary::clamp, u);
}

Vec<float> convolution(Vec<float> x, Vec<float> w) {
  const auto k = w.size(), n = x.size() - k + 1;
  return fg::generate(
      n, [&](Index i) { return fg::sum(fg::generate(k, [&](Index l) { return x[i + l] * w[l]; })); });
}
Mat<float> convolution_2d(Mat<float> x, Mat<float> w) {
  const auto rows = x.size(0) - w.size(0) + 1, columns = x.size(1) - w.size(1) + 1;
  return fg::generate({rows, columns}, [&](Index i, Index j) {
    return fg::sum(
        fg::generate({w.size(0), w.size(1)}, [&](Index k, Index l) { return x(i + k, j + l) * w(k, l); }));
  });
}
Cube convolution_3d(Cube x, Cube w) {
  const auto planes = x.size(0) - w.size(0) + 1, rows = x.size(1) - w.size(1) + 1,
             columns = x.size(2) - w.size(2) + 1;
  return fg::generate({planes, rows, columns}, [&](Index h, Index i, Index j) {
    return fg::sum(fg::generate({w.size(0), w.size(1), w.size(2)}, [&](Index d, Index k, Index l) {
      return x(h + d, i + k, j + l) * w(d, k, l);
    }));
  });
}
Vec<float> binomial(Vec<float> x) {
  const auto n = x.size() - 4;
  return fg::generate(n, [&](Index i) {
    return 0.0625f * (x[i] + x[i + 4]) + 0.25f * (x[i + 1] + x[i + 3]) + 0.375f * x[i + 2];
  });
}

std::vector<float> elements(std::int64_t n) {
  std::vector<float> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<int>(i * 7 % 13) - 6) / 8;
  return x;
}

template <int N, class F>
void stencil_row(const Measure& measure, const std::string& name,
                 const std::array<std::int64_t, static_cast<std::size_t>(N)>& shape, const F& f,
                 void (*peer)(const Field&), bool is_interior = false) {
  std::int64_t n = 1, n_results = 1;
  for (const std::int64_t extent : shape) n *= extent, n_results *= extent - (is_interior ? 2 : 0);
  const fg::Array<float, N> u(elements(n), shape);
  std::vector<float> theirs(static_cast<std::size_t>(n_results));
  const Field field{N == 3 ? shape[0] : 1, shape[N - 2], shape[N - 1], u.data(), theirs.data()};
  const auto compiled = fg::compile(f);
  fg::Array<float, N> result;
  measure(
      fmt::format("{} {}", name, fmt::join(shape, " x ")), [&] { result = {}, result = compiled(u); },
      [&] { peer(field); }, [&] { omp_copy(u.data(), theirs.data(), n_results); });
  if (result.size() == 0) return;
  peer(field);
  require_close(name, result, theirs.data(), 1e-3f);
}

}  // namespace

Mat<float> jacobi_by_cond(Mat<float> u) {
  const auto r = u.size(0), c = u.size(1);
  return fg::generate({r, c}, [&](Index i, Index j) {
    return fg::cond(
        0 < i && i < r - 1 && 0 < j && j < c - 1,
        [&] { return 0.25f * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)); },
        [&] { return u(i, j); });
  });
}

void measure_stencils(const Measure& measure) {
  for (const std::int64_t n : {512, 1414, 4096}) {
    const std::array<std::int64_t, 2> shape{n, n};
    stencil_row<2>(measure, "jacobi cond", shape, jacobi_by_cond, omp_jacobi);
    stencil_row<2>(measure, "jacobi select", shape, by_select, omp_jacobi);
    stencil_row<2>(measure, "jacobi stencil", shape, by_stencil, omp_jacobi_clamped);
    stencil_row<2>(measure, "jacobi padded", shape, by_padding, omp_jacobi_clamped);
    stencil_row<2>(measure, "jacobi slices", shape, by_slices, omp_jacobi_interior, true);
  }
  for (const std::int64_t n : {64, 128, 256}) {
    const std::array<std::int64_t, 3> shape{n, n, n};
    stencil_row<3>(measure, "7 points cond", shape, seven_by_cond, omp_seven_points);
    stencil_row<3>(measure, "7 points stencil", shape, seven_by_stencil, omp_seven_points_clamped);
  }
}

namespace {

void convolution_row(const Measure& measure, std::int64_t width, std::int64_t n) {
  const std::vector<float> x = elements(n + width - 1), w = elements(width);
  std::vector<float> theirs(static_cast<std::size_t>(n));
  const Convolution c{1, n, 1, width, x.data(), w.data(), theirs.data()};
  const auto f = fg::compile(convolution);
  fg::Array<float, 1> result;
  const std::string name = fmt::format("convolution {} weights, {}", width, n);
  measure(
      name, [&] { result = {}, result = f(x, w); }, [&] { omp_convolution(c); },
      [&] { omp_copy(x.data(), theirs.data(), n); });
  if (result.size() == 0) return;
  omp_convolution(c);
  require_close(name, result, theirs.data(), 1e-3f);
}

void convolution_row_2d(const Measure& measure, std::int64_t side, std::int64_t height, std::int64_t width) {
  const std::int64_t rows = side + height - 1, columns = side + width - 1;
  const fg::Array<float, 2> x(elements(rows * columns), {rows, columns}),
      w(elements(height * width), {height, width});
  std::vector<float> theirs(static_cast<std::size_t>(side * side));
  const Convolution c{side, side, height, width, x.data(), w.data(), theirs.data()};
  const auto f = fg::compile(convolution_2d);
  fg::Array<float, 2> result;
  const std::string name = fmt::format("convolution {} x {} weights, {} x {}", height, width, side, side);
  measure(
      name, [&] { result = {}, result = f(x, w); }, [&] { omp_convolution(c); },
      [&] { omp_copy(x.data(), theirs.data(), side * side); });
  if (result.size() == 0) return;
  omp_convolution(c);
  require_close(name, result, theirs.data(), 1e-3f);
}

void convolution_row_3d(const Measure& measure, std::int64_t side, const std::array<std::int64_t, 3>& width) {
  std::array<std::int64_t, 3> wide{};
  for (std::size_t d = 0; d < 3; ++d) wide[d] = side + width[d] - 1;
  const fg::Array<float, 3> x(elements(wide[0] * wide[1] * wide[2]), wide),
      w(elements(width[0] * width[1] * width[2]), width);
  std::vector<float> theirs(static_cast<std::size_t>(side * side * side));
  const Convolution c{side, side, width[1], width[2], x.data(), w.data(), theirs.data(), side, width[0]};
  const auto f = fg::compile(convolution_3d);
  fg::Array<float, 3> result;
  const std::string name =
      fmt::format("convolution {} x {} x {} weights, {} cubed", width[0], width[1], width[2], side);
  measure(
      name, [&] { result = {}, result = f(x, w); }, [&] { omp_convolution(c); },
      [&] { omp_copy(x.data(), theirs.data(), side * side * side); });
  if (result.size() == 0) return;
  omp_convolution(c);
  require_close(name, result, theirs.data(), 1e-3f);
}

}  // namespace

void measure_convolutions(const Measure& measure) {
  for (const std::int64_t width : {5, 33, 200}) convolution_row(measure, width, 1 << 20);
  convolution_row(measure, 5000, 1 << 16);
  for (const std::int64_t side : {256, 1024})
    for (const std::int64_t width : {3, 7}) convolution_row_2d(measure, side, width, width);
  convolution_row_2d(measure, 256, 31, 31);
  convolution_row_2d(measure, 256, 3, 1000);
  convolution_row_2d(measure, 256, 1000, 3);
  convolution_row_3d(measure, 64, {3, 3, 3});
  convolution_row_3d(measure, 64, {3, 5, 20});
  const std::int64_t n = 1 << 20;
  const std::vector<float> x = elements(n + 4);
  std::vector<float> theirs(static_cast<std::size_t>(n));
  const Convolution c{1, n, 1, 5, x.data(), nullptr, theirs.data()};
  const auto f = fg::compile(binomial);
  fg::Array<float, 1> result;
  measure(
      "convolution 5 constants", [&] { result = {}, result = f(x); }, [&] { omp_binomial(c); },
      [&] { omp_copy(x.data(), theirs.data(), n); });
  if (result.size() == 0) return;
  omp_binomial(c);
  require_close("convolution 5 constants", result, theirs.data(), 1e-3f);
}

}  // namespace bench
