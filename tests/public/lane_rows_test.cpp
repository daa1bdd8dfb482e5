// Reductions of short rows, of which each lane takes one, against sequential loops: at extents around those
// of pieces, vectors and the longest short row, of each kind of operator, of lengths known early and late.
#include "lines.h"
#include "operators.h"
#include "policies.h"

#include <cmath>
#include <numeric>

namespace {

using fg::i64;
using lines::place;
using lines::Shape;
using Pair = std::tuple<std::uint32_t, std::uint32_t>;

constexpr std::int64_t all_rows[] = {0, 1, 7, 8, 9, 17, 67, 300};
constexpr std::int64_t all_columns[] = {0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 64, 65, 131};

// Rows in lanes as they are, of any length, never; with other pieces.
const char* const policies[] = {"", "lane_row=1000 cheap_tile=64 moderate_tile=64 expensive_tile=64",
                                "lane_row=0", "lane_row_steps=1", "lane_row_steps=16 lane_row=1000"};

template <class R, class T>
std::vector<R> of_rows(const std::vector<T>& x, const Shape<2>& shape, auto f) {
  return lines::mapped<R>(x, shape, 1, 1, [&](const std::vector<T>& row) { return std::vector<R>{f(row)}; });
}

TEST(LaneRows, SumsAndExtremesProperty) {
  const auto program = [](Mat<float> x, Mat<double> y, Mat<int> z, Mat<std::uint8_t> b) {
    return std::tuple{fg::sum(x, fg::axis(1)), fg::sum(y * y, fg::axis(1)), fg::max(z, fg::axis(1)),
                      fg::max(b, fg::axis(1)), fg::any(z == 3, fg::axis(1))};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : all_rows)
      for (const std::int64_t columns : all_columns) {
        const Shape<2> shape{rows, columns};
        SCOPED_TRACE(::testing::PrintToString(shape));
        const std::size_t n = lines::count(shape);
        const auto x = values<float>(n);
        const auto y = values<double>(n);
        const auto z = values<int>(n);
        const auto b = values<std::uint8_t>(n);
        const auto [sums, squares, most, bytes, any] =
            f(fg::Array<float, 2>(x, shape), fg::Array<double, 2>(y, shape), fg::Array<int, 2>(z, shape),
              fg::Array<std::uint8_t, 2>(b, shape));
        EXPECT_EQ(sums.to_vector(), of_rows<float>(x, shape, [](const auto& row) {
                    return std::accumulate(row.begin(), row.end(), 0.f);
                  }));
        EXPECT_EQ(squares.to_vector(), of_rows<double>(y, shape, [](const auto& row) {
                    return std::inner_product(row.begin(), row.end(), row.begin(), 0.);
                  }));
        const auto most_of = [](const auto& row) {
          auto best = std::numeric_limits<typename std::decay_t<decltype(row)>::value_type>::lowest();
          for (const auto value : row) best = std::max(best, value);
          return best;
        };
        EXPECT_EQ(most.to_vector(), of_rows<int>(z, shape, most_of));
        EXPECT_EQ(bytes.to_vector(), of_rows<std::uint8_t>(b, shape, most_of));
        const auto found =
            of_rows<int>(z, shape, [](const auto& row) { return std::ranges::count(row, 3) > 0; });
        EXPECT_EQ(any.to_vector(), std::vector<bool>(found.begin(), found.end()));
      }
  });
}

