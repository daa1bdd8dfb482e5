// Choices and loops over arrays and tuples of them, whose sizes may change from iteration to iteration.
#include "engines.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <numeric>

namespace {

using Ints = std::vector<int>;
using Floats = std::vector<float>;

Ints counted(int n) {
  Ints values;
  for (int i = 0; i < n; ++i) values.push_back((i * 37 + 11) % 101);
  return values;
}

TEST(ArrayControl, CondOfArraysOfOneSize) {
  const auto f = [](Exp<bool> c, Vec<int> x) { return fg::cond(c, [&] { return x + 1; }, x); };
  on_every_engine(f, [](const auto& g) {
    for (int n : {0, 1, 5, 1000}) {
      Ints plus = counted(n);
      for (int& v : plus) ++v;
      EXPECT_EQ(vector_of(g(true, counted(n))), plus);
      EXPECT_EQ(vector_of(g(false, counted(n))), counted(n));
    }
  });
}

TEST(ArrayControl, CondOfArraysOfDifferentSizes) {
  const auto f = [](Exp<bool> c, Vec<int> x, Vec<int> y) {
    auto z = fg::cond(c, x, [&] { return fg::take(y, y.size() / 2); });
    return std::tuple{z, fg::sum(z), z.size()};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [z, total, size] = g(true, Ints{1, 2, 3}, Ints{4, 5, 6, 7});
    EXPECT_EQ(vector_of(z), (Ints{1, 2, 3}));
    EXPECT_EQ(total, 6);
    EXPECT_EQ(size, 3);
    const auto [w, half, half_size] = g(false, Ints{1, 2, 3}, Ints{4, 5, 6, 7});
    EXPECT_EQ(vector_of(w), (Ints{4, 5}));
    EXPECT_EQ(half, 9);
    EXPECT_EQ(half_size, 2);
  });
}

TEST(ArrayControl, CondOfTuplesWithArrays) {
  const auto f = [](Exp<bool> c, Vec<int> x, Vec<std::tuple<int, float>> y) {
    auto [a, b, n, m] = fg::cond(
        c, [&] { return std::tuple{x, y, 1, Exp<float>(2)}; },
        [&] { return std::tuple{fg::reverse(x), fg::drop(y, 1), Exp<int>(3), 4.0f}; });
    auto [first, second] = fg::unzip(b);
    return std::tuple{a, first, second, n, m};
  };
  using Pairs = std::vector<std::tuple<int, float>>;
  on_every_engine(f, [](const auto& g) {
    const Pairs pairs{{1, 0.5f}, {2, 1.5f}};
    const auto [a, first, second, n, m] = g(true, Ints{1, 2, 3}, pairs);
    EXPECT_EQ(vector_of(a), (Ints{1, 2, 3}));
    EXPECT_EQ(vector_of(first), (Ints{1, 2}));
    EXPECT_EQ(vector_of(second), (Floats{0.5f, 1.5f}));
    EXPECT_EQ(std::tuple(n, m), std::tuple(1, 2.0f));
    const auto [a2, first2, second2, n2, m2] = g(false, Ints{1, 2, 3}, pairs);
    EXPECT_EQ(vector_of(a2), (Ints{3, 2, 1}));
    EXPECT_EQ(vector_of(first2), (Ints{2}));
    EXPECT_EQ(vector_of(second2), (Floats{1.5f}));
    EXPECT_EQ(std::tuple(n2, m2), std::tuple(3, 4.0f));
  });
}

TEST(ArrayControl, ABranchNotTakenCannotFail) {
  const auto f = [](Vec<int> x, Exp<int> i) {
    return fg::cond(i < 3, [&] { return x + x[i]; }, [&] { return fg::take(x, 0); });
  };
  on_every_engine(f, [](const auto& g) {
    EXPECT_EQ(vector_of(g(Ints{1, 2, 3}, 1)), (Ints{3, 4, 5}));
    EXPECT_EQ(g(Ints{1, 2, 3}, 7).size(), 0);
    EXPECT_THROW(g(Ints{1, 2, 3}, -1), fg::IndexError);
  });
}

TEST(ArrayControl, IterateKeepsSizes) {
  const auto f = [](Vec<float> x, Exp<int> n) {
    return fg::iterate(n, [](Vec<float> v) { return v * 0.5f + fg::reverse(v); }, x);
  };
  on_every_engine(f, [](const auto& g) {
    for (int n : {0, 1, 2, 7})
      for (int size : {0, 1, 17, 1000}) {
        Floats expected;
        for (int v : counted(size)) expected.push_back(static_cast<float>(v));
        const Floats x = expected;
        for (int k = 0; k < n; ++k) {
          const Floats old = expected;
          for (std::size_t i = 0; i < old.size(); ++i) expected[i] = old[i] * 0.5f + old[old.size() - 1 - i];
        }
        EXPECT_EQ(vector_of(g(x, n)), expected);
      }
  });
}

