// Sorting, stable, by radix and by merging, against sorts in plain C++.
#include "engines.h"
#include "every_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace {

using fg::i64;
const int sizes[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 1023, 1024, 1025, 20011};

template <class T>
T any(std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const T special[] = {T(0), -T(0), infinity, -infinity, std::numeric_limits<T>::denorm_min(), T(-1)};
    const auto choice = random() % 32;
    return choice < 6 ? special[choice] : static_cast<T>(static_cast<double>(random() % 2001) - 1000) / T(8);
  } else {
    return static_cast<T>(random());
  }
}
template <class T>
std::vector<T> some(int n, unsigned seed = 1) {
  std::mt19937_64 random(seed * 7919 + static_cast<unsigned>(n));
  std::vector<T> values;
  for (int i = 0; i < n; ++i) values.push_back(any<T>(random));
  return values;
}
// Many equal keys.
std::vector<int> few(int n, int different, unsigned seed = 1) {
  std::mt19937_64 random(seed * 104729 + static_cast<unsigned>(n));
  std::vector<int> values;
  for (int i = 0; i < n; ++i)
    values.push_back(static_cast<int>(random() % static_cast<unsigned>(different)) - different / 2);
  return values;
}

template <class T>
bool precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == 0 && b == 0) return std::signbit(a) && !std::signbit(b);
  }
  return a < b;
}
template <class T>
bool same_bits(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  } else {
    return a == b;
  }
}
template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<i64>& order) {
  std::vector<T> result;
  for (i64 i : order) result.push_back(values[static_cast<std::size_t>(i)]);
  return result;
}
template <class Less>
std::vector<i64> order_of(i64 n, Less less) {
  std::vector<i64> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](i64 a, i64 b) { return less(a, b) || (!less(b, a) && a < b); });
  return order;
}

template <class T>
void check_by_radix() {
  on_every_engine([](Vec<T> x) { return std::tuple{fg::sort(x), fg::argsort(x)}; },
                  [](const auto& f) {
                    for (int n : sizes) {
                      const std::vector<T> x = some<T>(n);
                      const auto order = order_of(n, [&](i64 a, i64 b) {
                        return precedes<T>(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]);
                      });
                      const auto [sorted, indices] = f(x);
                      ASSERT_EQ(vector_of(indices), order) << n;
                      ASSERT_EQ(sorted.size(), n);
                      for (int i = 0; i < n; ++i)
                        ASSERT_TRUE(same_bits<T>(
                            sorted[i], x[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]))
                            << i << " of " << n;
                    }
                  });
}
TEST(Sort, EveryNumber) {
  for_every_number([]<class T>() { check_by_radix<T>(); });
}

TEST(Sort, Booleans) {
  on_every_engine([](Vec<int> x) { return std::tuple{fg::sort(x > 0), fg::argsort(x > 0)}; },
                  [](const auto& f) {
                    for (int n : sizes) {
                      const auto x = few(n, 20);
                      const auto [sorted, indices] = f(x);
                      const auto order = order_of(n, [&](i64 a, i64 b) {
                        return x[static_cast<std::size_t>(a)] <= 0 && x[static_cast<std::size_t>(b)] > 0;
                      });
                      ASSERT_EQ(vector_of(indices), order);
                      for (int i = 0; i < n; ++i)
                        ASSERT_EQ(sorted[i],
                                  x[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] > 0);
                    }
                  });
}

