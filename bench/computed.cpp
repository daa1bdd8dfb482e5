// Indices computed with / and % by sizes that are known when the program runs, beside the same programs with
// constants; and loops in which the checks of unchanged arrays do not change.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <cmath>
#include <numbers>

#include "peers/computed.h"
#include "peers/nests.h"
#include "windows.h"

namespace bench {
namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;
using Index = Exp<fg::i64>;
using Floats = std::vector<float>;
using Run = std::function<void()>;

void copy_floats(const float* from, float* to, std::int64_t n) {
  copy_all({1, n, from, nullptr}, to);
}

using Pair = std::tuple<Vec<float>, Vec<float>>;

// A step of Stockham's method: blocks of `length` numbers become blocks of twice as many.
template <class Size>
Pair fft_step(Size n, Size length, const Pair& x, const Pair& roots) {
  const auto [re, im] = x;
  const auto [root_re, root_im] = roots;
  return fg::unzip(fg::generate(n, [=](Index i) {
    const Index k = i % length, block = i / (2 * length), low = block * length + k;
    const Index stride = (n / 2) / length;
    const auto high = low + n / 2;
    const auto c = root_re[k * stride], s = root_im[k * stride];
    const auto sign = fg::select(i / length % 2 == 0, 1.0f, -1.0f);
    return std::tuple{re[low] + sign * (re[high] * c - im[high] * s),
                      im[low] + sign * (re[high] * s + im[high] * c)};
  }));
}

void measure_fft(const Measure& measure) {
  constexpr int steps = 20;
  constexpr std::int64_t n = std::int64_t{1} << steps;
  const Floats re = floats(n), im(re.rbegin(), re.rend());
  Floats cosines, sines;
  for (std::int64_t k = 0; k < n / 2; ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    cosines.push_back(static_cast<float>(std::cos(angle)));
    sines.push_back(static_cast<float>(std::sin(angle)));
  }
  const auto at_run_time = fg::compile([](Vec<float> a, Vec<float> b, Vec<float> c, Vec<float> s) {
    return fg::while_loop([n = a.size()](Index length, Vec<float>, Vec<float>) { return length < n; },
                          [n = a.size(), c, s](Index length, Vec<float> x, Vec<float> y) {
                            auto [next_x, next_y] = fft_step<Index>(n, length, {x, y}, {c, s});
                            return std::tuple{2 * length, next_x, next_y};
                          },
                          Index(1), a, b);
  });
  const auto constants = fg::compile([](Vec<float> a, Vec<float> b, Vec<float> c, Vec<float> s) {
    Pair x{a, b};
    for (std::int64_t length = 1; length < n; length *= 2) x = fft_step<std::int64_t>(n, length, x, {c, s});
    return x;
  });
  Floats own_re = re, own_im = im, other_re(re.size()), other_im(re.size());
  const Run peer = [&] {
    omp_fft(n, {own_re.data(), own_im.data()}, {other_re.data(), other_im.data()},
            {cosines.data(), sines.data()});
  };
  const Run limit = [&] { copy_floats(re.data(), other_re.data(), n); };
  peer();
  {
    const auto [length, x, y] = at_run_time(re, im, cosines, sines);
    require_close("FFT", x, own_re.data(), 1e-2f);
    require_close("FFT", y, own_im.data(), 1e-2f);
  }
  std::fill(own_re.begin(), own_re.end(), 0.f), std::fill(own_im.begin(), own_im.end(), 0.f);
  const fg::Array<float, 1> a(re), b(im), c(cosines), s(sines);
  measure("FFT 2^20, sizes at run time", [&] { (void)at_run_time(a, b, c, s); }, peer, limit);
  measure("FFT 2^20, constant sizes", [&] { (void)constants(a, b, c, s); }, peer, limit);
}

// Programs on a matrix in a one-dimensional array, whose number of columns is an argument.
template <class F, class Peer>
void flat(const Measure& measure, const std::string& name, const F& of_columns, const Peer& peer) {
  constexpr std::int64_t shapes[][2] = {{2048, 2048}, {3163, 1321}, {1 << 19, 8}, {1000000, 3}};
  for (const auto& [rows, columns] : shapes) {
    const fg::Array<float, 1> x(floats(rows * columns)), weights(floats(columns)), offsets(floats(rows));
    Floats theirs(static_cast<std::size_t>(rows * columns));
    const Flat m{rows, columns, x.data(), theirs.data()};
    fg::Array<float, 1> result;
    const Run ours = [&, k = columns] { result = {}, result = of_columns(x, k, weights, offsets); };
    const Run with_openmp = [&] { peer(m, weights.data(), offsets.data()); };
    ours(), with_openmp();
    require_close(name, result, theirs.data(), 1e-5f);
    const std::string full = fmt::format("{} {} x {}", name, rows, columns);
    measure(full, ours, with_openmp, [&] { copy_floats(x.data(), theirs.data(), x.shape()[0]); });
  }
}

void measure_flat(const Measure& measure) {
  const auto transpose = fg::compile([](Vec<float> x, Index columns, Vec<float>, Vec<float>) {
    const auto rows = x.size() / columns;
    return fg::generate(x.size(), [=](Index i) { return x[i / rows + i % rows * columns]; });
  });
  flat(measure, "flat transpose", transpose, [](const Flat& m, const float*, const float*) {
    omp_transposed({m.rows, m.columns, m.from, nullptr}, m.to);
  });
  const auto scale = fg::compile([](Vec<float> x, Index columns, Vec<float> weights, Vec<float> offsets) {
    return fg::generate(x.size(),
                        [=](Index i) { return x[i] * weights[i % columns] + offsets[i / columns]; });
  });
  flat(measure, "flat scale", scale, omp_flat_scale);
  const auto box = fg::compile([](Vec<float> x, Index columns, Vec<float>, Vec<float>) {
    const auto rows = x.size() / columns;
    return fg::generate(x.size(), [=](Index i) {
      const Index row = i / columns, column = i % columns;
      Exp<float> sum = 0.0f;
      for (const int down : {-1, 0, 1})
        for (const int right : {-1, 0, 1})
          sum = sum + x[fg::min(fg::max(row + down, 0), rows - 1) * columns +
                        fg::min(fg::max(column + right, 0), columns - 1)];
      return sum / 9.0f;
    });
  });
  flat(measure, "flat box", box, [](const Flat& m, const float*, const float*) { omp_flat_box(m); });
}

constexpr int gradient_steps = 100;
Vec<float> solution(Vec<fg::i64> starts, Vec<fg::i64> columns, Vec<float> values, Vec<float> b) {
  const auto dot = [](Vec<float> x, Vec<float> y) { return fg::sum(x * y); };
  const auto [solved, r, d, rr] = fg::iterate(
      gradient_steps,
      [&](Vec<float> x, Vec<float> rest, Vec<float> direction, Exp<float> now) {
        const Vec<float> image = fg::segmented_reduce(fg::plus, 0.0f, fg::offsets(starts),
                                                      values * fg::gather(direction, columns));
        const Exp<float> alpha = now / dot(direction, image);
        const Vec<float> next = rest - alpha * image;
        const Exp<float> then = dot(next, next);
        return std::tuple{x + alpha * direction, next, next + (then / now) * direction, then};
      },
      fg::replicate(b.size(), 0.0f), b, b, dot(b, b));
  return solved;
}

// The five-point matrix of a square of points.
void measure_conjugate_gradients(const Measure& measure) {
  constexpr std::int64_t side = 512, n = side * side;
  constexpr int steps = gradient_steps;
  std::vector<std::int64_t> starts{0}, columns;
  Floats values;
  const auto add = [&](std::int64_t column, float value) {
    columns.push_back(column), values.push_back(value);
  };
  for (std::int64_t i = 0; i < side; ++i)
    for (std::int64_t j = 0; j < side; ++j) {
      const std::int64_t at = i * side + j;
      if (i > 0) add(at - side, -1);
      if (j > 0) add(at - 1, -1);
      add(at, 4.5f);
      if (j + 1 < side) add(at + 1, -1);
      if (i + 1 < side) add(at + side, -1);
      starts.push_back(static_cast<std::int64_t>(columns.size()));
    }
  const auto solve = fg::compile(solution);
  const Floats b = floats(n);
  Floats own(static_cast<std::size_t>(3 * n)), theirs(static_cast<std::size_t>(n));
  const Sparse m{n, starts.data(), columns.data(), values.data()};
  const fg::Array<fg::i64, 1> all_starts(starts), all_columns(columns);
  const fg::Array<float, 1> all_values(values), all_b(b);
  fg::Array<float, 1> x;
  const Run ours = [&] { x = solve(all_starts, all_columns, all_values, all_b); };
  const Run peer = [&] { omp_conjugate_gradients(m, steps, b.data(), own.data(), theirs.data()); };
  ours(), peer();
  require_close("conjugate gradients", x, theirs.data(), 1e-3f);
  measure(fmt::format("conjugate gradients, CSR of {} rows, {} steps", n, steps), ours, peer,
          [&] { copy_floats(values.data(), own.data(), 3 * n); });
}

constexpr int descent_steps = 10;
Vec<float> regression(Mat<float> points, Vec<float> labels, Exp<float> rate) {
  return fg::iterate(
      descent_steps,
      [&](Vec<float> weights) {
        const Vec<float> likely = 1.0f / (1.0f + fg::exp(-fg::matvec(points, weights)));
        const Vec<float> gradient = fg::matvec(fg::transpose(points), likely - labels);
        return weights - rate * gradient / fg::cast<float>(points.size(0));
      },
      fg::replicate(points.size(1), 0.0f));
}
Vec<float> perceptron_step(Mat<float> points, Vec<float> labels, Vec<float> weights) {
  const Vec<float> side = fg::matvec(points, weights) * labels;
  const Vec<float> factors = fg::map(
      [](Exp<float> s, Exp<float> label) { return fg::select(s <= 0.0f, label, 0.0f); }, side, labels);
  return weights + fg::matvec(fg::transpose(points), factors);
}

void measure_learning(const Measure& measure) {
  constexpr std::int64_t rows = 100000;
  constexpr int steps = descent_steps;
  for (const std::int64_t columns : {16, 64}) {
    Floats labels = floats(rows);
    for (float& label : labels) label = label > 0 ? 1.f : 0.f;
    Floats signs = labels;
    for (float& sign : signs) sign = 2 * sign - 1;
    const fg::Array<float, 2> points(floats(rows * columns), {rows, columns});
    const fg::Array<float, 1> zeros_and_ones(labels), all_signs(signs), start(floats(columns));
    Floats own(static_cast<std::size_t>(rows)), theirs(static_cast<std::size_t>(columns));
    const Run limit = [&] { copy_floats(points.data(), own.data(), rows); };
    const auto logistic = fg::compile(regression);
    fg::Array<float, 1> weights;
    const Run ours = [&] { weights = logistic(points, zeros_and_ones, 0.1f); };
    const Run peer = [&] {
      omp_logistic({rows, columns, points.data(), labels.data()}, steps, 0.1f, own.data(), theirs.data());
    };
    ours(), peer();
    require_close("logistic regression", weights, theirs.data(), 1e-3f);
    measure(fmt::format("logistic regression {} x {}, {} steps", rows, columns, steps), ours, peer, limit);

    const auto perceptron = fg::compile(perceptron_step);
    const Run step = [&] { weights = perceptron(points, all_signs, start); };
    const Run step_of_peer = [&] {
      omp_perceptron({rows, columns, points.data(), signs.data()}, start.data(), theirs.data());
    };
    step(), step_of_peer();
    require_close("perceptron", weights, theirs.data(), 1e-1f);
    measure(fmt::format("perceptron step {} x {}", rows, columns), step, step_of_peer, limit);
  }
}

}  // namespace

void measure_computed(const Measure& measure) {
  measure_fft(measure);
  measure_flat(measure);
  measure_conjugate_gradients(measure);
  measure_learning(measure);
}

}  // namespace bench