TEST(ArrayControl, IterateGrowsAndSwaps) {
  const auto growing = [](Exp<int> n) {
    return fg::iterate(
        n, [](Exp<fg::i64> k, Vec<fg::i64> v) { return fg::iota(v.size() + k) + fg::sum(v); }, fg::iota(2));
  };
  on_every_engine(growing, [](const auto& g) {
    std::vector<fg::i64> v{0, 1};
    for (int k = 0; k < 5; ++k) {
      EXPECT_EQ(vector_of(g(k)), v);
      fg::i64 total = 0;
      for (fg::i64 x : v) total += x;
      const std::size_t size = v.size() + static_cast<std::size_t>(k);
      v.clear();
      for (std::size_t i = 0; i < size; ++i) v.push_back(static_cast<fg::i64>(i) + total);
    }
  });
  const auto swapping = [](Vec<int> x, Vec<int> y, Exp<int> n) {
    return fg::iterate(n, [](Vec<int> a, Vec<int> b) { return std::tuple{b, a}; }, x, y);
  };
  on_every_engine(swapping, [](const auto& g) {
    const auto [a, b] = g(Ints{1, 2, 3}, Ints{4}, 3);
    EXPECT_EQ(vector_of(a), (Ints{4}));
    EXPECT_EQ(vector_of(b), (Ints{1, 2, 3}));
    const auto [c, d] = g(Ints{1, 2, 3}, Ints{4}, 2);
    EXPECT_EQ(vector_of(c), (Ints{1, 2, 3}));
    EXPECT_EQ(vector_of(d), (Ints{4}));
  });
}

TEST(ArrayControl, HalvedByPairwiseSums) {
  const auto f = [](Vec<fg::i64> x) {
    return fg::while_loop([](Vec<fg::i64> v) { return v.size() > 1; },
                          [](Vec<fg::i64> v) {
                            auto half = (v.size() + 1) / 2;
                            return fg::generate(half, [&](Exp<fg::i64> i) {
                              auto other = i + half;
                              return v[i] + fg::cond(other < v.size(), [&] { return v[other]; }, 0);
                            });
                          },
                          x);
  };
  on_every_engine(f, [](const auto& g) {
    for (int n : {0, 1, 2, 3, 15, 16, 17, 1023, 1024, 1025, 100003}) {
      std::vector<fg::i64> x;
      fg::i64 total = 0;
      for (int v : counted(n)) total += v, x.push_back(v);
      const auto result = vector_of(g(x));
      if (n == 0)
        EXPECT_TRUE(result.empty());
      else
        EXPECT_EQ(result, std::vector<fg::i64>{total});
    }
  });
}

TEST(ArrayControl, LoopsOverMatricesAndComposites) {
  using Pair = std::tuple<int, float>;
  const auto f = [](Mat<int> m, Vec<Pair> p) {
    return fg::while_loop(
        [](Mat<int> a, Vec<Pair>, Exp<int> k) { return a.size(0) > 1 && k < 10; },
        [](Mat<int> a, Vec<Pair> b, Exp<int> k) {
          auto next =
              fg::map([](Exp<Pair> q) { return std::tuple{fg::get<0>(q) + 1, fg::get<1>(q) * 2.0f}; }, b);
          return std::tuple{fg::transpose(fg::drop(a, 1)), next, k + 1};
        },
        m, p, 0);
  };
  on_every_engine(f, [](const auto& g) {
    Ints m(12);
    for (int i = 0; i < 12; ++i) m[static_cast<std::size_t>(i)] = i;
    // 3 x 4 -> 4 x 2 -> 2 x 3 -> 3 x 1 -> 1 x 2
    const auto [a, b, k] = g(fg::view(m.data(), {3, 4}), std::vector<Pair>{{5, 1.0f}});
    EXPECT_EQ(a.size(0), 1);
    EXPECT_EQ(a.size(1), 2);
    EXPECT_EQ(vector_of(a), (Ints{10, 11}));
    EXPECT_EQ(b[0], (Pair{9, 16.0f}));
    EXPECT_EQ(k, 4);
  });
}

