// The numeric library, and folds whose operator works on arrays, against plain loops.
#include "engines.h"

#include <array>
#include <cmath>
#include <limits>

namespace {

using fg::i64;
using Doubles = std::vector<double>;

Doubles numbers(i64 n, int seed = 0) {
  Doubles values;
  for (i64 i = 0; i < n; ++i) values.push_back(static_cast<double>((i * 37 + seed * 11 + 5) % 23 - 11) * 0.5);
  return values;
}
template <class T>
T at(const std::vector<T>& m, i64 columns, i64 i, i64 j) {
  return m[static_cast<std::size_t>(i * columns + j)];
}

TEST(Numeric, MeansAndNorms) {
  const auto f = [](Mat<double> m) {
    return std::tuple{fg::mean(m), fg::mean(m, fg::axis(0)), fg::mean(m, fg::axis(-1)), fg::norm(m),
                      fg::norm(fg::flatten(m))};
  };
  on_every_engine(f, [](const auto& g) {
    for (const auto& [r, c] : std::vector<std::array<i64, 2>>{{1, 1}, {3, 17}, {65, 4}}) {
      const Doubles m = numbers(r * c);
      double total = 0, squares = 0;
      Doubles columns(static_cast<std::size_t>(c)), rows(static_cast<std::size_t>(r));
      for (i64 i = 0; i < r; ++i)
        for (i64 j = 0; j < c; ++j) {
          const double x = at(m, c, i, j);
          total += x, squares += x * x;
          columns[static_cast<std::size_t>(j)] += x / static_cast<double>(r);
          rows[static_cast<std::size_t>(i)] += x / static_cast<double>(c);
        }
      const auto [mean, by_column, by_row, norm, flat] = g(fg::view(m.data(), {r, c}));
      EXPECT_DOUBLE_EQ(mean, total / static_cast<double>(r * c));
      EXPECT_DOUBLE_EQ(norm, std::sqrt(squares));
      EXPECT_DOUBLE_EQ(flat, std::sqrt(squares));
      ASSERT_EQ(by_column.size(), c);
      ASSERT_EQ(by_row.size(), r);
      for (i64 j = 0; j < c; ++j) EXPECT_NEAR(by_column[j], columns[static_cast<std::size_t>(j)], 1e-12);
      for (i64 i = 0; i < r; ++i) EXPECT_NEAR(by_row[i], rows[static_cast<std::size_t>(i)], 1e-12);
    }
  });
  on_every_engine([](Vec<float> x) { return std::tuple{fg::mean(x), fg::norm(x)}; },
                  [](const auto& g) {
                    const auto [mean, norm] = g(std::vector<float>{});
                    EXPECT_TRUE(std::isnan(mean));
                    EXPECT_EQ(norm, 0.0f);
                  });
}

TEST(Numeric, ProductsOfVectorsAndMatrices) {
  const auto f = [](Mat<int> a, Mat<int> b, Vec<int> x, Vec<int> y) {
    return std::tuple{fg::matmul(a, b), fg::matvec(a, x), fg::dot(x, x), fg::outer(x, y)};
  };
  on_every_engine(f, [](const auto& g) {
    for (const auto& [r, k, c] : std::vector<std::array<i64, 3>>{
             {0, 0, 0}, {0, 3, 2}, {3, 0, 2}, {1, 1, 1}, {3, 17, 5}, {33, 20, 65}}) {
      const auto ints = [](i64 n, int seed) {
        std::vector<int> values;
        for (double v : numbers(n, seed)) values.push_back(static_cast<int>(2 * v));
        return values;
      };
      const auto a = ints(r * k, 1), b = ints(k * c, 2), x = ints(k, 3), y = ints(c, 4);
      const auto [product, image, square, all] =
          g(fg::view(a.data(), {r, k}), fg::view(b.data(), {k, c}), x, y);
      ASSERT_EQ(product.size(0), r);
      ASSERT_EQ(product.size(1), c);
      int expected_square = 0;
      for (int v : x) expected_square += v * v;
      EXPECT_EQ(square, expected_square);
      for (i64 i = 0; i < r; ++i) {
        for (i64 j = 0; j < c; ++j) {
          int expected = 0;
          for (i64 l = 0; l < k; ++l) expected += at(a, k, i, l) * at(b, c, l, j);
          ASSERT_EQ(product(i, j), expected);
        }
        int expected = 0;
        for (i64 l = 0; l < k; ++l) expected += at(a, k, i, l) * x[static_cast<std::size_t>(l)];
        ASSERT_EQ(image[i], expected);
      }
      for (i64 l = 0; l < k; ++l)
        for (i64 j = 0; j < c; ++j)
          ASSERT_EQ(all(l, j), x[static_cast<std::size_t>(l)] * y[static_cast<std::size_t>(j)]);
    }
  });
}

TEST(Numeric, ArgMinAndArgMaxAlongAnAxis) {
  const auto f = [](Mat<float> m) {
    return std::tuple{fg::argmin(m, fg::axis(0)), fg::argmax(m, fg::axis(0)), fg::argmin(m, fg::axis(1)),
                      fg::argmax(m, fg::axis(-1))};
  };
  on_every_engine(f, [](const auto& g) {
    for (const auto& [r, c] : std::vector<std::array<i64, 2>>{{1, 1}, {2, 3}, {17, 5}, {5, 65}, {0, 0}}) {
      std::vector<float> m;
      for (double v : numbers(r * c)) m.push_back(static_cast<float>(v));
      if (r > 1) m[1] = std::numeric_limits<float>::quiet_NaN();
      const auto best = [&](i64 n, auto element, bool least) {
        i64 result = -1;
        for (i64 i = 0; i < n; ++i)
          if (!std::isnan(element(i)) &&
              (result < 0 || (least ? element(i) < element(result) : element(i) > element(result))))
            result = i;
        return result;
      };
      const auto [low_rows, high_rows, low, high] = g(fg::view(m.data(), {r, c}));
      ASSERT_EQ(low_rows.size(), c);
      ASSERT_EQ(low.size(), r);
      for (i64 j = 0; j < c; ++j) {
        const auto column = [&, n = c](i64 i) { return at(m, n, i, j); };
        EXPECT_EQ(low_rows[j], best(r, column, true));
        EXPECT_EQ(high_rows[j], best(r, column, false));
      }
      for (i64 i = 0; i < r; ++i) {
        const auto row = [&, n = c](i64 j) { return at(m, n, i, j); };
        EXPECT_EQ(low[i], best(c, row, true));
        EXPECT_EQ(high[i], best(c, row, false));
      }
    }
    const std::vector<float> none;
    const auto what = message_of<fg::ShapeError>([&] { (void)g(fg::view(none.data(), {0, 3})); });
    EXPECT_NE(what.find("argmin of an empty array"), std::string::npos) << what;
    EXPECT_NE(what.find("numeric_test.cpp:"), std::string::npos) << what;
  });
}

TEST(Numeric, SizesMustFit) {
  on_every_engine([](Mat<float> a, Mat<float> b) { return fg::matmul(a, b); },
                  [](const auto& g) {
                    const std::vector<float> m(12);
                    const auto what = message_of<fg::ShapeError>(
                        [&] { (void)g(fg::view(m.data(), {3, 4}), fg::view(m.data(), {3, 4})); });
                    EXPECT_NE(what.find("numeric_test.cpp:"), std::string::npos) << what;
                    EXPECT_NE(what.find("matmul: the first operand has 4 columns"), std::string::npos)
                        << what;
                    EXPECT_NE(what.find("the second 3 rows"), std::string::npos) << what;
                  });
  on_every_engine([](Mat<float> a, Vec<float> x) { return fg::matvec(a, x); },
                  [](const auto& g) {
                    const std::vector<float> m(12);
                    EXPECT_THROW((void)g(fg::view(m.data(), {3, 4}), std::vector<float>{1, 2}),
                                 fg::ShapeError);
                  });
  on_every_engine([](Vec<float> x, Vec<float> y) { return fg::dot(x, y); },
                  [](const auto& g) {
                    const auto what = message_of<fg::ShapeError>(
                        [&] { (void)g(std::vector<float>{1, 2}, std::vector<float>{1}); });
                    EXPECT_NE(what.find("numeric_test.cpp:"), std::string::npos) << what;
                  });
}

TEST(ReduceSlices, RowsAddedElementByElement) {
  const auto f = [](Mat<int> m) {
    const auto zeros = fg::replicate(m.size(1), 0);
    const auto add = [](Vec<int> a, Vec<int> b) { return a + b; };
    const auto last = [](Vec<int> a, Vec<int> b) { return fg::select(b != 0, b, a); };  // not commutative
    return std::tuple{fg::reduce(add, zeros, fg::rows(m)), fg::reduce(last, zeros, fg::rows(m)),
                      fg::reduce(add, fg::replicate(m.size(0), 0), fg::columns(m))};
  };
  on_every_engine(f, [](const auto& g) {
    for (const auto& [r, c] :
         std::vector<std::array<i64, 2>>{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {40, 17}, {17, 1025}}) {
      std::vector<int> m;
      for (i64 i = 0; i < r * c; ++i) m.push_back(static_cast<int>((i * 13) % 7) * (i % 3 == 0));
      const auto [sums, last, row_sums] = g(fg::view(m.data(), {r, c}));
      for (i64 j = 0; j < c; ++j) {
        int sum = 0, seen = 0;
        for (i64 i = 0; i < r; ++i) {
          sum += at(m, c, i, j);
          if (at(m, c, i, j) != 0) seen = at(m, c, i, j);
        }
        ASSERT_EQ(sums[j], sum);
        ASSERT_EQ(last[j], seen);
      }
      for (i64 i = 0; i < r; ++i) {
        int sum = 0;
        for (i64 j = 0; j < c; ++j) sum += at(m, c, i, j);
        ASSERT_EQ(row_sums[i], sum);
      }
    }
  });
}

TEST(ReduceSlices, ProductOfMatrices) {
  const auto product = [](fg::Acc<int, 3> matrices) {
    const auto identity = fg::generate({matrices.size(1), matrices.size(2)},
                                       [](Exp<i64> i, Exp<i64> j) { return fg::cast<int>(i == j); });
    return fg::reduce([](Mat<int> a, Mat<int> b) { return fg::matmul(a, b); }, identity,
                      fg::slices(matrices));
  };
  on_every_engine(product, [](const auto& f) {
    for (i64 n : {0, 1, 2, 5}) {
      std::vector<int> ms;
      for (i64 i = 0; i < n * 9; ++i) ms.push_back(static_cast<int>((i * 7 + 3) % 5) - 2);
      std::array<int, 9> expected{1, 0, 0, 0, 1, 0, 0, 0, 1};
      for (i64 m = 0; m < n; ++m) {
        std::array<int, 9> next{};
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k)
              next[i * 3 + j] += expected[i * 3 + k] * ms[static_cast<std::size_t>(m) * 9 + k * 3 + j];
        expected = next;
      }
      const auto result = f(fg::view(ms.data(), {n, 3, 3}));
      EXPECT_EQ(vector_of(result), std::vector<int>(expected.begin(), expected.end())) << n;
    }
  });
}