TEST(Sort, RowsAndColumns) {
  const auto f = [](fg::Mat<float> x) {
    auto each = [](Vec<float> row) { return std::tuple{fg::sort(row), fg::argsort(row)}; };
    auto [sorted, order] = fg::map(each, fg::rows(x));
    auto medians = fg::map([](Vec<float> c) { return fg::sort(c)[c.size() / 2]; }, fg::columns(x));
    return std::tuple{sorted, order, medians};
  };
  on_every_engine(f, [](const auto& g) {
    for (const auto& [n, m] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {7, 5}, {3, 16}, {30, 17}, {5, 700}}) {
      const std::vector<float> x = some<float>(static_cast<int>(n * m));
      const fg::Array<float, 2> matrix(x, std::array{static_cast<i64>(n), static_cast<i64>(m)});
      const auto [sorted, order, medians] = g(matrix);
      for (std::size_t i = 0; i < n; ++i) {
        const float* row = x.data() + i * m;
        const auto expected =
            order_of(static_cast<i64>(m), [&](i64 a, i64 b) { return precedes(row[a], row[b]); });
        for (std::size_t j = 0; j < m; ++j) {
          ASSERT_EQ(order.data()[i * m + j], expected[j]) << i << ", " << j;
          ASSERT_TRUE(same_bits(sorted.data()[i * m + j], row[expected[j]]));
        }
      }
      for (std::size_t j = 0; j < m; ++j) {
        std::vector<float> column;
        for (std::size_t i = 0; i < n; ++i) column.push_back(x[i * m + j]);
        std::sort(column.begin(), column.end(), precedes<float>);
        ASSERT_TRUE(same_bits(medians.data()[j], column[n / 2])) << j;
      }
    }
  });
}

TEST(Sort, NotANumberComesLastWhateverItsSign) {
  on_every_engine([](Vec<float> x) { return std::tuple{fg::sort(x), fg::argsort(x)}; },
                  [](const auto& f) {
                    const float nan = std::numeric_limits<float>::quiet_NaN();
                    const float infinity = std::numeric_limits<float>::infinity();
                    const auto [sorted, indices] =
                        f(std::vector<float>{nan, infinity, -nan, 1.0f, -infinity, 0.0f, -0.0f});
                    EXPECT_EQ(vector_of(indices), (std::vector<i64>{4, 6, 5, 3, 1, 0, 2}));
                    EXPECT_TRUE(std::isnan(sorted[5]) && std::isnan(sorted[6]));
                    EXPECT_TRUE(std::signbit(sorted[1]) && !std::signbit(sorted[2]));
                  });
}

TEST(Sort, CompositesByTheirFieldsInOrder) {
  using Key = std::tuple<fg::i8, float>;
  on_every_engine([](Vec<Key> x) { return fg::sort(x); },
                  [](const auto& f) {
                    for (int n : {0, 1, 2, 33, 1000}) {
                      const auto a = few(n, 5), b = few(n, 100, 2);
                      std::vector<Key> x;
                      for (int i = 0; i < n; ++i)
                        x.emplace_back(static_cast<fg::i8>(a[static_cast<std::size_t>(i)]),
                                       0.5f * static_cast<float>(b[static_cast<std::size_t>(i)]));
                      auto expected = x;
                      std::sort(expected.begin(), expected.end());
                      EXPECT_EQ(f(x).to_vector(), expected);
                    }
                  });
}

TEST(Sort, ByKeyIsStableForAnyValues) {
  struct Value {
    int number;
    double weight;
    bool operator==(const Value&) const = default;
  };
  const auto f = [](Vec<int> keys, Vec<Value> values) {
    auto [k, v] = fg::sort_by_key(keys, values);
    auto [k2, v2] = fg::sort_by_key([](Exp<int> a, Exp<int> b) { return a > b; }, keys, values);
    return std::tuple{k, v, k2, v2};
  };
  on_every_engine(f, [](const auto& g) {
    for (int n : sizes) {
      const auto keys = few(n, 10);
      std::vector<Value> values;
      for (int i = 0; i < n; ++i) values.push_back({i, 0.5 * i});
      const auto key = [&](i64 i) { return keys[static_cast<std::size_t>(i)]; };
      const auto up = order_of(n, [&](i64 a, i64 b) { return key(a) < key(b); });
      const auto down = order_of(n, [&](i64 a, i64 b) { return key(a) > key(b); });
      const auto [k, v, k2, v2] = g(keys, values);
      ASSERT_EQ(vector_of(k), permuted(keys, up)) << n;
      ASSERT_EQ(vector_of(v), permuted(values, up)) << n;
      ASSERT_EQ(vector_of(k2), permuted(keys, down)) << n;
      ASSERT_EQ(vector_of(v2), permuted(values, down)) << n;
    }
  });
}

