// map, generate, iota, replicate, indexing, index transforms.
#include "engines.h"

#include <numeric>

namespace {

using Ints = std::vector<int>;

Ints count_to(int n) {
  Ints xs(static_cast<std::size_t>(n));
  std::iota(xs.begin(), xs.end(), 0);
  return xs;
}
fg::Array<int, 2> matrix(int rows, int columns) {
  return {count_to(rows * columns), {rows, columns}};
}

TEST(Arrays, Broadcast) {
  const auto f = [](Vec<int> x, Mat<int> m, Exp<int> k) {
    return std::tuple{x + k, k - x, 2 * x, x * 2, m * k + m, -m, m > k, x << 1};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [a, b, c, d, e, negated, greater, shifted] = g(Ints{1, 2}, matrix(2, 2), 3);
    EXPECT_EQ(vector_of(a), (Ints{4, 5}));
    EXPECT_EQ(vector_of(b), (Ints{2, 1}));
    EXPECT_EQ(vector_of(c), (Ints{2, 4}));
    EXPECT_EQ(vector_of(d), (Ints{2, 4}));
    EXPECT_EQ(vector_of(e), (Ints{0, 4, 8, 12}));
    EXPECT_EQ(vector_of(negated), (Ints{0, -1, -2, -3}));
    EXPECT_EQ(vector_of(greater), (std::vector<bool>{false, false, false, false}));
    EXPECT_EQ(vector_of(shifted), (Ints{2, 4}));
  });
}

TEST(Arrays, LogicalOperatorsOfArraysAndScalars) {
  on_every_engine(
      [](Vec<int> x, Exp<bool> c) {
        const Vec<bool> high = x > 1, low = x < 3;
        return std::tuple{fg::count(high && low),  fg::count(high || !low), fg::count(c && high),
                          fg::count(high || c),    fg::count(high && true), fg::count(false || high),
                          fg::count(false && high)};
      },
      [](const auto& f) {
        const std::tuple<fg::i64, fg::i64, fg::i64, fg::i64, fg::i64, fg::i64, fg::i64> expected{1, 3, 0, 3,
                                                                                                 3, 3, 0};
        EXPECT_EQ(f(std::vector<int>{0, 1, 2, 3, 4}, false), expected);
      });
}

TEST(Arrays, MapOfSeveralArrays) {
  const auto f = [](Vec<int> a, Vec<int> b, Vec<int> c, Vec<int> d, Vec<int> e, Vec<int> g) {
    const auto add = [](const auto&... xs) { return (xs + ...); };
    return std::tuple{fg::map(add, a),          fg::map(add, a, b),          fg::map(add, a, b, c),
                      fg::map(add, a, b, c, d), fg::map(add, a, b, c, d, e), fg::map(add, a, b, c, d, e, g)};
  };
  on_every_engine(f, [](const auto& h) {
    const Ints x{1, 10};
    const auto [r1, r2, r3, r4, r5, r6] = h(x, x, x, x, x, x);
    EXPECT_EQ(vector_of(r1), (Ints{1, 10}));
    EXPECT_EQ(vector_of(r2), (Ints{2, 20}));
    EXPECT_EQ(vector_of(r3), (Ints{3, 30}));
    EXPECT_EQ(vector_of(r4), (Ints{4, 40}));
    EXPECT_EQ(vector_of(r5), (Ints{5, 50}));
    EXPECT_EQ(vector_of(r6), (Ints{6, 60}));
  });
}

TEST(Arrays, MapOfNamedFunctionsAndClosures) {
  const auto f = [](Vec<float> x, Exp<float> staged) {
    const float constant = 0.5f;
    return std::tuple{fg::map(fg::sqrt, x), fg::map(fg::max, x, x),
                      fg::map([&](Exp<float> e) { return e * staged + constant; }, x),
                      fg::map([](Exp<float>) { return 7; }, x)};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [root, same, closed, constant] = g(std::vector<float>{4, 9}, 2.0f);
    EXPECT_EQ(vector_of(root), (std::vector<float>{2, 3}));
    EXPECT_EQ(vector_of(same), (std::vector<float>{4, 9}));
    EXPECT_EQ(vector_of(closed), (std::vector<float>{8.5f, 18.5f}));
    EXPECT_EQ(vector_of(constant), (Ints{7, 7}));
  });
}