TEST(ArrayControl, TuplesAsState) {
  const auto f = [](Vec<int> x) {
    auto [state, steps] = fg::iterate(
        3,
        [](std::tuple<Vec<int>, Exp<int>> s, Exp<int> k) {
          auto [v, total] = s;
          return std::tuple{std::tuple{v + total, fg::sum(v)}, k + 1};
        },
        std::tuple{x, 1}, 0);
    return std::tuple{std::get<0>(state), std::get<1>(state), steps};
  };
  on_every_engine(f, [](const auto& g) {
    Ints v{1, 2, 3};
    int total = 1;
    for (int k = 0; k < 3; ++k) {
      int sum = 0;
      for (int x : v) sum += x;
      for (int& x : v) x += total;
      total = sum;
    }
    const auto [a, b, steps] = g(Ints{1, 2, 3});
    EXPECT_EQ(vector_of(a), v);
    EXPECT_EQ(b, total);
    EXPECT_EQ(steps, 3);
  });
}

// Pairs are chosen and carried as tuples are.
TEST(ArrayControl, PairsWithArrays) {
  const auto f = [](Exp<bool> c, Vec<int> x, Exp<int> n) {
    const auto chosen = fg::cond(c, [&] { return std::pair{x + 1, n}; }, [&] { return std::pair{x, 7}; });
    const auto state = fg::iterate(
        n, [](std::pair<Vec<int>, Exp<int>> s) { return std::pair{s.first * 2 + s.second, s.second + 1}; },
        chosen);
    const auto last = fg::while_loop(
        [](std::pair<Vec<int>, std::pair<Exp<int>, Vec<int>>> s) { return s.second.first > 0; },
        [](std::pair<Vec<int>, std::pair<Exp<int>, Vec<int>>> s) {
          return std::pair{s.second.second, std::pair{s.second.first - 1, s.first}};
        },
        std::pair{x, std::pair{n, state.first}});
    return std::tuple{state, last.first};
  };
  on_every_engine(f, [](const auto& g) {
    for (const bool c : {false, true})
      for (const int n : {0, 1, 2, 3}) {
        Ints x = counted(6), expected = x;
        int second = c ? n : 7;
        if (c)
          for (int& v : expected) ++v;
        for (int i = 0; i < n; ++i, ++second)
          for (int& v : expected) v = v * 2 + second;
        const auto [state, last] = g(c, x, n);
        EXPECT_EQ(vector_of(state.first), expected);
        EXPECT_EQ(state.second, second);
        EXPECT_EQ(vector_of(last), n % 2 == 0 ? x : expected);
      }
  });
}

TEST(ArrayControl, LoopsInsideMapOverRows) {
  const auto f = [](Mat<float> m) {
    return fg::map(
        [](Vec<float> row) { return fg::iterate(3, [](Vec<float> v) { return v + fg::sum(v); }, row); },
        fg::rows(m));
  };
  on_every_engine(f, [](const auto& g) {
    for (std::size_t columns : {0U, 1U, 3U, 17U}) {
      Floats m;
      for (int v : counted(static_cast<int>(5 * columns))) m.push_back(static_cast<float>(v % 4));
      Floats expected = m;
      for (std::size_t r = 0; r < 5; ++r)
        for (int k = 0; k < 3; ++k) {
          float total = 0;
          for (std::size_t c = 0; c < columns; ++c) total += expected[r * columns + c];
          for (std::size_t c = 0; c < columns; ++c) expected[r * columns + c] += total;
        }
      EXPECT_EQ(vector_of(g(fg::view(m.data(), {5, static_cast<fg::i64>(columns)}))), expected);
    }
  });
}

constexpr auto change_places = [](Vec<int> a, Vec<int> b) { return std::tuple{b, a}; };

// The branches of the choice give what the loop before it left.
TEST(ArrayControl, ChoicesOfStatesThatAnInnerLoopSwaps) {
  const auto smaller = [](Vec<int> row) {
    const auto [a, b] = fg::iterate(
        2,
        [](Vec<int> p, Vec<int> q) {
          const auto [c, d] = fg::iterate(3, change_places, p, q);
          return fg::cond(
              fg::sum(c) < fg::sum(d), [&] { return std::tuple{c + 1, d}; },
              [&] { return std::tuple{d + 2, c}; });
        },
        row, 5 - row);
    return a * 100 + b;
  };
  const auto given = fg::run([] {
    return fg::generate({4, 2}, [](Exp<fg::i64> i, Exp<fg::i64> j) { return fg::cast<int>(i * 2 + j); });
  });
  on_every_engine([&](Mat<int> m) { return fg::map(smaller, fg::rows(m)); },
                  [&](const auto& f) {
                    const auto g = f(given);
                    for (int i = 0; i < 4; ++i) {
                      std::array<int, 2> a{i * 2, i * 2 + 1}, b{5 - a[0], 5 - a[1]};
                      for (int step = 0; step < 2; ++step) {
                        std::swap(a, b);
                        const int more = a[0] + a[1] < b[0] + b[1] ? 1 : 2;
                        if (more == 2) std::swap(a, b);
                        a[0] += more, a[1] += more;
                      }
                      EXPECT_EQ(g(i, 0), a[0] * 100 + b[0]);
                      EXPECT_EQ(g(i, 1), a[1] * 100 + b[1]);
                    }
                  });
}

