// Arrays joined and rotated, against loops in plain C++.
#include "engines.h"
#include "every_type.h"

#include <array>

namespace {

using Ints = std::vector<int>;
const int sizes[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 100003};

template <class T>
std::vector<T> numbered(fg::i64 n, int first) {
  std::vector<T> values;
  for (fg::i64 i = 0; i < n; ++i) values.push_back(static_cast<T>((i * 7 + first) % 100));
  return values;
}
template <class T>
std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <class T>
void check_vectors() {
  on_every_engine([](Vec<T> x, Vec<T> y) { return fg::concat(x, y); },
                  [](const auto& f) {
                    for (int n : sizes)
                      for (int m : {0, 1, 33, 1000}) {
                        const auto x = numbered<T>(n, 1), y = numbered<T>(m, 50);
                        ASSERT_EQ(vector_of(f(x, y)), joined(x, y)) << n << " and " << m;
                        ASSERT_EQ(vector_of(f(y, x)), joined(y, x)) << m << " and " << n;
                      }
                  });
}
TEST(Concat, VectorsOfEveryType) {
  for_every_number([]<class T>() { check_vectors<T>(); });
}

TEST(Concat, Booleans) {
  on_every_engine([](Vec<int> x, Vec<int> y) { return fg::concat(x > 40, y > 40); },
                  [](const auto& f) {
                    const auto x = numbered<int>(70, 3), y = numbered<int>(41, 4);
                    std::vector<bool> expected;
                    for (int v : joined(x, y)) expected.push_back(v > 40);
                    const auto result = f(x, y);
                    ASSERT_EQ(result.size(), 111);
                    for (std::size_t i = 0; i < expected.size(); ++i)
                      EXPECT_EQ(result[static_cast<fg::i64>(i)], expected[i]) << i;
                  });
}

TEST(Concat, UpToEightArrays) {
  const auto f = [](Vec<int> x, Vec<int> y) {
    return std::tuple{
        fg::concat(x, y, x),          fg::concat(x, y, x, y),          fg::concat(x, y, x, y, y),
        fg::concat(x, y, x, y, y, x), fg::concat(x, y, x, y, y, x, x), fg::concat(x, y, x, y, y, x, x, y)};
  };
  on_every_engine(f, [](const auto& g) {
    for (int n : {0, 1, 17, 100}) {
      const auto x = numbered<int>(n, 1), y = numbered<int>(23, 5);
      auto expected = joined(joined(x, y), x);
      const auto [a, b, c, d, e, h] = g(x, y);
      EXPECT_EQ(vector_of(a), expected);
      EXPECT_EQ(vector_of(b), expected = joined(expected, y));
      EXPECT_EQ(vector_of(c), expected = joined(expected, y));
      EXPECT_EQ(vector_of(d), expected = joined(expected, x));
      EXPECT_EQ(vector_of(e), expected = joined(expected, x));
      EXPECT_EQ(vector_of(h), expected = joined(expected, y));
    }
  });
}

TEST(Concat, MatricesAlongEitherAxis) {
  const auto f = [](Mat<int> a, Mat<int> b, Mat<int> c) {
    return std::tuple{fg::concat(a, b), fg::concat(fg::axis(1), a, c, a), fg::concat(fg::axis(-1), c, a)};
  };
  on_every_engine(f, [](const auto& g) {
    for (fg::i64 r : {0, 1, 3, 40})
      for (fg::i64 c : {0, 1, 17, 64}) {
        const auto a = numbered<int>(r * c, 1), b = numbered<int>(5 * c, 2), d = numbered<int>(r * 9, 3);
        const auto [rows, wide, two] =
            g(fg::view(a.data(), {r, c}), fg::view(b.data(), {5, c}), fg::view(d.data(), {r, 9}));
        EXPECT_EQ(rows.size(0), r + 5);
        EXPECT_EQ(vector_of(rows), joined(a, b));
        Ints expected_wide, expected_two;
        const auto row = [&](Ints& to, const Ints& m, fg::i64 columns, fg::i64 i) {
          to.insert(to.end(), m.begin() + i * columns, m.begin() + (i + 1) * columns);
        };
        for (fg::i64 i = 0; i < r; ++i) {
          row(expected_wide, a, c, i);
          row(expected_wide, d, 9, i);
          row(expected_wide, a, c, i);
          row(expected_two, d, 9, i);
          row(expected_two, a, c, i);
        }
        EXPECT_EQ(wide.size(1), 2 * c + 9);
        EXPECT_EQ(vector_of(wide), expected_wide);
        EXPECT_EQ(vector_of(two), expected_two);
      }
  });
}

TEST(Concat, RankThreeAndComposites) {
  using Pair = std::tuple<int, double>;
  const auto f = [](fg::Acc<Pair, 3> a, fg::Acc<Pair, 3> b) {
    auto [ints, doubles] = fg::unzip(fg::concat(fg::axis(1), a, b));
    return std::tuple{ints, doubles};
  };
  on_every_engine(f, [](const auto& g) {
    std::vector<Pair> a, b;
    for (int i = 0; i < 2 * 3 * 4; ++i) a.emplace_back(i, 0.5 * i);
    for (int i = 0; i < 2 * 1 * 4; ++i) b.emplace_back(100 + i, -i);
    const auto [ints, doubles] = g(fg::view(a.data(), {2, 3, 4}), fg::view(b.data(), {2, 1, 4}));
    EXPECT_EQ(ints.size(1), 4);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 4; ++k) {
          const Pair expected = j < 3 ? a[static_cast<std::size_t>((i * 3 + j) * 4 + k)]
                                      : b[static_cast<std::size_t>(i * 4 + k)];
          EXPECT_EQ(ints(i, j, k), std::get<0>(expected));
          EXPECT_EQ(doubles(i, j, k), std::get<1>(expected));
        }
  });
}