TEST(ReduceSlices, OfCompositesByAnOperatorThatReadsOtherPlaces) {
  using Pair = std::tuple<int, double>;
  const auto f = [](Mat<Pair> m) {
    const auto zeros = fg::replicate(m.size(1), Pair{0, 0.0});
    const auto add = [](Exp<Pair> a, Exp<Pair> b) {
      return std::tuple{fg::get<0>(a) + fg::get<0>(b), fg::get<1>(a) + fg::get<1>(b)};
    };
    auto straight =
        fg::reduce([&](Vec<Pair> a, Vec<Pair> b) { return fg::map(add, a, b); }, zeros, fg::rows(m));
    auto turned = fg::reduce([&](Vec<Pair> a, Vec<Pair> b) { return fg::map(add, fg::rotate(a, 1), b); },
                             zeros, fg::rows(m));
    auto [a, b] = fg::unzip(straight);
    auto [c, d] = fg::unzip(turned);
    return std::tuple{a, b, c, d};
  };
  on_every_engine(f, [](const auto& g) {
    const i64 r = 4, columns = 5;
    std::vector<Pair> m;
    for (i64 i = 0; i < r * columns; ++i)
      m.emplace_back(static_cast<int>(i), 0.5 * static_cast<double>(i * i));
    std::vector<int> a(5), c(5);
    Doubles b(5), d(5);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto old_c = c;
      const auto old_d = d;
      for (std::size_t j = 0; j < 5; ++j) {
        const auto [x, y] = m[i * 5 + j];
        a[j] += x, b[j] += y;
        c[j] = old_c[(j + 1) % 5] + x, d[j] = old_d[(j + 1) % 5] + y;
      }
    }
    const auto [ra, rb, rc, rd] = g(fg::view(m.data(), {r, columns}));
    EXPECT_EQ(vector_of(ra), a);
    EXPECT_EQ(vector_of(rb), b);
    EXPECT_EQ(vector_of(rc), c);
    EXPECT_EQ(vector_of(rd), d);
  });
}

