// Arrays whose sizes are computed: by divisions that may fail, from elements of arrays, by floats; outside,
// in loops, in branches and in functions of elements.
#include "engines.h"

#include <limits>

namespace {

using Ints = std::vector<int>;
using Longs = std::vector<fg::i64>;
using Matrix = fg::Array<int, 2>;
using Number = Exp<fg::i64>;

TEST(ComputedSizes, Quotients) {
  on_every_engine([](Number n, Number k) { return fg::iota(n / k); },
                  [](const auto& g) {
                    EXPECT_EQ(vector_of(g(7, 2)), (Longs{0, 1, 2}));
                    EXPECT_EQ(vector_of(g(7, 9)), Longs{});
                    EXPECT_THROW(g(7, -2), fg::ShapeError);
                    EXPECT_THROW(g(std::numeric_limits<fg::i64>::max(), 1), fg::ShapeError);
                  });
  on_every_engine(
      [](Vec<int> x, Exp<int> k) {
        const auto y = fg::drop(x, x.size() % fg::cast<fg::i64>(k));
        return fg::sum(y * fg::iota<int>(y.size()));
      },
      [](const auto& g) {
        EXPECT_EQ(g(Ints{1, 2, 3}, 2), 3);
        EXPECT_THROW(g(Ints{1, 2, 3}, 0), fg::ArithmeticError);
      });
}

constexpr int line_of_quotient = __LINE__ + 2;
Vec<int> divided(Number n, Number k) {
  const Number m = n / k;
  return fg::replicate(m, 1);
}

// The line of the division, not of what is made of it.
TEST(ComputedSizes, ADivisionByZeroNamesItsLine) {
  on_every_engine(divided, [](const auto& g) {
    EXPECT_EQ(vector_of(g(4, 2)), (Ints{1, 1}));
    const std::string message = message_of<fg::ArithmeticError>([&] { g(4, 0); });
    EXPECT_NE(message.find("computed_sizes_test.cpp:" + std::to_string(line_of_quotient)), std::string::npos)
        << message;
  });
}

TEST(ComputedSizes, ReshapeByQuotients) {
  on_every_engine(
      [](Vec<int> x, Number k) {
        const auto kept = fg::filter([](Exp<int> v) { return v > 0; }, x);
        const auto rows = fg::reshape(kept, {kept.size() / k, k});
        return std::tuple{rows + fg::reshape(kept * 2, {kept.size() / k, k}),
                          fg::map([](Vec<int> r) { return fg::sum(r); }, fg::rows(rows)),
                          fg::sum(rows, fg::axis(0))};
      },
      [](const auto& g) {
        const auto [rows, sums, columns] = g(Ints{1, 0, 2, 3, 4}, 2);
        EXPECT_EQ(vector_of(rows), (Ints{3, 6, 9, 12}));
        EXPECT_EQ(vector_of(sums), (Ints{3, 7}));
        EXPECT_EQ(vector_of(columns), (Ints{4, 6}));
        EXPECT_THROW(g(Ints{1, 2, 3}, 2), fg::ShapeError);
        EXPECT_THROW(g(Ints{1, 2, 3}, 0), fg::ArithmeticError);
      });
}

TEST(ComputedSizes, ElementsOfArrays) {
  on_every_engine([](Vec<int> a, Vec<int> o) { return fg::take(a, o[0]) * 2; },
                  [](const auto& g) {
                    EXPECT_EQ(vector_of(g(Ints{1, 2, 3}, Ints{2})), (Ints{2, 4}));
                    EXPECT_THROW(g(Ints{1, 2, 3}, Ints{4}), fg::ShapeError);
                    EXPECT_THROW(g(Ints{1, 2, 3}, Ints{-1}), fg::ShapeError);
                    EXPECT_THROW(g(Ints{1, 2, 3}, Ints{}), fg::IndexError);
                  });
  on_every_engine(
      [](Vec<int> a, Vec<int> o) {
        return std::tuple{a.slice(o[0], o[1]), a.slice(o[2], o[0], o[3]),
                          fg::with(a, fg::Range{o[0], o[1], 1}, fg::replicate(o[1] - o[0], 9))};
      },
      [](const auto& g) {
        const auto [up, down, replaced] = g(Ints{1, 2, 3, 4}, Ints{1, 3, 3, -1});
        EXPECT_EQ(vector_of(up), (Ints{2, 3}));
        EXPECT_EQ(vector_of(down), (Ints{4, 3}));
        EXPECT_EQ(vector_of(replaced), (Ints{1, 9, 9, 4}));
        EXPECT_THROW(g(Ints{1, 2, 3, 4}, Ints{1, 3, 3, 0}), fg::ShapeError);
        EXPECT_THROW(g(Ints{1, 2, 3, 4}, Ints{3, 1, 3, -1}), fg::ShapeError);
      });
  on_every_engine(
      [](Mat<int> x, Vec<int> o) {
        const auto b = o * 2;
        return std::tuple{
            x.slice(fg::Range{o[0], o[1], 1}, fg::Range{0, b[1] / b[0], 1}),
            fg::concat(fg::axis(1), fg::take(x, b[0], fg::axis(1)), fg::drop(x, b[0], fg::axis(1)))};
      },
      [](const auto& g) {
        const auto [part, whole] = g(Matrix(Ints{1, 2, 3, 4, 5, 6}, {2, 3}), Ints{1, 2});
        EXPECT_EQ(vector_of(part), (Ints{4, 5}));
        EXPECT_EQ(vector_of(whole), (Ints{1, 2, 3, 4, 5, 6}));
      });
}

// The array that the size is an element of may be fused into what reads it.
TEST(ComputedSizes, ElementsOfComputedArrays) {
  on_every_engine(
      [](Vec<int> a, Vec<int> o) {
        const auto b = o + 1;
        return fg::concat(fg::take(a, b[0]), b);
      },
      [](const auto& g) { EXPECT_EQ(vector_of(g(Ints{1, 2, 3, 4}, Ints{1, 5})), (Ints{1, 2, 2, 6})); });
  on_every_engine(
      [](Vec<int> o) {
        const auto b = o * 2;
        return fg::iota(b[0] / b[1] % (b[2] / 2));
      },
      [](const auto& g) {
        EXPECT_EQ(vector_of(g(Ints{7, 1, 4})), (Longs{0, 1, 2}));
        EXPECT_THROW(g(Ints{7, 0, 4}), fg::ArithmeticError);
        EXPECT_THROW(g(Ints{7, 1, 0}), fg::ArithmeticError);
      });
  on_every_engine(
      [](Vec<int> x) {
        const auto sorted = fg::sort(x);
        const auto running = fg::scan(fg::plus, 0, x);
        const auto kept = fg::filter([](Exp<int> v) { return v > 1; }, x);
        return std::tuple{fg::take(sorted, sorted[0]) * fg::iota<int>(fg::take(sorted, sorted[0]).size()),
                          fg::replicate(running[1], running[0]), fg::drop(kept, kept[0] % 2)};
      },
      [](const auto& g) {
        const auto [first, many, rest] = g(Ints{3, 1, 2});
        EXPECT_EQ(vector_of(first), (Ints{0}));
        EXPECT_EQ(vector_of(many), (Ints{3, 3, 3, 3}));
        EXPECT_EQ(vector_of(rest), (Ints{2}));
      });
  on_every_engine(
      [](Vec<int> x) {
        const auto a = fg::take(x, x[0]);
        const auto b = fg::take(a, a[1]);
        return fg::concat(b, fg::take(b, b[0] / b[0]));
      },
      [](const auto& g) { EXPECT_EQ(vector_of(g(Ints{3, 2, 4, 5})), (Ints{3, 2, 3})); });
}

TEST(ComputedSizes, ResultsOfReductionsAndFloats) {
  on_every_engine(
      [](Vec<fg::i64> x, Exp<double> y) {
        return std::tuple{fg::iota(fg::max(x)), fg::sum(fg::iota(fg::max(x) / fg::min(x))),
                          fg::iota(fg::cast<fg::i64>(fg::exp(y)))};
      },
      [](const auto& g) {
        const auto [all, sum, by_float] = g(Longs{1, 4}, 2.0);
        EXPECT_EQ(all.size(), 4);
        EXPECT_EQ(sum, 6);
        EXPECT_EQ(by_float.size(), 7);
        EXPECT_THROW(g(Longs{0, 4}, 2.0), fg::ArithmeticError);
        EXPECT_THROW(g(Longs{-2, -1}, 2.0), fg::ShapeError);
      });
}

TEST(ComputedSizes, BinsClassesPlacesAndSegments) {
  on_every_engine(
      [](Vec<int> x, Vec<int> o) {
        return std::tuple{fg::histogram(fg::plus, 0, o[0] / o[1], x, fg::replicate(x.size(), 1)),
                          std::get<1>(fg::partition(
                              o[1], [&](Exp<int> v) { return v % 2; }, x)),
                          fg::scatter(fg::replicate(o[0], 7), x, x),
                          fg::backpermute(
                              o[1], [](Number i) { return i + 1; }, x),
                          fg::segmented_reduce(fg::plus, 0, fg::regular(o[0] / o[1]), x),
                          fg::segmented_scan(fg::plus, 0, fg::regular(o[0] / o[1]), x),
                          fg::rotate(x, o[0] / o[1])};
      },
      [](const auto& g) {
        const auto [bins, offsets, stored, moved, sums, running, rotated] = g(Ints{0, 1, 1, 3}, Ints{4, 2});
        EXPECT_EQ(vector_of(bins), (Ints{1, 2}));
        EXPECT_EQ(vector_of(offsets), (Longs{0, 1, 4}));
        EXPECT_EQ(vector_of(stored), (Ints{0, 1, 7, 3}));
        EXPECT_EQ(vector_of(moved), (Ints{1, 1}));
        EXPECT_EQ(vector_of(sums), (Ints{1, 4}));
        EXPECT_EQ(vector_of(running), (Ints{0, 1, 1, 4}));
        EXPECT_EQ(vector_of(rotated), (Ints{1, 3, 0, 1}));
        EXPECT_THROW(g(Ints{0, 1, 1, 3}, Ints{4, 0}), fg::ArithmeticError);
      });
}

TEST(ComputedSizes, InLoops) {
  on_every_engine(
      [](Vec<int> x, Number k) {
        return fg::iterate(k, [&](Vec<int> s) { return fg::take(s, s.size() / k); }, x);
      },
      [](const auto& g) {
        EXPECT_EQ(g(Ints(64), 2).size(), 16);
        EXPECT_EQ(g(Ints(3), 0).size(), 3) << "an iteration that does not run does not divide";
      });
  on_every_engine(
      [](Vec<fg::i64> x) {
        return fg::iterate(2, [](Vec<fg::i64> s) { return fg::concat(fg::take(s, s[0]), s); }, x);
      },
      [](const auto& g) { EXPECT_EQ(vector_of(g(Longs{1, 2})), (Longs{1, 1, 1, 2})); });
  on_every_engine(
      [](Vec<fg::i64> x, Number k) {
        return fg::while_loop([&](Vec<fg::i64> s) { return fg::sum(fg::take(s, s.size() / k)) > 2; },
                              [](Vec<fg::i64> s) { return fg::drop(s, s[0]); }, x);
      },
      [](const auto& g) {
        EXPECT_EQ(g(Longs{1, 1, 1, 1, 1, 1}, 2).size(), 5);
        EXPECT_THROW(g(Longs{1, 1}, 0), fg::ArithmeticError);
      });
  on_every_engine(
      [](Vec<int> x, Number k) {
        const auto r = fg::iterate(
            3, [&](Number n, Vec<int> s) { return std::tuple{n / 2, fg::concat(s, fg::take(x, n / k))}; },
            x.size(), x);
        return std::get<1>(r);
      },
      [](const auto& g) { EXPECT_EQ(g(Ints(8), 2).size(), 8 + 4 + 2 + 1); });
}

// A size that is written down at several lines is one size, though it fails at different lines.
TEST(ComputedSizes, WrittenAtSeveralLines) {
  on_every_engine(
      [](Vec<int> x, Vec<int> o) {
        return fg::map(
            [&](Exp<int> v) {
              return fg::cond(
                  v > 2, [&] { return fg::iota<int>(o[0] / o[1]); },
                  [&] {
                    return fg::cond(
                        v > 1, [&] { return fg::take(o, o[0] / o[1]); },
                        [&] {
                          const auto size = o[0] / o[1];
                          return fg::replicate(size, v);
                        });
                  });
            },
            x);
      },
      [](const auto& g) {
        EXPECT_EQ(vector_of(g(Ints{1, 2, 3}, Ints{4, 2})), (Ints{1, 1, 4, 2, 0, 1}));
        EXPECT_THROW(g(Ints{3}, Ints{4, 0}), fg::ArithmeticError);
        EXPECT_THROW(g(Ints{1}, Ints{4}), fg::IndexError);
        EXPECT_THROW(g(Ints{2}, Ints{4, 1}), fg::ShapeError);
      });
  on_every_engine(
      [](Vec<int> x, Vec<int> o) {
        return fg::map(
            [&](Exp<int> v) {
              const auto start = fg::replicate(o[0] % o[1], v);
              return fg::iterate(2, [&](Vec<int> s) { return s * 10 + fg::take(o, o[0] % o[1]); }, start);
            },
            x);
      },
      [](const auto& g) {
        EXPECT_EQ(vector_of(g(Ints{1, 2}, Ints{5, 3})), (Ints{155, 133, 255, 233}));
        EXPECT_THROW(g(Ints{1}, Ints{4, 0}), fg::ArithmeticError);
      });
  on_every_engine(
      [](Vec<int> o) {
        return fg::while_loop(
            [](Vec<int> s) { return fg::sum(s) < 50; },
            [&](Vec<int> s) { return fg::generate(o[0] / o[1], [&](Number i) { return s[i] + 3; }); },
            fg::take(o, o[0] / o[1]));
      },
      [](const auto& g) { EXPECT_EQ(vector_of(g(Ints{7, 3, 1})), (Ints{28, 24})); });
}

// An iteration that computes the size again gives the size that the state has.
TEST(ComputedSizes, StateOfOneSize) {
  on_every_engine(
      [](Vec<int> x, Vec<int> o) {
        return fg::iterate(3, [&](Vec<int> s) { return s + fg::take(x, o[0]); }, fg::take(x, o[0]));
      },
      [](const auto& g) { EXPECT_EQ(vector_of(g(Ints{1, 2, 3}, Ints{2})), (Ints{4, 8})); });
}

TEST(ComputedSizes, InBranches) {
  on_every_engine(
      [](Number n, Number k) {
        return fg::cond(k != 0, [&] { return fg::sum(fg::iota(n / k)); }, [] { return Number(-1); });
      },
      [](const auto& g) {
        EXPECT_EQ(g(4, 2), 1);
        EXPECT_EQ(g(4, 0), -1);
      });
  on_every_engine(
      [](Exp<bool> c, Vec<int> x) {
        return fg::cond(c, [&] { return fg::take(x, x[0]); }, [&] { return fg::drop(x, x[1] / x[0]); });
      },
      [](const auto& g) {
        EXPECT_EQ(vector_of(g(true, Ints{1, 2, 3})), Ints{1});
        EXPECT_EQ(vector_of(g(false, Ints{1, 2, 3})), Ints{3});
        EXPECT_EQ(vector_of(g(true, Ints{0, 2, 3})), Ints{});
        EXPECT_THROW(g(false, Ints{0, 2, 3}), fg::ArithmeticError);
        EXPECT_THROW(g(true, Ints{}), fg::IndexError);
      });
  on_every_engine(
      [](Exp<bool> c, Vec<int> x) {
        const auto y = fg::cond(c, [&] { return fg::take(x, x[0]); }, [&] { return fg::take(x + 1, x[0]); });
        return y + fg::take(x, x[0]);
      },
      [](const auto& g) { EXPECT_EQ(vector_of(g(false, Ints{2, 2, 3})), (Ints{5, 5})); });
}

TEST(ComputedSizes, InFunctionsOfElements) {
  on_every_engine(
      [](Vec<int> x, Vec<int> o) {
        return fg::map([&](Number i) { return fg::sum(x.slice(o[i], o[i + 1])); }, fg::iota(o.size() - 1));
      },
      [](const auto& g) {
        EXPECT_EQ(vector_of(g(Ints{1, 2, 3}, Ints{0, 1, 3})), (Ints{1, 5}));
        EXPECT_THROW(g(Ints{1, 2, 3}, Ints{0, 4}), fg::ShapeError);
      });
  on_every_engine(
      [](Vec<fg::i64> x, Number n) {
        return fg::map(
            [&](Number k) {
              return fg::cond(k != 0, [&] { return fg::sum(fg::iota(n / k)); }, [] { return Number(-1); });
            },
            x);
      },
      [](const auto& g) { EXPECT_EQ(vector_of(g(Longs{2, 0, 1}, 4)), (Longs{1, -1, 6})); });
  on_every_engine(
      [](Mat<int> x) {
        return fg::map(
            [](Vec<int> r) {
              const auto q = fg::sort(r);
              const auto plus_one = r + 1;
              return fg::sum(fg::concat(fg::take(r, q[0]), q)) +
                     fg::sum(fg::concat(fg::take(r, plus_one[0] - 1), plus_one)) +
                     fg::sum(q * fg::iota<int>(r.size()));
            },
            fg::rows(x));
      },
      [](const auto& g) { EXPECT_EQ(vector_of(g(Matrix(Ints{2, 3, 1, 5}, {2, 2}))), (Ints{25, 21})); });
  on_every_engine(
      [](Vec<int> x) {
        return fg::map(
            [](Exp<int> v) {
              const auto r =
                  fg::filter([&](Exp<int> y) { return y > v; },
                             fg::generate(8, [&](Number i) { return (fg::cast<int>(i) * 5 + v) % 7; }));
              return fg::sum(fg::sort(r) * fg::iota<int>(r.size()));
            },
            x);
      },
      [](const auto& g) { EXPECT_EQ(vector_of(g(Ints{3, 4})), (Ints{17, 6})); });
}

// Rows that are equally long, by a size that is computed for each of them but of nothing that differs.
TEST(ComputedSizes, OfRows) {
  on_every_engine([](Vec<int> x, Number n,
                     Number k) { return fg::map([&](Exp<int> v) { return fg::iota<int>(n / k) + v; }, x); },
                  [](const auto& g) {
                    EXPECT_EQ(vector_of(g(Ints{1, 5}, 4, 2)), (Ints{1, 2, 5, 6}));
                    EXPECT_THROW(g(Ints{1}, 4, 0), fg::ArithmeticError);
                  });
  on_every_engine(
      [](Vec<int> x, Vec<int> o) {
        return fg::map(
            [&](Exp<int> v) {
              return fg::map(
                  [&](Exp<int> w) {
                    const auto size = o[0] / o[1];
                    return fg::cond(
                        v < w, [&] { return fg::iota<int>(size); }, [&] { return fg::take(o, size); });
                  },
                  x);
            },
            x);
      },
      [](const auto& g) {
        EXPECT_EQ(g(Ints{1, 2}, Ints{2, 1}).to_vector(), (Ints{2, 1, 0, 1, 2, 1, 2, 1}));
      });
}

// What runs for no element does not compute a size, and what nothing needs cannot fail.
TEST(ComputedSizes, ThatNothingNeeds) {
  on_every_engine([](Vec<fg::i64> x,
                     Number k) { return fg::map([&](Number v) { return fg::sum(fg::iota(4 / k)) + v; }, x); },
                  [](const auto& g) {
                    EXPECT_EQ(vector_of(g(Longs{1}, 2)), Longs{2});
                    EXPECT_EQ(g(Longs{}, 0).size(), 0);
                    EXPECT_THROW(g(Longs{1}, 0), fg::ArithmeticError);
                  });
}

}  // namespace
