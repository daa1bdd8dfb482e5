// Sorts of which only the first elements are read, which reductions find, against stable sorts in plain C++.
#include "engines.h"
#include "every_type.h"
#include "some_values.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace {

using fg::i64;

template <class T, class Less>
std::vector<i64> order_of(const std::vector<T>& x, Less less) {
  std::vector<i64> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](i64 a, i64 b) {
    return less(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]);
  });
  return order;
}

constexpr int sizes[] = {3, 4, 5, 16, 17, 64, 65, 1000, 20011};

template <class T>
void check_first_three() {
  const auto first_three = [](Vec<T> x) {
    return std::tuple{fg::take(fg::sort(x), 3), fg::take(fg::argsort(x), 3)};
  };
  on_every_engine(first_three, [](const auto& f) {
    for (int n : sizes) {
      const std::vector<T> x = some<T>(n);
      const auto order = order_of(x, [](T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
          if (std::isnan(a) && std::isnan(b)) return false;
        return precedes(a, b);
      });
      const auto [values, places] = f(x);
      for (int i = 0; i < 3; ++i) {
        const T expected = x[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
        ASSERT_EQ(places[i], order[static_cast<std::size_t>(i)]) << i << " of " << n;
        if constexpr (std::is_floating_point_v<T>)
          ASSERT_TRUE((std::isnan(values[i]) && std::isnan(expected)) ||
                      (values[i] == expected && std::signbit(values[i]) == std::signbit(expected)));
        else
          ASSERT_EQ(values[i], expected);
      }
    }
    for (int n : {0, 1, 2}) EXPECT_THROW(f(some<T>(n)), fg::ShapeError);
  });
}

TEST(Selection, FirstThreeOfEveryNumber) {
  for_every_number([]<class T>() { check_first_three<T>(); });
}

TEST(Selection, ExplainSaysIt) {
  const auto f = fg::compile([](Vec<float> x) { return fg::take(fg::sort(x), 3); });
  testing::internal::CaptureStdout();
  fg::explain(f);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("only its first 3 elements are read: a reduction finds them"), text.npos) << text;
}

// Each row's largest two by a comparison, as far as it has so many, with what stands beside them.
TEST(Selection, OfRowsThatMayBeShorter) {
  const auto f = [](Mat<float> x) {
    return fg::map(
        [](Vec<float> row) {
          const auto greater = [](Exp<float> a, Exp<float> b) { return a > b; };
          const auto sorted = fg::sort_by_key(greater, row, fg::iota<int>(row.size()));
          const Vec<float> best = std::get<0>(sorted);
          const Vec<int> at = std::get<1>(sorted);
          return fg::generate(2, [&](Exp<i64> k) {
            return fg::cond(
                k < row.size(), [&] { return best[k] * 100.0f + fg::cast<float>(at[k]); },
                [] { return -1.0f; });
          });
        },
        fg::rows(x));
  };
  on_every_engine(f, [](const auto& g) {
    for (const auto& [n, m] : {std::pair<int, int>{1, 1}, {7, 5}, {3, 16}, {30, 1}, {5, 700}, {100, 3}}) {
      std::vector<float> x = some<float>(n * m);
      for (float& value : x) value = std::isfinite(value) ? std::fabs(value) : 0.0f;
      const fg::Array<float, 2> matrix(x, std::array{i64{n}, i64{m}});
      const auto best = g(matrix);
      for (int i = 0; i < n; ++i) {
        const std::vector<float> row(x.begin() + i * m, x.begin() + (i + 1) * m);
        const auto order = order_of(row, std::greater<>());
        for (int k = 0; k < 2; ++k) {
          const auto place = k < m ? static_cast<std::size_t>(order[static_cast<std::size_t>(k)]) : 0;
          const float expected = k < m ? row[place] * 100.0f + static_cast<float>(place) : -1.0f;
          ASSERT_EQ(best(i, k), expected) << i << ", " << k << " of " << n << " x " << m;
        }
      }
    }
  });
}

// A table of rows, each of which is compared with all of the other one: the rows of the first stay in
// vectors.
TEST(Selection, NearestOfDistances) {
  const auto f = [](Mat<float> queries, Mat<float> points) {
    return fg::map(
        [&](Vec<float> query) {
          const Vec<float> apart = fg::map(
              [&](Vec<float> point) {
                const Vec<float> d = query - point;
                return fg::sum(d * d);
              },
              fg::rows(points));
          return fg::take(fg::argsort(apart), 2);
        },
        fg::rows(queries));
  };
  on_every_engine(f, [](const auto& g) {
    for (const auto& [n, m, d] :
         {std::array{1, 2, 1}, {9, 2, 3}, {40, 30, 4}, {70, 11, 17}, {33, 20, 64}, {35, 9, 131}}) {
      const auto table = [&](int rows, int seed) {
        std::vector<float> x;
        for (int i = 0; i < rows * d; ++i) x.push_back(static_cast<float>((i * 37 + seed + i / d) % 11));
        return x;
      };
      const std::vector<float> a = table(n, 3), b = table(m, 5);
      const auto nearest = g(fg::Array<float, 2>(a, std::array{i64{n}, i64{d}}),
                             fg::Array<float, 2>(b, std::array{i64{m}, i64{d}}));
      for (int i = 0; i < n; ++i) {
        std::vector<float> apart;
        for (int j = 0; j < m; ++j) {
          float sum = 0;
          for (int k = 0; k < d; ++k) {
            const float difference =
                a[static_cast<std::size_t>(i * d + k)] - b[static_cast<std::size_t>(j * d + k)];
            sum += difference * difference;
          }
          apart.push_back(sum);
        }
        const auto order = order_of(apart, std::less<>());
        for (int k = 0; k < 2; ++k) ASSERT_EQ(nearest(i, k), order[static_cast<std::size_t>(k)]);
      }
    }
  });
}

}  // namespace