TEST(ReduceSlices, RowsAsMatrices) {
  const auto f = [](Mat<int> m) {
    const auto matrix = [](Vec<int> row) { return fg::reshape(row, {2, 2}); };
    const auto product = [&](Vec<int> a, Vec<int> b) {
      return fg::flatten(fg::matmul(matrix(a), matrix(b)));
    };
    const auto identity = fg::generate(4, [](Exp<i64> i) { return fg::cast<int>(i % 3 == 0); });
    return fg::reduce(product, identity, fg::rows(m));
  };
  on_every_engine(f, [](const auto& g) {
    const std::vector<int> m{1, 1, 0, 1, 1, 0, 2, 1, 0, 1, 1, 0};
    EXPECT_EQ(vector_of(g(fg::view(m.data(), {3, 4}))), (std::vector<int>{1, 3, 1, 2}));
    EXPECT_EQ(vector_of(g(fg::view(m.data(), {0, 4}))), (std::vector<int>{1, 0, 0, 1}));
    EXPECT_THROW((void)g(fg::view(m.data(), {4, 3})), fg::ShapeError);
  });
}

TEST(ReduceSlices, ArraysThatGrow) {
  const auto f = [](Mat<int> m) {
    return fg::reduce([](Vec<int> a, Vec<int> b) { return fg::concat(a, fg::reverse(b)); },
                      fg::replicate(0, 0), fg::rows(m));
  };
  on_every_engine(f, [](const auto& g) {
    const std::vector<int> m{1, 2, 3, 4, 5, 6};
    EXPECT_EQ(vector_of(g(fg::view(m.data(), {2, 3}))), (std::vector<int>{3, 2, 1, 6, 5, 4}));
    EXPECT_EQ(vector_of(g(fg::view(m.data(), {0, 3}))), std::vector<int>{});
  });
}