TEST(Concat, IsFusedIntoWhatReadsIt) {
  const auto f = [](Vec<int> x, Vec<int> y) {
    auto z = fg::concat(x * 2, y, fg::iota<int>(x.size()));
    return std::tuple{fg::sum(z), z.slice(1, z.size()) - z.slice(0, z.size() - 1)};
  };
  on_every_engine(f, [](const auto& g) {
    for (int n : {1, 2, 17, 1000}) {
      auto x = numbered<int>(n, 1), y = numbered<int>(31, 2);
      Ints z;
      for (int v : x) z.push_back(2 * v);
      z = joined(z, y);
      for (int i = 0; i < n; ++i) z.push_back(i);
      int total = 0;
      Ints differences;
      for (std::size_t i = 0; i < z.size(); ++i) {
        total += z[i];
        if (i > 0) differences.push_back(z[i] - z[i - 1]);
      }
      const auto [sum, difference] = g(x, y);
      EXPECT_EQ(sum, total);
      EXPECT_EQ(vector_of(difference), differences);
    }
  });
}

TEST(Concat, ExtentsMustAgree) {
  const auto f = [](Mat<int> a, Mat<int> b) { return fg::concat(a, b); };
  on_every_engine(f, [](const auto& g) {
    const Ints m(12);
    const auto what =
        message_of<fg::ShapeError>([&] { (void)g(fg::view(m.data(), {3, 4}), fg::view(m.data(), {4, 3})); });
    EXPECT_NE(what.find("arrange_slow_test.cpp:"), std::string::npos) << what;
    EXPECT_NE(what.find("along axis 1 array 1 has 4 (argument 1), array 2 has 3 (argument 2)"),
              std::string::npos)
        << what;
  });
  const auto what = message_of<fg::ShapeError>(
      [&] { (void)fg::compile([](Vec<int> a) { return fg::concat(fg::axis(1), a, a); }); });
  EXPECT_NE(what.find("arrange_slow_test.cpp:"), std::string::npos) << what;
  EXPECT_NE(what.find("no axis 1"), std::string::npos) << what;
}

TEST(Rotate, ByAnything) {
  on_every_engine([](Vec<int> x, Exp<fg::i64> k) { return fg::rotate(x, k); },
                  [](const auto& f) {
                    for (int n : sizes)
                      for (fg::i64 k : {0, 1, 5, 16, -1, -17, 1000, -100004}) {
                        const auto x = numbered<int>(n, 3);
                        Ints expected;
                        for (fg::i64 i = 0; i < n; ++i)
                          expected.push_back(x[static_cast<std::size_t>((((i + k) % n) + n) % n)]);
                        ASSERT_EQ(vector_of(f(x, k)), expected) << n << " by " << k;
                      }
                  });
}

TEST(Rotate, AlongAnAxis) {
  const auto f = [](fg::Acc<std::array<float, 2>, 3> x, Exp<int> k) {
    return std::tuple{fg::rotate(x, k, fg::axis(1)), fg::rotate(x, -k, fg::axis(-1)), fg::rotate(x, 1)};
  };
  on_every_engine(f, [](const auto& g) {
    std::vector<std::array<float, 2>> x;
    for (int i = 0; i < 2 * 5 * 3; ++i) x.push_back({static_cast<float>(i), static_cast<float>(-i)});
    const auto [a, b, c] = g(fg::view(x.data(), {2, 5, 3}), 2);
    const auto at = [&](int i, int j, int k) { return x[static_cast<std::size_t>((i * 5 + j) * 3 + k)]; };
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 5; ++j)
        for (int k = 0; k < 3; ++k) {
          EXPECT_EQ(a(i, j, k), at(i, (j + 2) % 5, k));
          EXPECT_EQ(b(i, j, k), at(i, j, (k + 1) % 3));
          EXPECT_EQ(c(i, j, k), at((i + 1) % 2, j, k));
        }
  });
}

/// Lanes of narrow elements are many, and each of them divides its place several times: kernels stay short.
template <class T>
void check_flattened_transposes() {
  const auto program = [](fg::Acc<T, 3> x) {
    const Vec<T> t = fg::flatten(fg::transpose(x, {2, 0, 1}));
    return fg::concat(t, t) + fg::concat(fg::reverse(t), t);
  };
  on_every_engine(program, [](const auto& f) {
    for (const auto& [rows, columns, planes] :
         {std::array<fg::i64, 3>{1, 1, 1}, {2, 3, 4}, {5, 0, 2}, {7, 33, 3}, {17, 5, 64}}) {
      const std::vector<T> x = numbered<T>(rows * columns * planes, 5);
      std::vector<T> t;
      for (fg::i64 k = 0; k < planes; ++k)
        for (fg::i64 i = 0; i < rows * columns; ++i) t.push_back(x[static_cast<std::size_t>(i * planes + k)]);
      std::vector<T> wanted = joined(t, t);
      const std::vector<T> other = joined(std::vector<T>(t.rbegin(), t.rend()), t);
      for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<T>(wanted[i] + other[i]);
      EXPECT_EQ(vector_of(f(fg::Array<T, 3>(x, {rows, columns, planes}))), wanted);
    }
  });
}
TEST(Concat, FlattenedTransposesOfNarrowElements) {
  check_flattened_transposes<fg::u8>();
  check_flattened_transposes<fg::i16>();
}

}  // namespace
