#include "nests_applications.h"

#include "applications.h"
#include "peers/applications.h"

namespace bench {
namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;
using Index = Exp<fg::i64>;
using Floats = fg::Array<float, 1>;
using Matrix2 = fg::Array<float, 2>;

Rows rows_of(const Matrix2& m) {
  return {m.shape()[0], m.shape()[1], m.data()};
}

Mat<float> softmax(Mat<float> m) {
  return fg::map(
      [](Vec<float> row) {
        auto powers = fg::exp(row - fg::max(row));
        return powers / fg::sum(powers);
      },
      fg::rows(m));
}

Mat<float> layer_norm(Mat<float> m, Vec<float> gains, Vec<float> offsets) {
  return fg::map(
      [&](Vec<float> row) {
        const Vec<float> centred = row - fg::mean(row);
        return centred / fg::sqrt(fg::mean(centred * centred) + 1e-5f) * gains + offsets;
      },
      fg::rows(m));
}

Mat<float> attention(Mat<float> q, Mat<float> k, Mat<float> v) {
  const Mat<float> scores = fg::matmul(q, fg::transpose(k)) / fg::sqrt(fg::cast<float>(q.size(1)));
  return fg::matmul(softmax(scores), v);
}

Mat<float> covariance(Mat<float> samples) {
  const Vec<float> means = fg::mean(samples, fg::axis(0));
  const Mat<float> centred = fg::map([&](Vec<float> row) { return row - means; }, fg::rows(samples));
  return fg::matmul(fg::transpose(centred), centred) / fg::cast<float>(samples.size(0));
}

Exp<float> squared_distance(Vec<float> a, Vec<float> b) {
  const Vec<float> apart = a - b;
  return fg::sum(apart * apart);
}
Vec<float> squared_distances(Vec<float> from, Mat<float> points) {
  return fg::map([&](Vec<float> point) { return squared_distance(from, point); }, fg::rows(points));
}

Mat<float> distances(Mat<float> a, Mat<float> b) {
  return fg::map([&](Vec<float> from) { return fg::sqrt(squared_distances(from, b)); }, fg::rows(a));
}

constexpr int neighbours = 5;
Mat<fg::i64> nearest_by_sorting(Mat<float> queries, Mat<float> points) {
  return fg::map(
      [&](Vec<float> query) { return fg::take(fg::argsort(squared_distances(query, points)), neighbours); },
      fg::rows(queries));
}
Vec<fg::i64> places_of_least(Vec<float> all) {
  const auto [rest, places] = fg::iterate(
      neighbours,
      [](Index k, Vec<float> left, Vec<fg::i64> found) {
        const Index nearest = fg::argmin(left);
        return std::tuple{fg::with(left, nearest, std::numeric_limits<float>::infinity()),
                          fg::with(found, k, nearest)};
      },
      all, fg::replicate(neighbours, fg::i64{0}));
  return places;
}
Mat<fg::i64> nearest_by_minima(Mat<float> queries, Mat<float> points) {
  return fg::map([&](Vec<float> query) { return places_of_least(squared_distances(query, points)); },
                 fg::rows(queries));
}
// All distances first.
Mat<fg::i64> nearest_of_matrix(Mat<float> queries, Mat<float> points) {
  const Mat<float> all =
      fg::map([&](Vec<float> query) { return squared_distances(query, points); }, fg::rows(queries));
  return fg::map(places_of_least, fg::rows(all));
}

Mat<float> means_of_nearest(Mat<float> points, Mat<float> centres) {
  const Vec<fg::i64> nearest = fg::map(
      [&](Vec<float> point) { return fg::argmin(squared_distances(point, centres)); }, fg::rows(points));
  const auto k = centres.size(0);
  const Vec<float> counts = fg::histogram(fg::plus, 0.0f, k, nearest, fg::replicate(points.size(0), 1.0f));
  return fg::transpose(fg::map(
      [&](Vec<float> column) {
        return fg::histogram(fg::plus, 0.0f, k, nearest, column) / fg::max(counts, 1.0f);
      },
      fg::columns(points)));
}

Mat<float> accelerations(Vec<float> xs, Vec<float> ys, Vec<float> zs, Vec<float> masses) {
  const auto of_body = [&](Exp<float> x, Exp<float> y, Exp<float> z) {
    const Vec<float> dx = xs - x, dy = ys - y, dz = zs - z;
    const Vec<float> square = dx * dx + dy * dy + dz * dz + 1e-3f;
    const Vec<float> weight = masses / (square * fg::sqrt(square));
    return std::tuple{fg::sum(dx * weight), fg::sum(dy * weight), fg::sum(dz * weight)};
  };
  const auto [x, y, z] = fg::unzip(fg::map(of_body, xs, ys, zs));
  const auto n = xs.size();
  return fg::concat(fg::reshape(x, {1, n}), fg::reshape(y, {1, n}), fg::reshape(z, {1, n}));
}

void add_rows_of_matrices(const Table& table) {
  constexpr std::int64_t shapes[][2] = {{4096, 1024}, {131072, 32}};
  const auto soft = fg::compile(softmax);
  const auto norm = fg::compile(layer_norm);
  for (const auto& [rows, columns] : shapes) {
    const Matrix2 m = scattered_matrix(rows, columns);
    const Floats gains(scattered(columns)), offsets(scattered(columns));
    const std::int64_t n = rows * columns;
    application<float>(
        table, fmt::format("softmax of rows, {} x {}", rows, columns), n, n, [&] { return soft(m); },
        [&](float* to) { omp_softmax(rows_of(m), to); });
    application<float>(
        table, fmt::format("layer norm of rows, {} x {}", rows, columns), n, n,
        [&] { return norm(m, gains, offsets); },
        [&](float* to) { omp_layer_norm(rows_of(m), gains.data(), offsets.data(), to); });
  }
}

void add_products(const Table& table) {
  const auto attend = fg::compile(attention);
  for (const std::int64_t n : {256, 1024}) {
    const std::int64_t columns = 64;
    const Matrix2 q = scattered_matrix(n, columns), k = scattered_matrix(n, columns, 2),
                  v = scattered_matrix(n, columns, 3);
    std::vector<float> own(static_cast<std::size_t>(2 * n * columns + 12 * n));
    application<float>(
        table, fmt::format("attention {} x {}", n, columns), n * columns, 4 * n * columns,
        [&] { return attend(q, k, v); },
        [&](float* to) { omp_attention({n, columns, q.data(), k.data(), v.data()}, own.data(), to); });
  }
  const auto covary = fg::compile(covariance);
  constexpr std::int64_t shapes[][2] = {{100000, 32}, {10000, 256}};
  for (const auto& [rows, columns] : shapes) {
    const Matrix2 m = scattered_matrix(rows, columns);
    application<float>(
        table, fmt::format("covariance {} x {}", rows, columns), columns * columns, rows * columns,
        [&] { return covary(m); }, [&](float* to) { omp_covariance(rows_of(m), to); });
  }
}

void add_points(const Table& table) {
  const auto apart = fg::compile(distances);
  for (const std::int64_t columns : {3, 16, 64}) {
    const Matrix2 a = scattered_matrix(2000, columns), b = scattered_matrix(2048, columns, 2);
    application<float>(
        table, fmt::format("distances 2000 x 2048 in {} dimensions", columns), 2000 * 2048, 2000 * 2048,
        [&] { return apart(a, b); }, [&](float* to) { omp_distances(rows_of(a), rows_of(b), to); });
  }
  const Matrix2 queries = scattered_matrix(1000, 16), points = scattered_matrix(4096, 16, 2);
  const auto neighbours_row = [&](const std::string& name, const auto& f) {
    application<std::int64_t>(
        table, "nearest five of 4096, 1000 queries, " + name, 5000, 4096 * 16,
        [&] { return f(queries, points); },
        [&](std::int64_t* to) { omp_nearest_five(rows_of(queries), rows_of(points), to); });
  };
  neighbours_row("argsort", fg::compile(nearest_by_sorting));
  neighbours_row("argmin five times", fg::compile(nearest_by_minima));
  neighbours_row("argmin five times of a matrix", fg::compile(nearest_of_matrix));
  const auto step = fg::compile(means_of_nearest);
  const Matrix2 many = scattered_matrix(200000, 8), centres = scattered_matrix(16, 8, 2);
  application<float>(
      table, "k means step, 200000 x 8, 16 centres", 16 * 8, 200000 * 8, [&] { return step(many, centres); },
      [&](float* to) { omp_means_of_nearest(rows_of(many), rows_of(centres), to); });
  const auto accelerate = fg::compile(accelerations);
  for (const std::int64_t n : {1000, 8192}) {
    const auto sized = static_cast<std::size_t>(n);
    const std::vector<float> all = scattered(3 * n);
    const auto part = [&](std::size_t k) {
      return Floats(std::vector<float>(all.data() + k * sized, all.data() + (k + 1) * sized));
    };
    const Floats x = part(0), y = part(1), z = part(2);
    const Floats mass(std::vector<float>(sized, 1.f / static_cast<float>(n)));
    application<float>(
        table, fmt::format("{} bodies", n), 3 * n, 7 * n, [&] { return accelerate(x, y, z, mass); },
        [&](float* to) {
          omp_accelerations({n, x.data(), y.data(), z.data(), mass.data()}, to, to + n, to + 2 * n);
        });
  }
}

}  // namespace

void add_applications(const Table& table) {
  add_rows_of_matrices(table);
  add_products(table);
  add_points(table);
}

}  // namespace bench
