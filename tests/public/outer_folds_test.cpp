// Reductions along an axis outside of the contiguous one, against sequential loops: at extents around those
// of chains, tasks and vectors, of each kind of operator, with tasks as they are and with many small ones.
#include "lines.h"
#include "operators.h"
#include "policies.h"

#include <cmath>
#include <numeric>

namespace {

using lines::Shape;
using Ints = std::vector<int>;
using Pair = std::tuple<std::uint32_t, std::uint32_t>;

constexpr std::int64_t all_rows[] = {0, 1, 16, 17, 63, 65, 256, 257, 1031};
constexpr std::int64_t all_columns[] = {0, 1, 3, 4, 5, 16, 17, 63, 64, 67, 131};

// Where tasks, chains and joins are small, they are there at extents that are; the last one fetches rows
// where accumulators have several components.
constexpr char small[] =
    "fold_rows=2 fold_chain=3 fold_least_rows=5 fold_block=64 fold_tiles=1 cheap_tile=64 moderate_tile=64";
constexpr char fetched[] =
    "fold_chain=4 fold_least_rows=16 fold_fetched_points=0 fold_fetched_block=64 fold_ahead=3";
constexpr char abreast[] = "fold_rows=2 fold_abreast=3";
const char* const policies[] = {"", small, fetched, abreast};

template <class T>
std::vector<T> along_rows(const std::vector<T>& x, const Shape<2>& shape, T first, auto op) {
  return lines::mapped<T>(x, shape, 0, 1, [&](const std::vector<T>& line) {
    return std::vector<T>{std::accumulate(line.begin(), line.end(), first, op)};
  });
}

TEST(OuterFolds, SumsAndExtremesProperty) {
  const auto program = [](Mat<float> x, Mat<double> y, Mat<int> z, Vec<float> w) {
    return std::tuple{fg::sum(x, fg::axis(0)),  fg::sum(y * y, fg::axis(0)), fg::max(z, fg::axis(0)),
                      fg::mean(x, fg::axis(0)), fg::argmax(x, fg::axis(0)),  fg::matvec(fg::transpose(x), w)};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : all_rows)
      for (const std::int64_t columns : all_columns) {
        if (rows == 0) continue;
        const Shape<2> shape{rows, columns};
        SCOPED_TRACE(::testing::PrintToString(shape));
        const auto x = values<float>(lines::count(shape));
        const auto y = values<double>(lines::count(shape));
        const auto z = values<int>(lines::count(shape));
        const auto w = values<float>(static_cast<std::size_t>(rows));
        const auto [sums, squares, most, means, at, products] =
            f(fg::Array<float, 2>(x, shape), fg::Array<double, 2>(y, shape), fg::Array<int, 2>(z, shape), w);
        EXPECT_EQ(sums.to_vector(), along_rows(x, shape, 0.f, std::plus<>()));
        EXPECT_EQ(squares.to_vector(),
                  along_rows(y, shape, 0., [](double a, double b) { return a + b * b; }));
        EXPECT_EQ(most.to_vector(), along_rows(z, shape, std::numeric_limits<int>::min(),
                                               [](int a, int b) { return std::max(a, b); }));
        EXPECT_EQ(means.to_vector(),
                  lines::mapped<float>(x, shape, 0, 1, [&](const std::vector<float>& line) {
                    return std::vector<float>{std::accumulate(line.begin(), line.end(), 0.f) /
                                              static_cast<float>(rows)};
                  }));
        EXPECT_EQ(
            at.to_vector(), lines::mapped<std::int64_t>(x, shape, 0, 1, [](const std::vector<float>& line) {
              return std::vector<std::int64_t>{std::max_element(line.begin(), line.end()) - line.begin()};
            }));
        EXPECT_EQ(products.to_vector(),
                  lines::mapped<float>(x, shape, 0, 1, [&](const std::vector<float>& line) {
                    return std::vector<float>{std::inner_product(line.begin(), line.end(), w.begin(), 0.f)};
                  }));
      }
  });
}

