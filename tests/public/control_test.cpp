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

// The right operand of && and || is not computed where the left one decides, also if it is a choice itself.
TEST(Control, RightOperandsThatAreChoices) {
  const auto first_in = [](Vec<int> x) {
    return fg::while_loop(
        [&](Exp<fg::i64> i) { return i < x.size() && (x[i] < 1 || !(x[i] <= 100 && x[i] != 50)); },
        [](Exp<fg::i64> i) { return i + 1; }, fg::i64{0});
  };
  on_every_engine(first_in, [](const auto& f) {
    EXPECT_EQ(f(Ints{0, -5, 0}), 3);
    EXPECT_EQ(f(Ints{0, 50, 7, 0}), 2);
  });
  const auto after = [](Vec<int> x) {
    return fg::generate(x.size(), [&](Exp<fg::i64> i) {
      const auto is_first = i == 0 || (i > -1 && x[i - 1] > 5);
      const auto is_last = i + 1 == x.size() || (x[i + 1] < 0 || x[i] / (x[i + 1] - 9) == 1);
      return fg::cast<int>(is_first) + 2 * fg::cast<int>(is_last);
    });
  };
  on_every_engine(after, [](const auto& f) {
    EXPECT_EQ(vector_of(f(Ints{1, 6, -1, 4})), (Ints{1, 2, 1, 2}));
    EXPECT_THROW(f(Ints{1, 9}), fg::ArithmeticError);
  });
}

// What only one branch needs is computed in it, wherever it is written.
TEST(Control, WhatOneBranchNeeds) {
  const auto quotients = [](Vec<int> x, Exp<int> z) {
    const auto sum = fg::sum(x / z), last = x[x.size() - 1];
    const auto scanned = fg::scan(fg::plus, 0, x / z);
    return std::tuple{
        fg::cond(z > 0, sum, z),
        fg::cond(z > 0, [&] { return scanned; }, [&] { return x; }), fg::cond(x.size() > 0, last, -1)};
  };
  on_every_engine(quotients, [](const auto& f) {
    const auto [sum, chosen, last] = f(Ints{4, 6}, 2);
    EXPECT_EQ(sum, 5);
    EXPECT_EQ(vector_of(chosen), (Ints{2, 5}));
    EXPECT_EQ(last, 6);
    const auto [zero, given, none] = f(Ints{}, 0);
    EXPECT_EQ(zero, 0);
    EXPECT_EQ(vector_of(given), Ints{});
    EXPECT_EQ(none, -1);
    EXPECT_EQ(vector_of(std::get<1>(f(Ints{4, 6}, 0))), (Ints{4, 6}));
  });
  // Two branches that are both taken, or none: it is computed once, and fails.
  const auto needed = [](Vec<int> x, Exp<int> z) {
    const auto sum = fg::sum(x / z);
    return fg::cond(z == 0, sum, -sum);
  };
  on_every_engine(needed, [](const auto& f) {
    EXPECT_EQ(f(Ints{4, 6}, 2), -5);
    EXPECT_THROW(f(Ints{4, 6}, 0), fg::ArithmeticError);
  });
  const auto in_a_map = [](Vec<int> x, Vec<int> size) {
    return fg::map(
        [&](Exp<int> n) {
          const auto total = fg::sum(fg::generate(n, [&](Exp<fg::i64> k) { return x[k] / (n - 3); }));
          const auto steps =
              fg::while_loop([&](Exp<int> s) { return s < x[n]; }, [](Exp<int> s) { return s + 1; }, 0);
          return fg::cond(n != 3 && n < 4, [&] { return fg::cond(n > 1, total, steps); }, [] { return -1; });
        },
        size);
  };
  on_every_engine(in_a_map, [](const auto& f) {
    EXPECT_EQ(vector_of(f(Ints{5, 2, 7}, Ints{0, 1, 2, 3, 4, 1000000})), (Ints{5, 2, -7, -1, -1, -1}));
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

// A choice between tuples of scalars is one Exp of a tuple.
// What is read outside of an array is 0 after the failure, and these loops need more to end.
TEST(Control, WhileLoopsEndWithTheirFirstFailure) {
  const auto walk = [](Vec<int> v, Exp<fg::i64> from) {
    return fg::while_loop([](Exp<int> k) { return k < 100; },
                          [&](Exp<int> k) { return k + v[fg::cast<fg::i64>(k) + from]; }, 0);
  };
  const auto step = [](Vec<int> v, Exp<fg::i64> at) {
    const Exp<int> by = v[at];
    return fg::while_loop([](Exp<int> k) { return k > 0; }, [&](Exp<int> k) { return k - by; }, 100);
  };
  const auto walks = [&](Vec<int> v, Exp<fg::i64> from) {
    return fg::map([&](Exp<int> x) { return walk(v, from) + x; }, v);
  };
  const auto asked = [](Vec<int> v, Exp<fg::i64> from) {
    return fg::while_loop([&](Exp<fg::i64> k) { return v[k + from] != 7; },
                          [](Exp<fg::i64> k) { return fg::max(k - 1, -50); }, fg::i64{0});
  };
  const std::vector<int> v{1, 2, 3, 4};
  const auto fails = [&](const auto& f) { EXPECT_THROW(f(v, 1), fg::IndexError); };
  on_every_engine(walk, fails);
  on_every_engine(walks, fails);
  on_every_engine(asked, fails);
  on_every_engine(step, [&](const auto& f) {
    EXPECT_EQ(f(v, 2), -2);
    EXPECT_THROW(f(v, -1), fg::IndexError);
  });
}

TEST(Control, LoopsWhoseNextStateIsAChoice) {
  const auto first_not_below = [](Vec<int> x, Exp<int> key) {
    const auto [from, to] =
        fg::while_loop([](Exp<fg::i64> low, Exp<fg::i64> high) { return low < high; },
                       [&](Exp<fg::i64> low, Exp<fg::i64> high) {
                         const Exp<fg::i64> middle = (low + high) / 2;
                         return fg::cond(
                             x[middle] < key, [&] { return std::tuple{middle + 1, high}; },
                             [&] { return std::tuple{low, middle}; });
                       },
                       fg::i64{0}, x.size());
    return from + 0 * to;
  };
  on_every_engine(first_not_below, [](const auto& f) {
    const Ints x{1, 3, 3, 7, 20};
    for (const auto& [key, place] : {std::pair{0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 3}, {20, 4}, {21, 5}})
      EXPECT_EQ(f(x, key), place);
  });
  const auto swapped = [](Exp<int> times) {
    const auto [left, right] = fg::iterate(
        times,
        [](Exp<fg::i64> k, Exp<int> a, Exp<int> b) {
          return fg::cond(k % 2 == 0, std::tuple{b, a}, std::tuple{a + b, b});
        },
        1, 10);
    return left - right;
  };
  on_every_engine(swapped, [](const auto& f) {
    EXPECT_EQ(f(0), -9);
    EXPECT_EQ(f(1), 9);
    EXPECT_EQ(f(2), 10);
    EXPECT_EQ(f(3), -10);
  });
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