// Whatever changes places, and in however many loops inside of each other, sizes stay.
TEST(ArrayControl, LoopsInLoopsThatSwapStates) {
  const auto twice = [](Vec<int> row) {
    const auto [a, b] = fg::iterate(
        3, [](Vec<int> p, Vec<int> q) { return fg::iterate(3, change_places, p, q); }, row, row * 2);
    return a - b;
  };
  // One inner loop ends with a condition, one has a choice in it, and one only has another loop in it.
  const auto mixed = [](Vec<int> row) {
    const auto [a, b] = fg::iterate(
        row[0],
        [](Vec<int> p, Vec<int> q) {
          const auto [c, d] = fg::while_loop(
              [](Vec<int> x, Vec<int>) { return fg::sum(x) < 100; },
              [](Vec<int> x, Vec<int> y) { return std::tuple{y + 30, fg::with(x, 0, 30)}; }, p, q);
          const auto [e, f] = fg::iterate(
              2,
              [](Vec<int> x, Vec<int> y) {
                return fg::cond(
                    x[0] > y[0], [&] { return std::tuple{y, fg::with(x, 0, 7)}; },
                    [&] { return fg::iterate(1, change_places, x, y); });
              },
              c, d);
          return fg::iterate(
              1, [](Vec<int> x, Vec<int> y) { return fg::iterate(3, change_places, y, x); }, e, f);
        },
        row, row * 2);
    return a * 1000 + b;
  };
  const auto f = [&](Mat<int> m) {
    return std::tuple{fg::map(twice, fg::rows(m)), fg::map(mixed, fg::rows(m)), mixed(m[0])};
  };
  const auto given = fg::run([] {
    return fg::generate({5, 7}, [](Exp<fg::i64> i, Exp<fg::i64> j) { return fg::cast<int>(i * 10 + j); });
  });
  const auto expected = [](int i) {
    Ints a, b;
    for (int j = 0; j < 7; ++j) a.push_back(i * 10 + j), b.push_back(2 * (i * 10 + j));
    for (int k = i * 10; k > 0; --k) {
      while (std::accumulate(a.begin(), a.end(), 0) < 100) {
        a[0] = 30;
        std::swap(a, b);
        for (int& x : a) x += 30;
      }
      for (int step = 0; step < 2; ++step) {
        if (a[0] > b[0]) a[0] = 7;
        std::swap(a, b);
      }
    }
    for (std::size_t j = 0; j < a.size(); ++j) a[j] = a[j] * 1000 + b[j];
    return a;
  };
  on_every_engine(f, [&](const auto& g) {
    const auto [differences, of_rows, of_first] = g(given);
    for (int i = 0; i < 5; ++i) {
      const Ints row = expected(i);
      for (int j = 0; j < 7; ++j) {
        EXPECT_EQ(differences(i, j), i * 10 + j);
        EXPECT_EQ(of_rows(i, j), row[static_cast<std::size_t>(j)]) << i << " " << j;
      }
    }
    EXPECT_EQ(vector_of(of_first), expected(0));
  });
}

TEST(ArrayControl, SizesThatDependOnTheElementAreRefusedInMap) {
  const auto f = [](Mat<int> m) {
    return fg::map(
        [](Vec<int> row) {
          return fg::while_loop([](Vec<int> v) { return v.size() > 2; },
                                [](Vec<int> v) { return fg::drop(v, 1); }, row);
        },
        fg::rows(m));
  };
  const auto what = message_of<fg::ShapeError>([&] { (void)fg::compile(f); });
  EXPECT_NE(what.find("returns arrays of different sizes"), std::string::npos) << what;
}