TEST(Arrays, MapOfRowsAndColumns) {
  const auto f = [](Mat<int> m, Vec<int> v) {
    const auto total = [](Vec<int> line) { return fg::sum(line); };
    return std::tuple{fg::map(total, fg::rows(m)), fg::map(total, fg::columns(m)),
                      fg::map([](Vec<int> row, Exp<int> k) { return row * k; }, fg::rows(m), v),
                      fg::map([](Vec<int> row) { return std::tuple{fg::reverse(row), row[0]}; }, fg::rows(m)),
                      fg::map([](Vec<int> column) { return fg::drop(column, 1); }, fg::columns(m))};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [rows, columns, scaled, pair, dropped] = g(matrix(2, 3), Ints{1, 10});
    EXPECT_EQ(vector_of(rows), (Ints{3, 12}));
    EXPECT_EQ(vector_of(columns), (Ints{3, 5, 7}));
    EXPECT_EQ(vector_of(scaled), (Ints{0, 1, 2, 30, 40, 50}));
    EXPECT_EQ(vector_of(std::get<0>(pair)), (Ints{2, 1, 0, 5, 4, 3}));
    EXPECT_EQ(vector_of(std::get<1>(pair)), (Ints{0, 3}));
    EXPECT_EQ(vector_of(dropped), (Ints{3, 4, 5}));
    EXPECT_THROW(g(matrix(2, 3), Ints{1}), fg::ShapeError);
  });
}

TEST(Arrays, MapOfMapsUsesOuterValues) {
  const auto f = [](Vec<int> x, Vec<int> y) {
    return fg::map([&](Exp<int> a) { return fg::map([&](Exp<int> b) { return a * 10 + b; }, y); }, x);
  };
  on_every_engine(f, [](const auto& g) {
    const auto table = g(Ints{1, 2}, Ints{3, 4, 5});
    EXPECT_EQ(table.shape(), (std::array<std::int64_t, 2>{2, 3}));
    EXPECT_EQ(vector_of(table), (Ints{13, 14, 15, 23, 24, 25}));
  });
}

TEST(Arrays, GenerateIotaReplicate) {
  const auto f = [](Exp<int> n) {
    return std::tuple{
        fg::generate(n, [](Exp<fg::i64> i) { return i * i; }),
        fg::generate({2, n}, [](Exp<fg::i64> i, Exp<fg::i64> j) { return fg::cast<int>(i * 10 + j); }),
        fg::iota(n),
        fg::iota<float>(3),
        fg::replicate(n, 1.5f),
        fg::replicate({n, 2}, n),
        fg::replicate(2, fg::iota<int>(n))};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [squares, table, numbers, reals, same, square, rows] = g(3);
    EXPECT_EQ(vector_of(squares), (std::vector<fg::i64>{0, 1, 4}));
    EXPECT_EQ(vector_of(table), (Ints{0, 1, 2, 10, 11, 12}));
    EXPECT_EQ(vector_of(numbers), (std::vector<fg::i64>{0, 1, 2}));
    EXPECT_EQ(vector_of(reals), (std::vector<float>{0, 1, 2}));
    EXPECT_EQ(vector_of(same), (std::vector<float>{1.5f, 1.5f, 1.5f}));
    EXPECT_EQ(vector_of(square), (Ints{3, 3, 3, 3, 3, 3}));
    EXPECT_EQ(vector_of(rows), (Ints{0, 1, 2, 0, 1, 2}));
    EXPECT_EQ(std::get<1>(g(0)).shape(), (std::array<std::int64_t, 2>{2, 0}));
  });
}

TEST(Arrays, SizesAndIndices) {
  const auto f = [](Vec<int> x, Mat<int> m, Exp<fg::i16> i) {
    return std::tuple{x.size(), m.size(), m.size(0), m.size(1), m.size(-1), m.shape()[0],
                      x[0],     x[i],     x(i),      m(1, i),   m[i],       m[1][2]};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [n, all, rows, columns, last, first, x0, xi, also, element, row, corner] =
        g(Ints{5, 6, 7}, matrix(2, 3), fg::i16(1));
    EXPECT_EQ((std::tuple{n, all, rows, columns, last, first}), (std::tuple{3, 6, 2, 3, 3, 2}));
    EXPECT_EQ((std::tuple{x0, xi, also, element, corner}), (std::tuple{5, 6, 6, 4, 5}));
    EXPECT_EQ(vector_of(row), (Ints{3, 4, 5}));
  });
}

