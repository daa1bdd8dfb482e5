// Points, quaternions and pixels as matrices of three and four columns, a number that only calls tell: each
// row is a point of a map, or an index of two.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include "peers/short_axes.h"
#include "windows.h"

namespace bench {
namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;
using Index = Exp<fg::i64>;

Mat<float> move_points(Mat<float> points, Mat<float> by) {
  return fg::map([&](Vec<float> p) { return fg::matvec(by, p) + p; }, fg::rows(points));
}
Mat<float> normalise_points(Mat<float> points) {
  return fg::map([](Vec<float> p) { return p / fg::sqrt(fg::sum(p * p)); }, fg::rows(points));
}
Mat<float> cross_products(Mat<float> a, Mat<float> b) {
  return fg::generate({a.size(0), a.size(1)}, [&](Index i, Index k) {
    const Index left = (k + 1) % 3, right = (k + 2) % 3;
    return a(i, left) * b(i, right) - a(i, right) * b(i, left);
  });
}
Mat<float> pull_particles(Mat<float> at, Mat<float> velocities, Exp<float> step) {
  return fg::generate({at.size(0), at.size(1)}, [&](Index i, Index k) {
    const auto far = 1.0f + fg::sum(fg::generate(at.size(1), [&](Index j) { return at(i, j) * at(i, j); }));
    return at(i, k) + step * (velocities(i, k) - at(i, k) / far);
  });
}
Vec<float> sum_columns(Mat<float> points) {
  return fg::sum(points, fg::axis(0));
}
Mat<float> column_products(Mat<float> points) {
  return fg::matmul(fg::transpose(points), points);
}
Vec<float> potentials(Mat<float> points) {
  return fg::map(
      [&](Vec<float> p) {
        const auto of = [&](Vec<float> q) { return 1.0f / fg::sqrt(fg::sum((p - q) * (p - q)) + 0.01f); };
        return fg::sum(fg::map(of, fg::rows(points)));
      },
      fg::rows(points));
}
Mat<float> quaternion_products(Mat<float> left, Mat<float> right) {
  return fg::map(
      [](Vec<float> a, Vec<float> b) {
        const Exp<float> w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
        const Exp<float> x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
        const Exp<float> y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
        const Exp<float> z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
        return fg::generate(4, [&](Index k) {
          return fg::select(k == 0, w, fg::select(k == 1, x, fg::select(k == 2, y, z)));
        });
      },
      fg::rows(left), fg::rows(right));
}
Mat<float> sort_rows(Mat<float> m) {
  return fg::map([](Vec<float> row) { return fg::sort(row); }, fg::rows(m));
}

}  // namespace

void measure_short_axes(const Measure& measure) {
  const std::int64_t n = 1000000, few = 2000;
  const float step = 0.1f;
  using Matrix = fg::Array<float, 2>;
  const Matrix points(floats(3 * n), {n, 3}), others(floats(3 * n), {n, 3}), by(floats(9), {3, 3});
  const Matrix some(floats(3 * few), {few, 3}), fours(floats(4 * n), {n, 4});
  const auto row = [&](const std::string& name, std::int64_t columns, const auto& ours,
                       void (*peer)(const ShortRows&), const Matrix& from, const Matrix& other) {
    floats_row<2>(measure, name, columns * n, ours,
                  [&, peer](float* to) { peer({n, from.data(), other.data(), to}); });
  };
  const auto moved = fg::compile(move_points);
  const auto crossed = fg::compile(cross_products);
  const auto normal = fg::compile(normalise_points);
  const auto sorted = fg::compile(sort_rows);
  const auto pulled = fg::compile(pull_particles);
  const auto multiplied = fg::compile(quaternion_products);
  const auto products = fg::compile(column_products);
  const auto sums = fg::compile(sum_columns);
  const auto potential = fg::compile(potentials);
  row("points moved, 10^6 x 3", 3, [&] { return moved(points, by); }, omp_move_points, points, by);
  row("points normalised, 10^6 x 3", 3, [&] { return normal(points); }, omp_normalise_points, points, points);
  row(
      "cross products, 10^6 x 3", 3, [&] { return crossed(points, others); }, omp_cross_products, points,
      others);
  floats_row<2>(
      measure, "particles pulled, 10^6 x 3", 3 * n, [&] { return pulled(points, others, step); },
      [&](float* to) { omp_pull_particles({n, points.data(), others.data(), to}, step); });
  row(
      "quaternions multiplied, 10^6 x 4", 4, [&] { return multiplied(fours, fours); },
      omp_quaternion_products, fours, fours);
  row("rows sorted, 10^6 x 4", 4, [&] { return sorted(fours); }, omp_sort_rows, fours, fours);
  floats_row<1>(
      measure, "columns summed, 10^6 x 3", 3, [&] { return sums(points); },
      [&](float* to) { omp_sum_columns({n, points.data(), nullptr, to}); });
  floats_row<2>(
      measure, "products of columns, 10^6 x 3", 9, [&] { return products(points); },
      [&](float* to) { omp_column_products({n, points.data(), nullptr, to}); });
  floats_row<1>(
      measure, "potentials, 2000 x 3", few, [&] { return potential(some); },
      [&](float* to) { omp_potentials({few, some.data(), nullptr, to}); });
}

void measure_sorted_rows(const Measure& measure) {
  const auto sorted = fg::compile(sort_rows);
  const auto medians = fg::compile([](Mat<float> m) {
    return fg::map([](Vec<float> row) { return fg::sort(row)[row.size() / 2]; }, fg::rows(m));
  });
  for (const std::int64_t columns : {16, 64, 256, 1000}) {
    const std::int64_t n = 4000000 / columns;
    const fg::Array<float, 2> m(floats(n * columns), {n, columns});
    const auto name = [&](const char* what) { return fmt::format("{}, {} x {}", what, n, columns); };
    const auto rows = [&](float* to) { return ShortRows{n, m.data(), nullptr, to}; };
    floats_row<2>(
        measure, name("rows sorted"), n * columns, [&] { return sorted(m); },
        [&](float* to) { omp_sort_each(rows(to), columns); });
#ifdef BENCH_SORT
    floats_row<2>(
        measure, name("rows sorted (peer: vqsort)"), n * columns, [&] { return sorted(m); },
        [&](float* to) { omp_vqsort_each(rows(to), columns); });
#endif
    floats_row<1>(
        measure, name("medians of rows"), n, [&] { return medians(m); },
        [&](float* to) { omp_medians(rows(to), columns); });
  }
}

}  // namespace bench