TEST(LaneRows, PlacesProperty) {
  const auto program = [](Mat<float> x, Mat<double> y, Mat<int> z) {
    const auto most = fg::map([](Vec<int> row) { return fg::argmax(row); }, fg::rows(z));
    return std::tuple{fg::argmin(x, fg::axis(1)), fg::argmax(x, fg::axis(1)), fg::argmin(y, fg::axis(1)),
                      most};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : all_rows)
      for (const std::int64_t columns : all_columns) {
        if (columns == 0) continue;
        const Shape<2> shape{rows, columns};
        SCOPED_TRACE(::testing::PrintToString(shape));
        const std::size_t n = lines::count(shape);
        auto x = values<float>(n);
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t row = i / static_cast<std::size_t>(columns);
          if (i % 5 == 0 || row % 3 == 1 || (row % 3 == 2 && i % 7 < 5)) x[i] = std::nanf("");
          if (row % 3 == 2 && !std::isnan(x[i])) x[i] = row % 2 == 0 ? -INFINITY : INFINITY;
        }
        const auto y = values<double>(n);
        const auto z = values<int>(n);
        const auto [least, most, least_double, most_int] =
            f(fg::Array<float, 2>(x, shape), fg::Array<double, 2>(y, shape), fg::Array<int, 2>(z, shape));
        const auto first_least = [](const auto& row) { return place(row, std::less<>()); };
        const auto first_most = [](const auto& row) { return place(row, std::greater<>()); };
        EXPECT_EQ(least.to_vector(), of_rows<i64>(x, shape, first_least));
        EXPECT_EQ(most.to_vector(), of_rows<i64>(x, shape, first_most));
        EXPECT_EQ(least_double.to_vector(), of_rows<i64>(y, shape, first_least));
        EXPECT_EQ(most_int.to_vector(), of_rows<i64>(z, shape, first_most));
      }
  });
}

// Operators on tuples that choose one operand, the first or the last of equal ones, and some that do not;
// none of them commutes.
TEST(LaneRows, TuplesProperty) {
  using Spot = std::tuple<int, i64>;
  const auto program = [](Mat<int> x, Mat<std::uint32_t> a, Mat<std::uint32_t> b) {
    const auto spots = [](Vec<int> row) {
      return fg::map([](Exp<int> value, Exp<i64> j) { return std::tuple{value, j}; }, row,
                     fg::iota(row.size()));
    };
    const auto last = [](Exp<Spot> u, Exp<Spot> v) {
      const auto wins = fg::get<0>(v) >= fg::get<0>(u);
      return std::tuple{fg::select(wins, fg::get<0>(v), fg::get<0>(u)),
                        fg::select(wins, fg::get<1>(v), fg::get<1>(u))};
    };
    const auto first = [](Exp<Spot> u, Exp<Spot> v) {
      const auto wins = fg::get<0>(v) < fg::get<0>(u);
      return std::tuple{fg::select(wins, fg::get<0>(v), fg::get<0>(u)),
                        fg::select(wins, fg::get<1>(v), fg::get<1>(u))};
    };
    const auto then = [](Exp<Pair> f, Exp<Pair> g) {
      const auto [p, q] = f;
      const auto [r, s] = g;
      return std::tuple{p * r, q * r + s};
    };
    const auto greatest = fg::map([&](Vec<int> row) { return fg::reduce(last, spots(row)); }, fg::rows(x));
    const auto least = fg::map([&](Vec<int> row) { return fg::reduce(first, spots(row)); }, fg::rows(x));
    const auto affine = fg::reduce(then, Pair{1, 0}, fg::zip(a, b), fg::axis(1));
    const auto [most, most_at] = fg::unzip(greatest);
    const auto [fewest, fewest_at] = fg::unzip(least);
    const auto [scale, shift] = fg::unzip(affine);
    return std::tuple{most, most_at, fewest, fewest_at, scale, shift};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : all_rows)
      for (const std::int64_t columns : all_columns) {
        if (columns == 0) continue;
        const Shape<2> shape{rows, columns};
        SCOPED_TRACE(::testing::PrintToString(shape));
        const std::size_t n = lines::count(shape);
        std::vector<int> x(n);
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i * 7919 % 5) - 2;
        const auto a = values<std::uint32_t>(n), b = values<std::uint32_t>(n + 1);
        const std::vector<std::uint32_t> shifts(b.begin(), b.end() - 1);
        const auto [most, most_at, fewest, fewest_at, scale, shift] =
            f(fg::Array<int, 2>(x, shape), fg::Array<std::uint32_t, 2>(a, shape),
              fg::Array<std::uint32_t, 2>(shifts, shape));
        const auto last_most = [](const auto& row) { return place(row, std::greater_equal<>()); };
        const auto first_least = [](const auto& row) { return place(row, std::less<>()); };
        const auto value_at = [](auto at) {
          return [at](const auto& row) { return row[static_cast<std::size_t>(at(row))]; };
        };
        EXPECT_EQ(most_at.to_vector(), of_rows<i64>(x, shape, last_most));
        EXPECT_EQ(fewest_at.to_vector(), of_rows<i64>(x, shape, first_least));
        EXPECT_EQ(most.to_vector(), of_rows<int>(x, shape, value_at(last_most)));
        EXPECT_EQ(fewest.to_vector(), of_rows<int>(x, shape, value_at(first_least)));
        std::vector<std::uint32_t> scales(static_cast<std::size_t>(rows), 1), sums(scales.size(), 0);
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t row = i / static_cast<std::size_t>(columns);
          scales[row] *= a[i];
          sums[row] = sums[row] * a[i] + shifts[i];
        }
        EXPECT_EQ(scale.to_vector(), scales);
        EXPECT_EQ(shift.to_vector(), sums);
      }
  });
}