// Equal elements, and NaNs, which are passed over unless there is nothing else: infinities are something
// else.
TEST(OuterFolds, IndicesOfTiesProperty) {
  const auto program = [](Mat<float> x) {
    return std::tuple{fg::argmax(x, fg::axis(0)), fg::argmin(x, fg::axis(0))};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : all_rows)
      for (const std::int64_t columns : all_columns) {
        if (rows == 0) continue;
        const Shape<2> shape{rows, columns};
        SCOPED_TRACE(::testing::PrintToString(shape));
        std::vector<float> x(lines::count(shape));
        for (std::size_t i = 0; i < x.size(); ++i) {
          const std::size_t column = i % static_cast<std::size_t>(columns), k = i * 7919 % 1009;
          x[i] = column % 7 == 3 || k % 5 < 2 ? NAN : static_cast<float>(k % 4);
          if (column % 7 > 4 && !std::isnan(x[i])) x[i] = column % 7 == 5 ? -INFINITY : INFINITY;
        }
        const auto first_of = [&](auto is_better) {
          return lines::mapped<std::int64_t>(x, shape, 0, 1, [&](const std::vector<float>& line) {
            return std::vector<std::int64_t>{lines::place(line, is_better)};
          });
        };
        const auto [most, least] = f(fg::Array<float, 2>(x, shape));
        EXPECT_EQ(most.to_vector(), first_of(std::greater<>()));
        EXPECT_EQ(least.to_vector(), first_of(std::less<>()));
      }
  });
}

// Operators that do not commute: rows are joined in their order.
TEST(OuterFolds, InOrderProperty) {
  const auto program = [](Mat<int> x, Mat<std::uint32_t> a, Mat<std::uint32_t> b, Vec<int> first) {
    const auto last = [](Exp<int> u, Exp<int> v) { return fg::select(v != 0, v, u); };
    const auto then = [](Exp<Pair> f, Exp<Pair> g) {
      const auto [p, q] = f;
      const auto [r, s] = g;
      return std::tuple{p * r, q * r + s};
    };
    const auto [scale, shift] = fg::unzip(fg::reduce(then, Pair{1, 0}, fg::zip(a, b), fg::axis(0)));
    const auto from = fg::generate(x.size(1), [&](Exp<std::int64_t> j) {
      return fg::fold(last, first[j], fg::generate(x.size(0), [&](Exp<std::int64_t> i) { return x(i, j); }));
    });
    return std::tuple{fg::reduce(last, 0, x, fg::axis(0)), scale, shift, from};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : all_rows)
      for (const std::int64_t columns : all_columns) {
        const Shape<2> shape{rows, columns};
        SCOPED_TRACE(::testing::PrintToString(shape));
        Ints x(lines::count(shape));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 3 == 0 ? 0 : static_cast<int>(i * 7919 % 23);
        const auto a = values<std::uint32_t>(x.size()), b = values<std::uint32_t>(x.size() + 1);
        const Ints first = values<int>(static_cast<std::size_t>(columns));
        const std::vector<std::uint32_t> shifts(b.begin(), b.end() - 1);
        const auto last = [](int u, int v) { return v != 0 ? v : u; };
        const auto [reduced, scale, shift, from] =
            f(fg::Array<int, 2>(x, shape), fg::Array<std::uint32_t, 2>(a, shape),
              fg::Array<std::uint32_t, 2>(shifts, shape), first);
        EXPECT_EQ(reduced.to_vector(), along_rows(x, shape, 0, last));
        Ints expected = first;
        std::vector<std::uint32_t> scales(first.size(), 1), sums(first.size(), 0);
        for (std::size_t i = 0; i < x.size(); ++i) {
          const std::size_t j = i % first.size();
          expected[j] = last(expected[j], x[i]);
          scales[j] *= a[i];
          sums[j] = sums[j] * a[i] + shifts[i];
        }
        EXPECT_EQ(from.to_vector(), expected);
        EXPECT_EQ(scale.to_vector(), scales);
        EXPECT_EQ(shift.to_vector(), sums);
      }
  });
}