template <class T, class Staged, class Plain>
void check_by_comparison(Staged staged, Plain plain) {
  on_every_engine([&](Vec<T> x) { return std::tuple{fg::sort(staged, x), fg::argsort(staged, x)}; },
                  [&](const auto& f) {
                    for (int n : sizes) {
                      std::vector<T> x;
                      for (int v : few(n, 40)) x.push_back(static_cast<T>(v));
                      const auto order = order_of(n, [&](i64 a, i64 b) {
                        return plain(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]);
                      });
                      const auto [sorted, indices] = f(x);
                      ASSERT_EQ(vector_of(indices), order) << n;
                      ASSERT_EQ(vector_of(sorted), permuted(x, order)) << n;
                    }
                  });
}
TEST(Sort, ByAnyComparison) {
  check_by_comparison<int>([](Exp<int> a, Exp<int> b) { return a > b; }, [](int a, int b) { return a > b; });
  check_by_comparison<double>([](Exp<double> a, Exp<double> b) { return fg::abs(a) < fg::abs(b); },
                              [](double a, double b) { return std::abs(a) < std::abs(b); });
  check_by_comparison<fg::i8>([](Exp<fg::i8> a, Exp<fg::i8> b) { return (a & 7) < (b & 7); },
                              [](fg::i8 a, fg::i8 b) { return (a & 7) < (b & 7); });
  check_by_comparison<int>([](Exp<int>, Exp<int>) { return false; }, [](int, int) { return false; });
}

// Not one key for each element: these merge.
TEST(Sort, ByMerging) {
  check_by_comparison<int>(
      [](Exp<int> a, Exp<int> b) { return fg::select((a & 1) == (b & 1), a > b, (a & 1) < (b & 1)); },
      [](int a, int b) { return (a & 1) == (b & 1) ? a > b : (a & 1) < (b & 1); });
  using Point = std::tuple<int, fg::i8>;
  const auto less = [](Exp<Point> p, Exp<Point> q) {
    auto [px, py] = p;
    auto [qx, qy] = q;
    return px < qx || (px == qx && py > qy);
  };
  on_every_engine([&](Vec<Point> x) { return std::tuple{fg::sort(less, x), fg::argsort(less, x)}; },
                  [](const auto& f) {
                    for (int n : sizes) {
                      const auto a = few(n, 9), b = few(n, 9, 2);
                      std::vector<Point> x;
                      for (std::size_t i = 0; i < a.size(); ++i)
                        x.emplace_back(a[i], static_cast<fg::i8>(b[i]));
                      const auto order = order_of(n, [&](i64 i, i64 j) {
                        const auto [px, py] = x[static_cast<std::size_t>(i)];
                        const auto [qx, qy] = x[static_cast<std::size_t>(j)];
                        return px < qx || (px == qx && py > qy);
                      });
                      const auto [points, indices] = f(x);
                      ASSERT_EQ(vector_of(indices), order) << n;
                      ASSERT_EQ(points.to_vector(), permuted(x, order)) << n;
                    }
                  });
}

TEST(Sort, ZerosAreEqualToAComparison) {
  const auto up = [](Exp<float> a, Exp<float> b) { return a < b; };
  const auto down = [](Exp<float> a, Exp<float> b) { return a > b; };
  on_every_engine([&](Vec<float> x) { return std::tuple{fg::argsort(up, x), fg::argsort(down, x)}; },
                  [](const auto& f) {
                    const auto [rising, falling] =
                        f(std::vector<float>{0.0f, -0.0f, 1.0f, -0.0f, 0.0f, -1.0f});
                    EXPECT_EQ(vector_of(rising), (std::vector<i64>{5, 0, 1, 3, 4, 2}));
                    EXPECT_EQ(vector_of(falling), (std::vector<i64>{2, 0, 1, 3, 4, 5}));
                  });
}

