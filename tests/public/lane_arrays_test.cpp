// Functions of elements that change arrays of their own in loops: where the arrays of a vector of points fit,
// each lane keeps those of one. Against the interpreter, at numbers of points around those of vectors.
#include "policies.h"

#include <tuple>

namespace {

using fg::i64;
using Index = Exp<i64>;
using Ints = std::vector<int>;

constexpr const char* policies[] = {
    "", "lane_array_bytes=0", "lane_array_bytes=1073741824,lane_array_lines=1",
    "lane_array_bytes=1073741824,lane_array_lines=64,lane_array_vectors=4,scratch_tasks=2"};
constexpr std::int64_t numbers_of_points[] = {0, 1, 7, 16, 31, 32, 33, 64, 131};

template <class T>
fg::Array<T, 2> matrix(std::int64_t rows, std::int64_t columns) {
  std::vector<T> x(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 7919 % 23);
  return {std::move(x), {rows, columns}};
}

template <class T>
auto plain(const T& x) {
  if constexpr (requires { x.to_vector(); })
    return x.to_vector();
  else
    return x;
}
template <class... T>
auto plain(const std::tuple<T...>& x) {
  return std::apply([](const auto&... each) { return std::tuple{plain(each)...}; }, x);
}

// f(rows of T) for matrices of these widths.
template <class T, class F>
void as_interpreted(F program, std::initializer_list<std::int64_t> widths) {
  const auto reference = fg::compile(program, {.engine = fg::Engine::interpreter});
  std::vector<decltype(plain(reference(matrix<T>(1, 1))))> expected;  // the same by every policy
  for (const std::int64_t n : numbers_of_points)
    for (const std::int64_t width : widths) expected.push_back(plain(reference(matrix<T>(n, width))));
  on_every_engine_and_policy(policies, program, [&](const auto& f) {
    if (f.options().engine == fg::Engine::interpreter) return;
    std::size_t k = 0;
    for (const std::int64_t n : numbers_of_points)
      for (const std::int64_t width : widths) {
        SCOPED_TRACE(::testing::Message() << n << " points of " << width);
        EXPECT_EQ(plain(f(matrix<T>(n, width))), expected[k++]);
      }
  });
}

template <class T>
void recurrences() {
  as_interpreted<T>(
      [](Mat<T> m) {
        return fg::map(
            [](Vec<T> row) {
              const auto forth = fg::iterate(
                  row.size() - 1,
                  [&](Index k, Vec<T> x) { return fg::with(x, k + 1, x[k + 1] * row[k] + x[k]); }, row);
              return fg::iterate(
                  row.size() - 1,
                  [](Index k, Vec<T> x) {
                    const Index i = x.size() - 2 - k;
                    return fg::with(x, i, x[i] - x[i + 1]);
                  },
                  forth);
            },
            fg::rows(m));
      },
      {1, 2, 5, 9, 40});
}
TEST(LaneArrays, RecurrencesProperty) {
  recurrences<int>();
  recurrences<i64>();
  recurrences<fg::u8>();
  recurrences<double>();
}

// Columns that change, and that the result has as columns: those of a matrix, and those of matrices that
// change in points.
template <class T>
void columns() {
  as_interpreted<T>(
      [](Mat<T> m) {
        const auto summed = [](Vec<T> column) {
          return fg::iterate(
              fg::max(column.size() - 1, 0),
              [&](Index k, Vec<T> x) { return fg::with(x, k + 1, x[k + 1] * column[k] + x[k]); }, column);
        };
        const Mat<T> across = fg::transpose(fg::map(summed, fg::columns(m)));
        const auto scaled = fg::map(
            [&](Exp<T> by) {
              const Mat<T> own =
                  fg::generate({m.size(1), 5}, [&](Index i, Index j) { return by + fg::cast<T>(i * 3 + j); });
              return fg::transpose(fg::map(summed, fg::columns(own)));
            },
            fg::generate(m.size(0), [](Index i) { return fg::cast<T>(i); }));
        return std::tuple{across, scaled, fg::map([](Exp<T> x) { return x + T(1); }, across)};
      },
      {1, 2, 8, 33});
}
TEST(LaneArrays, ColumnsProperty) {
  columns<int>();
  columns<fg::u8>();
  columns<double>();
}

// Loops whose trips follow from loops around them.
TEST(LaneArrays, TriangularLoopsProperty) {
  as_interpreted<int>(
      [](Mat<int> m) {
        return fg::map(
            [](Vec<int> row) {
              const Index n = 4;
              return fg::iterate(
                  n,
                  [=](Index k, Vec<int> x) {
                    return fg::iterate(
                        n - 1 - k,
                        [=](Index i, Vec<int> y) {
                          const Index r = k + 1 + i;
                          const auto by = y[r * n + k] % 5;
                          return fg::iterate(
                              n - k,
                              [=](Index j, Vec<int> z) {
                                const Index at = r * n + k + j;
                                return fg::with(z, at, z[at] - by * z[k * n + k + j]);
                              },
                              y);
                        },
                        x);
                  },
                  row);
            },
            fg::rows(m));
      },
      {16, 20});
}

// Places that are data, values that join; arrays that are made anew in each iteration, and that exchange
// places.
TEST(LaneArrays, PlacesOfDataProperty) {
  as_interpreted<int>(
      [](Mat<int> m) {
        const auto of_rows = [](Vec<int> row) {
          const auto counts = fg::iterate(
              row.size(),
              [&](Index k, Vec<i64> c) {
                const Index at = fg::cast<i64>(row[k]);
                return fg::with(c, at, c[at] + k);
              },
              fg::replicate(23, Index(0)));
          const auto turned = fg::iterate(
              3, [](Index, Vec<int> x) { return fg::scan(std::plus<>(), 0, fg::reverse(x)); }, row);
          const auto [a, b] = fg::iterate(
              5,
              [](Index k, Vec<int> x, Vec<int> y) {
                return std::tuple{fg::with(y, k % y.size(), y[0] + 1), x};
              },
              row, fg::reverse(row));
          return std::tuple{counts, turned, a, b, fg::sum(turned)};
        };
        return fg::map(of_rows, fg::rows(m));
      },
      {1, 3, 24});
}

// Long rows that each iteration makes anew, around a reduction whose points change rows of their own.
template <class T>
void rows_around_scalar_loops() {
  as_interpreted<T>(
      [](Mat<T> m) {
        return fg::map(
            [](Vec<T> row) {
              const auto [last, total] = fg::iterate(
                  3,
                  [](Index k, Vec<T> x, Exp<T> sum) {
                    const Exp<T> most =
                        fg::reduce(fg::max, T(0),
                                   fg::map(
                                       [&](Index a) {
                                         const Vec<T> walked = fg::iterate(
                                             4,
                                             [&](Index j, Vec<T> w) {
                                               return fg::with(w, j + 1, w[j] + x[(a * 5 + j) % x.size()]);
                                             },
                                             fg::replicate(5, T(1)));
                                         return walked[4] + walked[2];
                                       },
                                       fg::iota(7)));
                    return std::tuple{fg::map([&](Exp<T> e) { return e + fg::cast<T>(k); }, fg::reverse(x)),
                                      sum + most};
                  },
                  row, Exp<T>(T(0)));
              return std::tuple{last, total};
            },
            fg::rows(m));
      },
      {1, 64, 65, 130});
}
TEST(LaneArrays, RowsAroundScalarLoopsProperty) {
  rows_around_scalar_loops<int>();
  rows_around_scalar_loops<double>();
}

TEST(LaneArrays, BranchesProperty) {
  as_interpreted<int>(
      [](Mat<int> m) {
        return fg::map(
            [](Vec<int> row) {
              return fg::iterate(
                  row.size(),
                  [&](Index k, Vec<int> x) {
                    return fg::cond(
                        x[k] % 2 == 0, [&] { return fg::with(x, 0, x[0] + x[k] / 2); },
                        [&] { return fg::with(fg::reverse(x), k, 3 * x[k] + 1); });
                  },
                  row);
            },
            fg::rows(m));
      },
      {1, 2, 9});
}

// Loops that end after another number of iterations in each lane; state in two halves.
TEST(LaneArrays, LoopsOfDifferentLengthsProperty) {
  as_interpreted<int>(
      [](Mat<int> m) {
        const auto of_rows = [](Vec<int> row) {
          const auto sorted = fg::iterate(
              row.size() - 1,
              [](Index i, Vec<int> before) {
                const auto [at, after] = fg::while_loop(
                    [](Index j, Vec<int> x) { return j > 0 && x[j - 1] > x[j]; },
                    [](Index j, Vec<int> x) {
                      return std::tuple{j - 1, fg::with(fg::with(x, j, x[j - 1]), j - 1, x[j])};
                    },
                    i + 1, before);
                return after;
              },
              row);
          const auto turned = fg::while_loop(
              [](Vec<int> x) { return x[0] % 7 != 0; },
              [](Vec<int> x) { return fg::map([](Exp<int> e) { return e + 1; }, fg::reverse(x)); },
              fg::with(row, row.size() - 1, row[0]));
          const auto some = fg::iterate(
              fg::cast<i64>(row[0]) % 5, [](Index k, Vec<int> x) { return fg::with(x, k % x.size(), 7); },
              row);
          return std::tuple{sorted, turned, some};
        };
        return fg::map(of_rows, fg::rows(m));
      },
      {1, 2, 9, 30});
}

// The lowest element that fails is reported, whichever lane it is in.
TEST(LaneArrays, WhatFails) {
  const auto program = [](Mat<int> m) {
    return fg::map(
        [](Vec<int> row) {
          return fg::iterate(
              row.size(),
              [&](Index k, Vec<int> x) {
                return fg::with(x, fg::cast<i64>(row[k]), x[fg::cast<i64>(row[k])]);
              },
              row);
        },
        fg::rows(m));
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t n : {1, 33, 100})
      for (const std::int64_t bad : {std::int64_t{0}, n / 2, n - 1}) {
        Ints x(static_cast<std::size_t>(3 * n), 1);
        for (const std::int64_t row : {bad, n - 1})
          x[static_cast<std::size_t>(3 * row + 1)] = static_cast<int>(1000 + row);
        try {
          f(fg::Array<int, 2>(x, {n, 3}));
          FAIL();
        } catch (const fg::IndexError& e) {
          EXPECT_NE(std::string(e.what()).find("index " + std::to_string(1000 + bad)), std::string::npos)
              << e.what();
        }
      }
  });
}