TEST(Arrays, IndexTransforms) {
  const auto f = [](Vec<int> x, Mat<int> m) {
    const auto r = m.size(0), c = m.size(1);
    return std::tuple{x.slice(1, 4),
                      x.slice(0, x.size(), 2),
                      x.slice(x.size() - 1, -1, -1),
                      fg::take(x, 2),
                      fg::drop(x, 2),
                      fg::reverse(x),
                      m.slice({0, r - 1}, {1, c}),
                      m.slice({r - 1, -1, -1}, {0, c, 2}),
                      fg::transpose(m),
                      fg::flatten(m),
                      fg::reshape(x, {2, 3}),
                      fg::reshape(m, {3, 2}),
                      fg::take(m, 1),
                      fg::take(m, 1, fg::axis(1)),
                      fg::reverse(m, fg::axis(-1))};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [slice, even, backwards, first, rest, reversed, inner, mixed, transposed, flat, square, tall,
                row, column, mirrored] = g(count_to(6), matrix(2, 3));
    EXPECT_EQ(vector_of(slice), (Ints{1, 2, 3}));
    EXPECT_EQ(vector_of(even), (Ints{0, 2, 4}));
    EXPECT_EQ(vector_of(backwards), (Ints{5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(vector_of(first), (Ints{0, 1}));
    EXPECT_EQ(vector_of(rest), (Ints{2, 3, 4, 5}));
    EXPECT_EQ(vector_of(reversed), (Ints{5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(vector_of(inner), (Ints{1, 2}));
    EXPECT_EQ(vector_of(mixed), (Ints{3, 5, 0, 2}));
    EXPECT_EQ(transposed.shape(), (std::array<std::int64_t, 2>{3, 2}));
    EXPECT_EQ(vector_of(transposed), (Ints{0, 3, 1, 4, 2, 5}));
    EXPECT_EQ(vector_of(flat), count_to(6));
    EXPECT_EQ(square.shape(), (std::array<std::int64_t, 2>{2, 3}));
    EXPECT_EQ(vector_of(tall), count_to(6));
    EXPECT_EQ(vector_of(row), (Ints{0, 1, 2}));
    EXPECT_EQ(vector_of(column), (Ints{0, 3}));
    EXPECT_EQ(vector_of(mirrored), (Ints{2, 1, 0, 5, 4, 3}));
  });
}

TEST(Arrays, InteriorSlices) {
  const auto jacobi = [](Mat<float> u) {
    const auto r = u.size(0), c = u.size(1);
    return 0.25f * (u.slice({0, r - 2}, {1, c - 1}) + u.slice({2, r}, {1, c - 1}) +
                    u.slice({1, r - 1}, {0, c - 2}) + u.slice({1, r - 1}, {2, c}));
  };
  on_every_engine(jacobi, [](const auto& f) {
    std::vector<float> u(5 * 7);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<float>(i * i % 11);
    const auto next = f(fg::view(u.data(), {5, 7}));
    ASSERT_EQ(next.shape(), (std::array<std::int64_t, 2>{3, 5}));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j) {
        const auto at = [&](int a, int b) {
          return u[static_cast<std::size_t>((i + 1 + a) * 7 + j + 1 + b)];
        };
        EXPECT_FLOAT_EQ(next(i, j), 0.25f * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)));
      }
    EXPECT_THROW(f(fg::view(u.data(), {1, 35})), fg::ShapeError);
  });
}

// One extent, one index and one range may stand in braces, as several do.
TEST(Arrays, OneExtentInBraces) {
  const auto f = [](Vec<int> x) {
    const auto n = x.size();
    const auto copied = fg::generate({n}, [=](Exp<fg::i64> i) { return x(i); });
    return std::tuple{
        fg::with(copied, {0}, 9), fg::with(copied, {fg::Range{0, 2}}, fg::replicate({2}, 7)),
        fg::backpermute({n}, [=](Exp<fg::i64> i) { return n - 1 - i; }, x), fg::reshape(x, {n})};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [first, two, reversed, same] = g(Ints{1, 2, 3});
    EXPECT_EQ(vector_of(first), (Ints{9, 2, 3}));
    EXPECT_EQ(vector_of(two), (Ints{7, 7, 3}));
    EXPECT_EQ(vector_of(reversed), (Ints{3, 2, 1}));
    EXPECT_EQ(vector_of(same), (Ints{1, 2, 3}));
  });
}

TEST(Arrays, EmptyAndSingle) {
  const auto f = [](Mat<int> m) {
    return std::tuple{m + 1,      fg::transpose(m),        fg::flatten(m),
                      fg::sum(m), fg::sum(m, fg::axis(0)), fg::sum(m, fg::axis(1))};
  };
  on_every_engine(f, [](const auto& g) {
    for (const auto& shape : {std::array<std::int64_t, 2>{0, 3}, {3, 0}, {0, 0}, {1, 1}}) {
      const auto [more, transposed, flat, sum, columns, rows] =
          g(fg::Array<int, 2>(Ints(static_cast<std::size_t>(shape[0] * shape[1]), 4), shape));
      EXPECT_EQ(more.shape(), shape);
      EXPECT_EQ(transposed.size(0), shape[1]);
      EXPECT_EQ(flat.size(), shape[0] * shape[1]);
      EXPECT_EQ(sum, 4 * flat.size());
      EXPECT_EQ(vector_of(columns), Ints(static_cast<std::size_t>(shape[1]), static_cast<int>(4 * shape[0])));
      EXPECT_EQ(vector_of(rows), Ints(static_cast<std::size_t>(shape[0]), static_cast<int>(4 * shape[1])));
    }
  });
}

}  // namespace
