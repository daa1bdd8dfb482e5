// Choices and loops over scalars, alone and inside map.
#include "engines.h"

namespace {

using Ints = std::vector<int>;

TEST(Control, CondComputesOneBranch) {
  const auto f = [](Vec<int> x, Vec<int> y) {
    return fg::map(
        [](Exp<int> a, Exp<int> b) { return fg::cond(b != 0, [&] { return a / b; }, [] { return -1; }); }, x,
        y);
  };
  on_every_engine(
      f, [](const auto& g) { EXPECT_EQ(vector_of(g(Ints{6, 7, 8}, Ints{2, 0, 4})), (Ints{3, -1, 2})); });
  on_every_engine([](Exp<int> a, Exp<int> b) { return fg::cond(b == 0, 0, a / b); },
                  [](const auto& g) {
                    EXPECT_EQ(g(6, 3), 2);
                    EXPECT_EQ(g(6, 0), 0);
                  });
}

TEST(Control, CondOfCompositesAndLiterals) {
  using Pair = std::tuple<int, float>;
  const auto f = [](Exp<bool> c, Exp<Pair> p, Exp<float> x) {
    return std::tuple{fg::cond(c, p, Pair{1, 2.0f}), fg::cond(c, x, 1), fg::cond(c, 2, x),
                      fg::select(c, p, Exp<Pair>(Pair{3, 4.0f}))};
  };
  on_every_engine(f, [](const auto& g) {
    EXPECT_EQ(g(true, Pair{7, 8.0f}, 0.5f), (std::tuple{Pair{7, 8.0f}, 0.5f, 2.0f, Pair{7, 8.0f}}));
    EXPECT_EQ(g(false, Pair{7, 8.0f}, 0.5f), (std::tuple{Pair{1, 2.0f}, 1.0f, 0.5f, Pair{3, 4.0f}}));
  });
}

TEST(Control, WhileLoop) {
  const auto collatz = [](Exp<fg::i64> start) {
    auto [n, steps] = fg::while_loop([](Exp<fg::i64> m, Exp<int>) { return m != 1; },
                                     [](Exp<fg::i64> m, Exp<int> k) {
                                       return std::tuple{fg::select(m % 2 == 0, m / 2, 3 * m + 1), k + 1};
                                     },
                                     start, 0);
    return steps;
  };
  on_every_engine(collatz, [](const auto& f) {
    EXPECT_EQ(f(1), 0);
    EXPECT_EQ(f(27), 111);
  });
  on_every_engine([&](Vec<fg::i64> starts) { return fg::map(collatz, starts); },
                  [](const auto& f) {
                    EXPECT_EQ(vector_of(f(std::vector<fg::i64>{1, 2, 3, 6, 7, 27})),
                              (Ints{0, 1, 7, 8, 16, 111}));
                  });
  on_every_engine(
      [](Exp<int> limit) {
        return fg::while_loop([&](Exp<int> x) { return x < limit; }, [](Exp<int> x) { return x * 2; }, 1);
      },
      [](const auto& f) { EXPECT_EQ(f(100), 128); });
}

TEST(Control, Iterate) {
  const auto f = [](Exp<int> n) {
    auto [a, b] = fg::iterate(n, [](Exp<int> x, Exp<int> y) { return std::tuple{y, x + y}; }, 0, 1);
    auto square =
        fg::iterate(n, [](Exp<fg::i64> k, Exp<fg::i64> s) { return s + 2 * k + 1; }, Exp<fg::i64>(0));
    auto pair = fg::iterate(
        n,
        [](Exp<std::tuple<int, int>> p) { return std::tuple{fg::get<1>(p), fg::get<0>(p) + fg::get<1>(p)}; },
        std::tuple{0, 1});
    return std::tuple{a, square, fg::get<0>(pair)};
  };
  on_every_engine(f, [](const auto& g) {
    EXPECT_EQ(g(10), (std::tuple{55, 100, 55}));
    EXPECT_EQ(g(0), (std::tuple{0, 0, 0}));
    EXPECT_EQ(g(-3), (std::tuple{0, 0, 0}));
  });
}

TEST(Control, NestedLoopsAndReductions) {
  const auto f = [](Vec<int> x) {
    return fg::map(
        [&](Exp<int> n) {
          return fg::iterate(
              n, [&](Exp<fg::i64> i, Exp<int> total) { return total + x[i] * fg::sum(fg::iota<int>(i + 1)); },
              0);
        },
        x);
  };
  on_every_engine(f, [](const auto& g) {
    const Ints x{0, 2, 3, 4};
    Ints expected;
    for (int n : x) {
      int total = 0;
      for (int i = 0; i < n; ++i) total += x[static_cast<std::size_t>(i)] * (i * (i + 1) / 2);
      expected.push_back(total);
    }
    EXPECT_EQ(vector_of(g(x)), expected);
  });
}

}  // namespace