// Rows and columns that change inside of points, step after step, which lanes keep where they fit.
template <class T>
Vec<T> changed(Vec<T> row) {
  return fg::iterate(
      fg::max(row.size() - 1, 0),
      [&](Index k, Vec<T> x) { return fg::with(x, k + 1, x[k + 1] * row[k] + x[k]); }, row);
}
template <class T>
void inside_of_points() {
  static constexpr const char* by_size[] = {"", "lane_array_bytes=0", "lane_array_bytes=640",
                                            "lane_array_bytes=1073741824,lane_array_lines=1"};
  const auto program = [](Mat<T> m, Index height) {
    return fg::map(
        [&](Vec<T> row) {
          const Mat<T> begun = fg::generate(
              {height, row.size()}, [&](Index i, Index j) { return row[j] + fg::cast<T>(i * 3 + j); });
          return fg::iterate(
              2,
              [](Mat<T> grid) {
                const Mat<T> along = fg::map([](Vec<T> x) { return changed(x); }, fg::rows(grid));
                const auto [across, firsts] = fg::map(
                    [](Vec<T> x) {
                      const Vec<T> y = changed(x);
                      return std::tuple{y, y[0]};
                    },
                    fg::columns(along));
                return fg::map(
                    [&](Vec<T> x, Exp<T> by) { return x + by; }, fg::columns(across),
                    fg::generate(grid.size(0), [&, f = firsts](Index i) { return f[i % f.size()]; }));
              },
              begun);
        },
        fg::rows(m));
  };
  const auto reference = fg::compile(program, {.engine = fg::Engine::interpreter});
  on_every_engine_and_policy(by_size, program, [&](const auto& f) {
    for (const i64 height : {1, 2, 16, 37})
      for (const i64 width : {1, 9, 35}) {
        const auto m = matrix<T>(3, width);
        EXPECT_EQ(plain(f(m, height)), plain(reference(m, height))) << height << " x " << width;
      }
  });
}
TEST(LaneArrays, InsideOfPointsProperty) {
  inside_of_points<int>();
  inside_of_points<fg::u8>();
}

// Inside of a point, too, the lowest element that fails is reported.
TEST(LaneArrays, WhatFailsInsideOfPoints) {
  const auto program = [](Mat<int> m) {
    return fg::map(
        [&](Exp<int> by) {
          return fg::map(
              [&](Vec<int> row) {
                return fg::iterate(
                    row.size(), [&](Index k, Vec<int> x) { return fg::with(x, fg::cast<i64>(row[k]), by); },
                    row);
              },
              fg::rows(m));
        },
        fg::iota<int>(2));
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t n : {1, 33})
      for (const std::int64_t bad : {std::int64_t{0}, n / 2, n - 1}) {
        Ints x(static_cast<std::size_t>(3 * n), 1);
        for (const std::int64_t row : {bad, n - 1})
          x[static_cast<std::size_t>(3 * row + 1)] = static_cast<int>(1000 + row);
        const std::string message = message_of<fg::IndexError>([&] { f(fg::Array<int, 2>(x, {n, 3})); });
        EXPECT_NE(message.find("index " + std::to_string(1000 + bad)), std::string::npos) << message;
      }
  });
}

}  // namespace