// Inside of points that make arrays, and so are scalar code: lanes take the rows of a fold of folds.
TEST(LaneRows, FoldedOnceMoreInsideOfPointsProperty) {
  const auto program = [](Mat<int> x, Mat<int> queries) {
    return fg::map(
        [&](Vec<int> query) {
          const Vec<int> products = fg::map([&](Vec<int> row) { return fg::sum(row * query); }, fg::rows(x));
          const auto places = fg::with(fg::replicate(2, i64{0}), Exp<i64>(0), fg::argmin(products));
          return fg::with(places, Exp<i64>(1), fg::argmax(products));
        },
        fg::rows(queries));
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : all_rows)
      for (const std::int64_t columns : all_columns) {
        if (rows == 0) continue;
        const Shape<2> shape{rows, columns};
        SCOPED_TRACE(::testing::PrintToString(shape));
        std::vector<int> x(lines::count(shape));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7919 % 11) - 5;
        std::vector<int> queries(static_cast<std::size_t>(3 * columns));
        for (std::size_t i = 0; i < queries.size(); ++i) queries[i] = static_cast<int>(i * 31 % 13) - 6;
        std::vector<i64> expected;
        for (std::size_t q = 0; q < 3; ++q) {
          const auto query = queries.begin() + static_cast<std::ptrdiff_t>(q) * columns;
          const auto products = of_rows<int>(x, shape, [&](const auto& row) {
            return std::inner_product(row.begin(), row.end(), query, 0);
          });
          expected.push_back(place(products, std::less<>()));
          expected.push_back(place(products, std::greater<>()));
        }
        const auto found = f(fg::Array<int, 2>(x, shape), fg::Array<int, 2>(queries, {3, columns}));
        EXPECT_EQ(found.to_vector(), expected);
      }
  });
}

// Lengths that are known while tracing: of rows of a vector, and of arrays that are made.
template <int N>
void test_known_length() {
  const auto program = [](Vec<float> x) {
    const Mat<float> m = fg::reshape(x, {x.size() / N, N});
    const Mat<float> made =
        fg::generate({x.size() / N, N}, [&](Exp<i64> i, Exp<i64> j) { return m(i, j) * 2.f; });
    return std::tuple{fg::argmin(m, fg::axis(1)), fg::sum(made, fg::axis(1)), fg::argmax(made, fg::axis(1))};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : all_rows) {
      const Shape<2> shape{rows, N};
      SCOPED_TRACE(::testing::PrintToString(shape));
      const auto x = values<float>(lines::count(shape));
      const auto [least, sums, most] = f(x);
      EXPECT_EQ(least.to_vector(),
                of_rows<i64>(x, shape, [](const auto& row) { return place(row, std::less<>()); }));
      EXPECT_EQ(sums.to_vector(), of_rows<float>(x, shape, [](const auto& row) {
                  return 2 * std::accumulate(row.begin(), row.end(), 0.f);
                }));
      EXPECT_EQ(most.to_vector(),
                of_rows<i64>(x, shape, [](const auto& row) { return place(row, std::greater<>()); }));
    }
  });
}

TEST(LaneRows, OfKnownLengthProperty) {
  test_known_length<1>();
  test_known_length<3>();
  test_known_length<4>();
  test_known_length<7>();
  test_known_length<16>();
}

