// Nests of axes beside plain OpenMP and a limit: reductions and scans along axis 0 of matrices of many
// shapes, stencils and convolutions (windows.cpp), rows, small matrices, computed indices and loops over
// unchanged arrays (computed.cpp). The limit is to read all elements, or to copy them. In each round ours,
// the peer and the limit run in turn, 15 ms of rest before each; a ratio is the median of the ratios of the
// rounds. The result of a call is freed before the next one, so that we too write where we wrote before.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

#include "nests_applications.h"
#include "nests_rows.h"
#include "nests_small.h"
#include "peers/nests.h"
#include "rounds.h"
#include "windows.h"

namespace {

namespace fg = fulgurite;
using bench::median, bench::Options, bench::Run;
using fg::Mat, fg::Vec;

struct Shape {
  std::int64_t rows, columns;
};
constexpr Shape shapes[] = {{1000, 1000},   {3162, 3162},   {1000000, 16}, {131072, 32}, {4096, 4096},
                            {1000, 100000}, {100000, 1000}, {100000, 100}, {100, 100}};

// Short ones run several times together.
constexpr double together_us = 4000;

void row(const Options& options, const std::string& name, const Run& ours, const Run& peer,
         const Run& limit) {
  const auto times = bench::in_turn(options, together_us, {ours, peer, limit});
  fmt::print("| {} | {:.1f} | {:.1f} | {:.2f} | {:.1f} | {:.2f} |\n", name, median(times[0]),
             median(times[1]), bench::median_ratio(times[0], times[1]), median(times[2]),
             bench::median_ratio(times[0], times[2]));
  std::fflush(stdout);
}

template <class T, int N>
void require_close(const std::string& name, const fg::Array<T, N>& ours, const std::vector<T>& theirs) {
  for (std::size_t j = 0; j < theirs.size(); ++j) {
    const double a = static_cast<double>(ours.data()[j]), b = static_cast<double>(theirs[j]);
    if (std::abs(a - b) <= 1e-3 * (1 + std::abs(b))) continue;
    fmt::print(stderr, "{}: element {} is {}, not {}\n", name, j, a, b);
    std::exit(1);
  }
}

template <class T>
std::vector<T> elements(const Shape& shape) {
  std::vector<T> x(static_cast<std::size_t>(shape.rows * shape.columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(static_cast<int>(i * 7 % 13) - 6) / T(8);
  return x;
}

// One program for matrices of T, in all shapes, beside its peer.
template <class T, class R, class F>
void program(const Options& options, const std::string& name, const F& f,
             const std::function<void(const bench::Matrix<T>&, R* results)>& peer) {
  for (const Shape& shape : shapes) {
    const std::string full = fmt::format("{} {} x {}", name, shape.rows, shape.columns);
    if (!options.wants(full)) continue;
    const fg::Array<T, 2> m(elements<T>(shape), {shape.rows, shape.columns});
    std::vector<T> own(static_cast<std::size_t>(2 * (shape.columns + bench::between_threads)));
    std::vector<R> theirs(static_cast<std::size_t>(shape.columns));
    const bench::Matrix<T> matrix{shape.rows, shape.columns, m.data(), own.data()};
    fg::Array<R, 1> result;
    const Run ours = [&] { result = {}, result = f(m); };
    const Run with_openmp = [&] { peer(matrix, theirs.data()); };
    ours(), with_openmp();
    require_close(full, result, theirs);
    row(options, full, ours, with_openmp, [&] { bench::read_all(matrix); });
  }
}

// Times programs that make a matrix of a matrix.
template <class T, class F>
void matrix_program(const Options& options, const std::string& name, const F& f,
                    const std::function<void(const bench::Matrix<T>&, T* results)>& peer) {
  for (const Shape& shape : shapes) {
    const std::string full = fmt::format("{} {} x {}", name, shape.rows, shape.columns);
    if (!options.wants(full)) continue;
    const fg::Array<T, 2> m(elements<T>(shape), {shape.rows, shape.columns});
    std::vector<T> theirs(static_cast<std::size_t>(shape.rows * shape.columns));
    const bench::Matrix<T> matrix{shape.rows, shape.columns, m.data(), nullptr};
    fg::Array<T, 2> result;
    const Run ours = [&] { result = {}, result = f(m); };
    const Run with_openmp = [&] { peer(matrix, theirs.data()); };
    ours(), with_openmp();
    require_close(full, result, theirs);
    row(options, full, ours, with_openmp, [&] { bench::copy_all(matrix, theirs.data()); });
  }
}

using Step = std::tuple<float, float>;

// Arrays of three axes, the last of which comes first.
template <class F>
void permuted_axes(const Options& options, const std::string& name, const F& f,
                   void (*peer)(const float*, const std::array<std::int64_t, 3>&, float*)) {
  for (const std::array<std::int64_t, 3>& shape :
       {std::array<std::int64_t, 3>{256, 256, 256}, {200, 200, 200}, {1000, 30, 100}, {100, 1000, 30}}) {
    const std::string full = fmt::format("{} {} x {} x {}", name, shape[0], shape[1], shape[2]);
    if (!options.wants(full)) continue;
    const std::int64_t n = shape[0] * shape[1] * shape[2];
    const fg::Array<float, 3> x(elements<float>({1, n}), shape);
    std::vector<float> theirs(static_cast<std::size_t>(n));
    const bench::Matrix<float> as_row{1, n, x.data(), nullptr};
    fg::Array<float, 3> result;
    const Run ours = [&] { result = {}, result = f(x); };
    const Run with_openmp = [&] { peer(x.data(), shape, theirs.data()); };
    ours(), with_openmp();
    require_close(full, result, theirs);
    row(options, full, ours, with_openmp, [&] { bench::copy_all(as_row, theirs.data()); });
  }
}

void run_transposes(const Options& options) {
  const auto peer = [](const auto& m, auto* to) { bench::omp_transposed(m, to); };
  const auto floats = fg::compile([](Mat<float> m) { return fg::transpose(m); });
  matrix_program<float>(options, "transpose f32", floats, peer);
  const auto doubles = fg::compile([](Mat<double> m) { return fg::transpose(m); });
  matrix_program<double>(options, "transpose f64", doubles, peer);
  const auto last_first = fg::compile([](fg::Acc<float, 3> x) { return fg::transpose(x, {2, 0, 1}); });
  permuted_axes(options, "axes {2, 0, 1}", last_first, bench::omp_last_axis_first);
  const auto reversed = fg::compile([](fg::Acc<float, 3> x) { return fg::transpose(x, {2, 1, 0}); });
  permuted_axes(options, "axes {2, 1, 0}", reversed, bench::omp_axes_reversed);
}

void run_scans(const Options& options) {
  const auto peer_sums = [](const auto& m, auto* to) { bench::omp_running_sums(m, to); };
  const auto sums = fg::compile([](Mat<float> m) { return fg::scan(fg::plus, 0.0f, m, fg::axis(0)); });
  matrix_program<float>(options, "scan f32", sums, peer_sums);
  const auto doubles = fg::compile([](Mat<double> m) { return fg::scan(fg::plus, 0.0, m, fg::axis(0)); });
  matrix_program<double>(options, "scan f64", doubles, peer_sums);
  const auto maxima = fg::compile(
      [](Mat<int> m) { return fg::scan(fg::max, std::numeric_limits<int>::min(), m, fg::axis(0)); });
  matrix_program<std::int32_t>(options, "scan max i32", maxima,
                               [](const auto& m, auto* to) { bench::omp_running_maxima(m, to); });
  // y[i] = y[i - 1] * weights[i] + x[i]
  const std::vector<float> weights(1000000, 0.5f);
  const auto linear = fg::compile([](Mat<float> m, Vec<float> w) {
    const auto then = [](fg::Exp<Step> x, fg::Exp<Step> y) {
      const auto [a, b] = x;
      const auto [c, d] = y;
      return std::tuple{a * c, b * c + d};
    };
    const auto steps = fg::zip(fg::replicate(m.size(1), w, fg::axis(1)), m);
    return std::get<1>(fg::unzip(fg::scan(then, Step{1, 0}, steps, fg::axis(0))));
  });
  matrix_program<float>(
      options, "scan linear f32",
      [&](const fg::Array<float, 2>& m) {
        return linear(m, std::span(weights).first(static_cast<std::size_t>(m.shape()[0])));
      },
      [&](const auto& m, float* to) { bench::omp_linear(m, weights.data(), to); });
}

void run(const Options& options) {
  fmt::print(
      "| program | us | OpenMP | ours / OpenMP | read once | ours / read once "
      "|\n|---|---|---|---|---|---|\n");
  const auto sums = fg::compile([](Mat<float> m) { return fg::sum(m, fg::axis(0)); });
  const auto peer_sums = [](const auto& m, auto* to) { bench::omp_sums(m, to); };
  program<float, float>(options, "sum f32", sums, peer_sums);
  const auto doubles = fg::compile([](Mat<double> m) { return fg::sum(m, fg::axis(0)); });
  program<double, double>(options, "sum f64", doubles, peer_sums);
  const auto maxima = fg::compile([](Mat<int> m) { return fg::max(m, fg::axis(0)); });
  program<std::int32_t, std::int32_t>(options, "max i32", maxima,
                                      [](const auto& m, auto* to) { bench::omp_maxima(m, to); });
  const auto means = fg::compile([](Mat<float> m) { return fg::mean(m, fg::axis(0)); });
  program<float, float>(options, "mean f32", means, [](const auto& m, float* to) {
    bench::omp_sums(m, to);
    for (std::int64_t j = 0; j < m.columns; ++j) to[j] /= static_cast<float>(m.rows);
  });
  const std::vector<float> weights(1000000, 0.5f);
  const auto product =
      fg::compile([](Mat<float> m, Vec<float> x) { return fg::matvec(fg::transpose(m), x); });
  program<float, float>(
      options, "matvec f32",
      [&](const fg::Array<float, 2>& m) {
        return product(m, std::span(weights).first(static_cast<std::size_t>(m.shape()[0])));
      },
      [&](const auto& m, float* to) { bench::omp_product(m, weights.data(), to); });
  std::vector<std::int64_t> own_places(2 * (100000 + bench::between_threads));
  const auto places = fg::compile([](Mat<float> m) { return fg::argmax(m, fg::axis(0)); });
  program<float, std::int64_t>(options, "argmax f32", places, [&](const auto& m, std::int64_t* to) {
    bench::omp_places(m, own_places.data(), to);
  });
  const bench::Measure measure = [&](const std::string& name, const Run& of_us, const Run& peer,
                                     const Run& limit) {
    if (options.wants(name)) row(options, name, of_us, peer, limit);
  };
  bench::measure_stencils(measure);
  bench::measure_convolutions(measure);
  bench::measure_computed(measure);
  bench::measure_interleaved(measure);
  bench::measure_checked(measure);
  bench::measure_short_axes(measure);
  bench::measure_sorted_rows(measure);
  const bench::Table table{[&](const std::string& name) { return options.wants(name); },
                           [&](const std::string& name, const Run& ours, const Run& peer, const Run& limit) {
                             row(options, name, ours, peer, limit);
                           }};
  bench::add_rows(table);
  bench::add_small(table);
  bench::add_applications(table);
  bench::add_grids(table);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const Options options =
        bench::options_of(count, arguments, "Nests of axes, beside OpenMP and the limit of memory");
    run(options);
    run_scans(options);
    run_transposes(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench nests: {}\n", error.what());
    return 1;
  }
}