TEST(ReduceSlices, TheNeutralArrayHasTheShapeOfARow) {
  const auto f = [](Mat<int> m, Vec<int> neutral) {
    return fg::reduce([](Vec<int> a, Vec<int> b) { return a + b; }, neutral, fg::rows(m));
  };
  on_every_engine(f, [](const auto& g) {
    const std::vector<int> m{1, 2, 3, 4, 5, 6};
    const auto what =
        message_of<fg::ShapeError>([&] { (void)g(fg::view(m.data(), {2, 3}), std::vector<int>{0, 0}); });
    EXPECT_NE(what.find("numeric_test.cpp:"), std::string::npos) << what;
    EXPECT_NE(what.find("the neutral array is i32[2]"), std::string::npos) << what;
  });
}

TEST(ScanSlices, RowsColumnsAndMatrices) {
  const auto f = [](fg::Acc<int, 3> x, Mat<int> m) {
    const auto add = [](auto a, auto b) { return a + b; };
    const auto turned = [](Vec<int> a, Vec<int> b) { return fg::rotate(a, 1) + b; };
    const auto zeros = fg::replicate({x.size(1), x.size(2)}, 0);
    return std::tuple{fg::scan(add, zeros, fg::slices(x)),
                      fg::scan(add, fg::replicate(m.size(0), 0), fg::columns(m)),
                      fg::scan(turned, fg::replicate(m.size(1), 0), fg::rows(m)),
                      fg::scan(turned, fg::replicate(x.size(2), 0), fg::rows(x)),
                      fg::scan(turned, fg::replicate(m.size(0), 0), fg::columns(m))};
  };
  on_every_engine(f, [](const auto& g) {
    const i64 a = 3, b = 4, c = 5;
    std::vector<int> x, m;
    for (int i = 0; i < a * b * c; ++i) x.push_back(i * i % 17 - 8);
    for (int i = 0; i < b * c; ++i) m.push_back(i * 3 % 11);
    // Scans lines of `size` elements, `n` of them, element e of line l at l * line + e * element.
    const auto scanned = [](std::vector<int> v, i64 n, i64 size, i64 line, i64 element, bool turns) {
      std::vector<int> so_far(static_cast<std::size_t>(size));
      for (i64 l = 0; l < n; ++l) {
        const auto old = so_far;
        for (i64 e = 0; e < size; ++e) {
          int& to = v[static_cast<std::size_t>(l * line + e * element)];
          to += old[static_cast<std::size_t>(turns ? (e + 1) % size : e)];
          so_far[static_cast<std::size_t>(e)] = to;
        }
      }
      return v;
    };
    const auto [slices, columns, turned, turned_rows, turned_columns] =
        g(fg::view(x.data(), {a, b, c}), fg::view(m.data(), {b, c}));
    EXPECT_EQ(slices.to_vector(), scanned(x, a, b * c, b * c, 1, false));
    EXPECT_EQ(vector_of(columns), scanned(m, c, b, 1, c, false));
    EXPECT_EQ(vector_of(turned), scanned(m, b, c, c, 1, true));
    EXPECT_EQ(turned_rows.to_vector(), scanned(x, a * b, c, c, 1, true));
    EXPECT_EQ(vector_of(turned_columns), scanned(m, c, b, 1, c, true));
  });
}

TEST(ScanSlices, TheOperatorKeepsTheShape) {
  const auto f = [](Mat<int> m) {
    return fg::scan([](Vec<int> a, Vec<int> b) { return fg::concat(a, b); }, fg::replicate(m.size(1), 0),
                    fg::rows(m));
  };
  on_every_engine(f, [](const auto& g) {
    const std::vector<int> m{1, 2, 3, 4, 5, 6};
    const auto what = message_of<fg::ShapeError>([&] { (void)g(fg::view(m.data(), {2, 3})); });
    EXPECT_NE(what.find("numeric_test.cpp:"), std::string::npos) << what;
  });
}

}  // namespace