TEST(Sort, CompositesByAComparison) {
  using Point = std::array<float, 2>;
  const auto less = [](Exp<Point> p, Exp<Point> q) {
    auto [px, py] = p;
    auto [qx, qy] = q;
    return px * px + py * py < qx * qx + qy * qy;
  };
  on_every_engine([&](Vec<Point> x) { return fg::sort(less, x); },
                  [](const auto& f) {
                    for (int n : {0, 1, 2, 31, 33, 65, 700}) {
                      const auto a = few(n, 50), b = few(n, 50, 2);
                      std::vector<Point> x;
                      for (std::size_t i = 0; i < a.size(); ++i)
                        x.push_back({static_cast<float>(a[i]), static_cast<float>(b[i])});
                      const auto squared = [&](i64 k) {
                        const auto [px, py] = x[static_cast<std::size_t>(k)];
                        return px * px + py * py;
                      };
                      const auto order = order_of(n, [&](i64 k, i64 l) { return squared(k) < squared(l); });
                      ASSERT_EQ(f(x).to_vector(), permuted(x, order)) << n;
                    }
                  });
}

TEST(Sort, OfComputedArraysAndUsedFurther) {
  const auto median = [](Vec<float> x) {
    auto sorted = fg::sort(x * 2.0f);
    auto n = x.size();
    return 0.5f * (sorted[(n - 1) / 2] + sorted[n / 2]);
  };
  on_every_engine(median, [](const auto& f) {
    EXPECT_EQ(f(std::vector<float>{5, 1, 3}), 6.0f);
    EXPECT_EQ(f(std::vector<float>{5, 1, 3, 4}), 7.0f);
  });
}

TEST(Sort, RowsInsideMap) {
  const auto staged_larger = [](Exp<float> a, Exp<float> b) {
    return fg::select(fg::abs(a) == fg::abs(b), a > b, fg::abs(a) > fg::abs(b));
  };
  const auto larger = [](float a, float b) {
    return std::abs(a) == std::abs(b) ? a > b : std::abs(a) > std::abs(b);
  };
  const auto f = [&](Mat<float> m) {
    auto up = fg::map([](Vec<float> row) { return fg::sort(row); }, fg::rows(m));
    auto down = fg::map([&](Vec<float> row) { return fg::sort(staged_larger, row); }, fg::rows(m));
    return std::tuple{up, down};
  };
  on_every_engine(f, [&](const auto& g) {
    for (int columns : {0, 1, 2, 17, 70}) {
      std::vector<float> m = some<float>(7 * columns, 3);
      for (float& x : m) x += 0.0f;
      auto up = m, down = m;
      for (int r = 0; r < 7; ++r) {
        std::sort(up.begin() + r * columns, up.begin() + (r + 1) * columns);
        std::sort(down.begin() + r * columns, down.begin() + (r + 1) * columns, larger);
      }
      const auto [a, b] = g(fg::view(m.data(), {7, columns}));
      EXPECT_EQ(vector_of(a), up);
      EXPECT_EQ(vector_of(b), down);
    }
  });
}

TEST(Sort, KeysAndValuesMustBeAsMany) {
  const auto f = [](Vec<int> k, Vec<float> v) { return std::get<1>(fg::sort_by_key(k, v)); };
  on_every_engine(f, [](const auto& g) {
    const auto what =
        message_of<fg::ShapeError>([&] { (void)g(std::vector<int>{1, 2, 3}, std::vector<float>{1, 2}); });
    EXPECT_NE(what.find("sort_slow_test.cpp:"), std::string::npos) << what;
    EXPECT_NE(what.find("sort_by_key needs equal shapes: array 1 is i32[3]"), std::string::npos) << what;
  });
}

}  // namespace