// For each point of an outer map lanes take rows where these are short, and go along each where they are
// long.
TEST(LaneRows, InsideOfPointsProperty) {
  const auto program = [](Mat<float> queries, Mat<float> points, Mat<int> z) {
    const auto apart = fg::map(
        [&](Vec<float> query) {
          const auto all = fg::map(
              [&](Vec<float> point) {
                const auto d = query - point;
                return std::tuple{fg::sum(d * d), fg::argmin(fg::abs(d))};
              },
              fg::rows(points));
          const auto [sums, least] = fg::unzip(all);
          const auto sorted = fg::sort(sums);
          return std::tuple{fg::sum(sums), fg::max(least), fg::max(sorted - sums)};
        },
        fg::rows(queries));
    const auto inner = fg::map(
        [&](Exp<int> by) {
          const auto sums = fg::map([&](Vec<int> row) { return fg::sum(row * by); }, fg::rows(z));
          return fg::sum(fg::scan(fg::plus, 0, sums));
        },
        fg::iota<int>(queries.size(0)));
    const auto [a, b, c] = fg::unzip(apart);
    return std::tuple{a, b, c, inner};
  };
  const auto reference = fg::compile(program, {.engine = fg::Engine::interpreter});
  const auto of_shape = [](const auto& f, const Shape<2>& shape) {
    const Shape<2> of_queries{3, shape[1]};
    const fg::Array<float, 2> queries(values<float>(lines::count(of_queries)), of_queries),
        points(values<float>(lines::count(shape)), shape);
    const fg::Array<int, 2> z(values<int>(lines::count(shape)), shape);
    const auto [a, b, c, inner] = f(queries, points, z);
    return std::tuple{a.to_vector(), b.to_vector(), c.to_vector(), inner.to_vector()};
  };
  // Every policy gives the results of the reference.
  std::vector<std::pair<Shape<2>, decltype(of_shape(reference, Shape<2>{1, 1}))>> expected;
  for (const std::int64_t rows : {1, 2, 15, 16, 17, 63, 64, 65, 131})
    for (const std::int64_t columns : {1, 2, 3, 4, 7, 8, 15, 16, 17, 40})
      expected.emplace_back(Shape<2>{rows, columns}, of_shape(reference, {rows, columns}));
  on_every_engine_and_policy(policies, program, [&](const auto& f) {
    if (f.options().engine == fg::Engine::interpreter) return;
    for (const auto& [shape, results] : expected) {
      SCOPED_TRACE(::testing::PrintToString(shape));
      EXPECT_EQ(of_shape(f, shape), results);
    }
  });
}

// A sum in a lane passes through few roundings (float_sum_error).
TEST(LaneRows, SumsRoundLittle) {
  const auto f = fg::compile([](Mat<float> x) { return fg::sum(x, fg::axis(1)); });
  for (const std::int64_t columns : {2, 3, 5, 8, 15, 16, 17, 18, 24, 33, 64}) {
    const Shape<2> shape{1000, columns};
    SCOPED_TRACE(::testing::PrintToString(shape));
    std::vector<float> x(lines::count(shape));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.f / static_cast<float>(i % 977 + 3);
    const auto exact = of_rows<double>(
        x, shape, [](const auto& row) { return std::accumulate(row.begin(), row.end(), 0.); });
    const std::vector<float> sums = f(fg::Array<float, 2>(x, shape)).to_vector();
    const double bound = 2 * std::log2(static_cast<double>(columns)) * std::numeric_limits<float>::epsilon();
    for (std::size_t i = 0; i < sums.size(); ++i)
      ASSERT_NEAR(sums[i], exact[i], bound * exact[i]) << "row " << i;
  }
}

TEST(LaneRows, ReadsOutsideOfArraysFail) {
  const auto program = [](Mat<int> at, Vec<int> table) {
    return fg::map(
        [&](Vec<int> row) {
          return fg::sum(fg::map([&](Exp<int> i) { return table[fg::cast<i64>(i)]; }, row));
        },
        fg::rows(at));
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    const Shape<2> shape{70, 6};
    std::vector<int> at(lines::count(shape), 2);
    EXPECT_EQ(f(fg::Array<int, 2>(at, shape), std::vector<int>{1, 2, 3}).to_vector(),
              std::vector<int>(70, 18));
    at[6 * 69 + 5] = 5;
    EXPECT_NE(message_of<fg::IndexError>([&] {
                (void)f(fg::Array<int, 2>(at, shape), std::vector<int>{1, 2, 3});
              }).find("index 5"),
              std::string::npos);
  });
}

}  // namespace