TEST(OuterFolds, OfThreeAxesProperty) {
  const auto program = [](fg::Acc<int, 3> x) {
    return std::tuple{fg::sum(x, fg::axis(0)), fg::sum(x, fg::axis(1)), fg::max(x * 2, fg::axis(1)),
                      fg::any(x == 3, fg::axis(0))};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const Shape<3>& shape : {Shape<3>{0, 3, 5},
                                  {3, 0, 5},
                                  {3, 70, 0},
                                  {1, 17, 64},
                                  {33, 18, 65},
                                  {70, 3, 4},
                                  {2, 300, 67},
                                  {300, 2, 131},
                                  {19, 20, 3}}) {
      SCOPED_TRACE(::testing::PrintToString(shape));
      if (lines::count(shape) == 0) continue;
      Ints x(lines::count(shape));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7919 % 1009) - 500;
      const auto along = [&](std::size_t axis, int first, auto op) {
        return lines::mapped<int>(x, shape, axis, 1, [&](const Ints& line) {
          return Ints{std::accumulate(line.begin(), line.end(), first, op)};
        });
      };
      const auto [first, second, most, any] = f(fg::Array<int, 3>(x, shape));
      EXPECT_EQ(first.to_vector(), along(0, 0, std::plus<>()));
      EXPECT_EQ(second.to_vector(), along(1, 0, std::plus<>()));
      EXPECT_EQ(most.to_vector(), along(1, -10000, [](int a, int b) { return std::max(a, 2 * b); }));
      const Ints found = along(0, 0, [](int a, int b) { return a | static_cast<int>(b == 3); });
      EXPECT_EQ(any.to_vector(), std::vector<bool>(found.begin(), found.end()));
    }
  });
}

// A sum passes through few roundings however many rows there are (float_sum_error).
TEST(OuterFolds, SumsOfManyRowsRoundLittle) {
  const auto f = fg::compile([](Mat<float> x) { return fg::sum(x, fg::axis(0)); });
  for (const Shape<2>& shape : {Shape<2>{100, 300}, {5000, 70}, {300000, 4}, {70000, 16}, {30000, 150}}) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    std::vector<float> x(lines::count(shape));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.f / static_cast<float>(i % 977 + 3);
    const auto exact = lines::mapped<double>(x, shape, 0, 1, [](const std::vector<float>& line) {
      return std::vector<double>{std::accumulate(line.begin(), line.end(), 0.)};
    });
    const std::vector<float> sums = f(fg::Array<float, 2>(x, shape)).to_vector();
    const double bound = 2 * std::log2(static_cast<double>(shape[0])) * std::numeric_limits<float>::epsilon();
    for (std::size_t j = 0; j < sums.size(); ++j)
      ASSERT_NEAR(sums[j], exact[j], bound * exact[j]) << "column " << j;
  }
}

TEST(OuterFolds, ReadsOutsideOfArraysFail) {
  const auto program = [](Mat<int> at, Vec<int> table) {
    const auto values = fg::map([&](Exp<int> i) { return table[fg::cast<std::int64_t>(i)]; }, at);
    return fg::sum(values, fg::axis(0));
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    const Shape<2> shape{100, 70};
    Ints at(lines::count(shape), 2);
    EXPECT_EQ(f(fg::Array<int, 2>(at, shape), Ints{1, 2, 3}).to_vector(), Ints(70, 300));
    at[70 * 99 + 69] = 5;
    EXPECT_NE(message_of<fg::IndexError>([&] {
                (void)f(fg::Array<int, 2>(at, shape), Ints{1, 2, 3});
              }).find("index 5"),
              std::string::npos);
  });
}

}  // namespace
