// Windows that slices make, pools, and means of rows that data choose: their indices are proven to be inside,
// or checked on the axis alone where data choose it.
#include <fulgurite/fulgurite.h>

#include "peers/checked.h"
#include "windows.h"

namespace bench {
namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;
using Index = Exp<fg::i64>;
using Cube = fg::Acc<float, 3>;

Vec<float> sliding_sums(Vec<float> x, Index w) {
  return fg::generate(x.size() - w + 1, [&](Index i) { return fg::sum(x.slice(i, i + w)); });
}
Vec<float> sliding_maxima(Vec<float> x, Index w) {
  return fg::generate(x.size() - w + 1, [&](Index i) { return fg::max(x.slice(i, i + w)); });
}
Mat<float> filter_of_rows(Mat<float> x, Vec<float> h) {
  return fg::map(
      [&](Vec<float> row) {
        return fg::generate(row.size() - h.size() + 1,
                            [&](Index i) { return fg::sum(h * row.slice(i, i + h.size())); });
      },
      fg::rows(x));
}
Cube max_pool(Cube x) {
  return fg::generate({x.size(0), x.size(1) / 2, x.size(2) / 2}, [&](Index p, Index i, Index j) {
    return fg::max(fg::generate({2, 2}, [&](Index k, Index l) { return x(p, 2 * i + k, 2 * j + l); }));
  });
}
Mat<float> means_of_bags(Mat<int> ids, Mat<float> table) {
  return fg::map(
      [&](Vec<int> bag) {
        const auto rows = fg::map(
            [&](Exp<int> id) {
              return fg::generate(table.size(1), [&](Index j) { return table(fg::cast<fg::i64>(id), j); });
            },
            bag);
        return fg::mean(rows, fg::axis(0));
      },
      fg::rows(ids));
}

void measure_sliding(const Measure& measure) {
  const std::int64_t n = 1000000, w = 50, rows = 16, columns = 50000, taps = 64;
  const fg::Array<float, 1> x(floats(n)), h(floats(taps));
  const fg::Array<float, 2> many(floats(rows * columns), {rows, columns});
  const auto sums = fg::compile(sliding_sums), maxima = fg::compile(sliding_maxima);
  const auto filter = fg::compile(filter_of_rows);
  floats_row<1>(
      measure, "sums of windows by slices, 50 of 10^6", n - w + 1, [&] { return sums(x, w); },
      [&](float* to) { omp_sliding_sums({1, n, w, x.data(), to}); });
  floats_row<1>(
      measure, "maxima of windows by slices, 50 of 10^6", n - w + 1, [&] { return maxima(x, w); },
      [&](float* to) { omp_sliding_maxima({1, n, w, x.data(), to}); });
  floats_row<2>(
      measure, "filter of 16 rows by slices, 64 of 50000", rows * (columns - taps + 1),
      [&] { return filter(many, h); },
      [&](float* to) { omp_filter({rows, columns, taps, many.data(), to}, h.data()); });
}

void measure_pool(const Measure& measure) {
  const std::int64_t planes = 64, n = 112;
  const fg::Array<float, 3> x(floats(planes * n * n), {planes, n, n});
  const auto pool = fg::compile(max_pool);
  floats_row<3>(
      measure, "max-pool by nested generate, 64 x 112 x 112", planes * n * n / 4, [&] { return pool(x); },
      [&](float* to) { omp_max_pool({planes, n, n, x.data(), to}); });
}

void measure_bags(const Measure& measure) {
  const std::int64_t bags = 16384, members = 20, columns = 64, rows = 50000;
  std::vector<int> ids(static_cast<std::size_t>(bags * members));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int>(i * 2654435761u % rows);
  const fg::Array<int, 2> chosen(ids, {bags, members});
  const fg::Array<float, 2> table(floats(rows * columns), {rows, columns});
  const auto means = fg::compile(means_of_bags);
  floats_row<2>(
      measure, "means of 20 chosen rows of 64", bags * columns, [&] { return means(chosen, table); },
      [&](float* to) { omp_means_of_bags({bags, members, columns, ids.data(), table.data(), to}); });
}

}  // namespace

void measure_checked(const Measure& measure) {
  measure_sliding(measure);
  measure_pool(measure);
  measure_bags(measure);
}

}  // namespace bench