// They name the loop and its state, the choice and its value, or what else gives the size.
TEST(ArrayControl, RefusedSizesNameWhatGivesThem) {
  unsigned line = 0;
  const auto names = [&](auto of_row, const std::string& begin, const std::string& end) {
    const std::string what = message_of<fg::ShapeError>(
        [&] { (void)fg::compile([=](Mat<int> m) { return fg::map(of_row, fg::rows(m)); }); });
    const std::string expected =
        fmt::format("return fg::Row(v) ({} at array_control_test.cpp:{} {})", begin, line, end);
    return what.ends_with(expected) ? ::testing::AssertionSuccess()
                                    : ::testing::AssertionFailure() << what << "\ninstead of\n"
                                                                    << expected;
  };
  const auto while_loop = [&](Vec<int> row) {
    line = __LINE__ + 1;
    const auto [count, shorter] = fg::while_loop(
        [](Exp<int> k, Vec<int>) { return k < 3; },
        [](Exp<int> k, Vec<int> v) { return std::tuple{k + 1, fg::take(v, v.size() / 2)}; }, row[0], row);
    return shorter * count;
  };
  EXPECT_TRUE(names(while_loop, "while_loop", "may change the size of state 2"));
  const auto iterate = [&](Vec<int> row) {
    line = __LINE__ + 1;
    return fg::drop(fg::iterate(row[0], [](Vec<int> v) { return fg::concat(v, v); }, row), 1);
  };
  EXPECT_TRUE(names(iterate, "iterate", "may change the size of state 1"));
  const auto choice = [&](Vec<int> row) {
    line = __LINE__ + 1;
    const auto [a, b] = fg::cond(row[0] > 0, std::tuple{row, row}, std::tuple{row, fg::take(row, 1)});
    return fg::concat(a, b);
  };
  EXPECT_TRUE(names(choice, "cond", "gives value 2 one of two sizes"));
  const auto kept = [&](Vec<int> row) {
    line = __LINE__ + 1;
    return fg::filter([](Exp<int> x) { return x > 0; }, row);
  };
  EXPECT_TRUE(names(kept, "filter", "gives the size"));
}

TEST(ArrayControl, ErrorsInsideLoopsNameTheLine) {
  const auto f = [](Vec<int> x, Vec<int> y) {
    return fg::while_loop([](Vec<int> v) { return v.size() > 1; },
                          [&](Vec<int> v) { return fg::drop(v, 1) + y; },  // line
                          x);
  };
  on_every_engine(f, [](const auto& g) {
    EXPECT_EQ(g(Ints{1}, Ints{1, 2, 3}).size(), 1);
    const auto what = message_of<fg::ShapeError>([&] { (void)g(Ints{1, 2, 3}, Ints{1}); });
    EXPECT_NE(what.find("array_control_test.cpp:"), std::string::npos) << what;
    EXPECT_NE(what.find("i32[2]"), std::string::npos) << what;
  });
}

/// Arrays of one size stay so, whichever of them a choice gives.
TEST(ArrayControl, ChoicesThatSwapStatesOfALoop) {
  const auto swapped = [](Vec<int> row) {
    const auto [less, more] = fg::iterate(
        3,
        [](Exp<fg::i64> k, Vec<int> a, Vec<int> b) {
          return fg::cond(
              a[0] > b[0] || k == 1,
              [&] {
                return fg::cond(
                    k == 2, [&] { return std::tuple{a, b}; }, [&] { return std::tuple{b, a + 1}; });
              },
              [&] { return std::tuple{b + 2, a}; });
        },
        row, fg::reverse(row));
    return less - 2 * more;
  };
  const auto by_hand = [](const std::vector<int>& row) {
    std::vector<int> a = row, b(row.rbegin(), row.rend());
    const auto added = [](std::vector<int> x, int by) {
      for (int& element : x) element += by;
      return x;
    };
    for (int k = 0; k < 3; ++k) {
      if (!(a[0] > b[0] || k == 1))
        std::tie(a, b) = std::tuple{added(b, 2), a};
      else if (k != 2)
        std::tie(a, b) = std::tuple{b, added(a, 1)};
    }
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= 2 * b[i];
    return a;
  };
  on_every_engine(swapped, [&](const auto& f) {
    for (const std::vector<int>& row : {std::vector<int>{3}, {1, 2, 3}, {5, 4, 4, 1}})
      EXPECT_EQ(f(row).to_vector(), by_hand(row));
  });
  on_every_engine([&](Mat<int> m) { return fg::map(swapped, fg::rows(m)); },
                  [&](const auto& f) {
                    const auto y =
                        f(fg::Array<int, 2>(std::vector<int>{1, 2, 3, 9, 5, 4}, {2, 3})).to_vector();
                    std::vector<int> wanted = by_hand({1, 2, 3});
                    for (const int x : by_hand({9, 5, 4})) wanted.push_back(x);
                    EXPECT_EQ(y, wanted);
                  });
}

}  // namespace
