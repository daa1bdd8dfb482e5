#include "nests_rows.h"

#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <cmath>
#include <cstdlib>

#include "peers/nests_rows.h"

namespace bench {
namespace {

namespace fg = fulgurite;
using fg::Mat, fg::Vec;

fg::Array<float, 2> matrix(std::int64_t rows, std::int64_t columns) {
  std::vector<float> x(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 10007) / 8;
  return {std::move(x), {rows, columns}};
}

Rows rows_of(const fg::Array<float, 2>& m) {
  return {m.shape()[0], m.shape()[1], m.data()};
}

template <class R>
void require_close(const std::string& name, const fg::Array<R, 1>& ours, const std::vector<R>& theirs) {
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double a = static_cast<double>(ours.data()[i]), b = static_cast<double>(theirs[i]);
    if (std::abs(a - b) <= 1e-4 * (1 + std::abs(b))) continue;
    fmt::print(stderr, "{}: row {} is {}, not {}\n", name, i, a, b);
    std::exit(1);
  }
}

// A program that gives an R for each row, with matrices of these columns.
template <class R, class F>
void program(const Table& table, const std::string& name, std::initializer_list<std::int64_t> columns,
             const F& f, const std::function<void(const Rows&, R*)>& peer) {
  constexpr std::int64_t elements = 4000000;
  for (const std::int64_t n : columns) {
    const std::int64_t rows = elements / n;
    const std::string full = fmt::format("{} of rows {} x {}", name, rows, n);
    if (!table.wants(full)) continue;
    const fg::Array<float, 2> m = matrix(rows, n);
    std::vector<R> theirs(static_cast<std::size_t>(rows));
    fg::Array<R, 1> result;
    const auto ours = [&] { result = {}, result = f(m); };
    const auto with_openmp = [&] { peer(rows_of(m), theirs.data()); };
    ours(), with_openmp();
    require_close(full, result, theirs);
    table.add(full, ours, with_openmp, [&] { read_rows(rows_of(m), sizeof(R), theirs.data()); });
  }
}

}  // namespace

void add_rows(const Table& table) {
  const auto sums = fg::compile([](Mat<float> m) { return fg::sum(m, fg::axis(1)); });
  program<float>(table, "sum", {1, 2, 3, 4, 8, 16}, sums, omp_row_sums);
  const auto places = fg::compile(
      [](Mat<float> m) { return fg::map([](Vec<float> row) { return fg::argmin(row); }, fg::rows(m)); });
  program<std::int64_t>(table, "argmin", {4, 16, 64, 256, 4096}, places, omp_row_places);
  const fg::Array<float, 2> centres = matrix(16, 8);
  const auto nearest = fg::compile([](Mat<float> points, Mat<float> all) {
    return fg::map(
        [&](Vec<float> point) {
          return fg::argmin(fg::map(
              [&](Vec<float> centre) {
                const Vec<float> apart = point - centre;
                return fg::sum(apart * apart);
              },
              fg::rows(all)));
        },
        fg::rows(points));
  });
  program<std::int64_t>(
      table, "nearest of 16", {8}, [&](const auto& m) { return nearest(m, centres); },
      [&](const Rows& m, std::int64_t* to) { omp_nearest(m, rows_of(centres), to); });
}

}  // namespace bench
