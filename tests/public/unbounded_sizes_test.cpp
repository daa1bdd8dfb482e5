// Arrays inside functions of elements whose sizes nothing bounds: rows of ragged arrays, and sizes that the
// program reads. Every construct, on every engine, against the interpreter; and what is wrong about such
// sizes.
#include "unbounded_sizes.h"

namespace {

using namespace unbounded_sizes;

TEST(UnboundedSizes, Sorts) {
  on_rows([](Vec<int> row) { return digest(fg::sort(row)); });
  on_rows([](Vec<int> row) { return at_or(fg::sort(row), row.size() / 2, -1); });
  on_rows([](Vec<int> row) { return digest(fg::sort([](Exp<int> a, Exp<int> b) { return a > b; }, row)); });
  on_rows([](Vec<int> row) { return digest(fg::cast<int>(fg::argsort(row))); });
  on_rows([](Vec<int> row) { return digest(fg::unique(row)); });
  on_rows([](Vec<int> row) {
    const auto sorted = fg::sort(row);
    return fg::generate(3, [&](Exp<i64> k) { return at_or(sorted, row.size() - 1 - k, 0); });
  });
  on_sizes([](Exp<int> n) { return digest(fg::sort(numbers(n))); });
}

TEST(UnboundedSizes, FiltersAndPartitions) {
  on_rows([](Vec<int> row) {
    const auto kept = fg::filter(is_large, row);
    return at_or(kept, 0, -1) + 10 * at_or(kept, kept.size() - 1, -1);
  });
  on_rows([](Vec<int> row) {
    const auto groups = fg::group_by(3, [](Exp<int> x) { return x % 3; }, row);
    return digest(fg::sum(fg::sort(groups), fg::axis(1)));
  });
  on_sizes([](Exp<int> n) { return digest(fg::sort(fg::filter(is_large, numbers(n)))); });
}

TEST(UnboundedSizes, ScansScattersAndBins) {
  on_rows([](Vec<int> row) {
    const auto sums = fg::scan(fg::plus, 0, row);
    return fg::sum(sums * fg::reverse(sums));
  });
  on_rows([](Vec<int> row) {
    const auto moved = fg::scatter(row, row, row * 10);
    return fg::sum(moved * fg::reverse(moved));
  });
  on_rows([](Vec<int> row) {
    const auto counts = fg::histogram(fg::plus, 0, 12, row, fg::replicate(row.size(), 1));
    return digest(counts);
  });
  on_sizes([](Exp<int> n) { return digest(fg::histogram(fg::plus, 0, n, numbers(n), fg::replicate(n, 1))); });
}

TEST(UnboundedSizes, Joined) {
  on_rows([](Vec<int> row) { return digest(fg::sort(fg::concat(row, row + 1))); });
  as_interpreted(
      [](Ragged<int> r) {
        return fg::map(
            [](Vec<int> a, Vec<int> b) {
              return std::tuple{digest(fg::unique(fg::concat(a, b))), fg::sum(a)};
            },
            fg::rows(r), fg::rows(fg::filter(is_large, r)));
      },
      all_rows());
  on_rows([](Vec<int> row) { return digest(fg::sort(fg::replicate(fg::lengths(row), row))); });
}

TEST(UnboundedSizes, StatesOfLoops) {
  on_rows([](Vec<int> row) {
    return digest(fg::iterate(3, [](Vec<int> v) { return v + fg::reverse(v); }, row));
  });
  on_rows([](Vec<int> row) {
    return digest(fg::iterate(
        row.size(), [](Exp<i64> k, Vec<int> v) { return fg::with(v, k, v[0] + v[v.size() - 1 - k]); }, row));
  });
  on_rows([](Vec<int> row) {  // odd-even transposition
    return digest(fg::iterate(
        row.size(),
        [](Exp<i64> step, Vec<int> v) {
          return fg::generate(v.size(), [&](Exp<i64> i) {
            const auto other = fg::select((i + step) % 2 == 0, i + 1, i - 1);
            const auto beside = at_or(v, other, 0);
            return fg::cond(
                other < 0 || other >= v.size(), [&] { return v[i]; },
                [&] { return fg::select(other > i, fg::min(v[i], beside), fg::max(v[i], beside)); });
          });
        },
        row));
  });
  on_rows([](Vec<int> row) {
    return digest(
        fg::while_loop([](Vec<int> v) { return v.size() > 1; },
                       [](Vec<int> v) { return fg::filter([&](Exp<int> x) { return x > v[0]; }, v); }, row));
  });
  on_rows([](Vec<int> row) {
    return digest(fg::while_loop([](Vec<int> v) { return v.size() > 2 && fg::sum(fg::unique(v)) > 3; },
                                 [](Vec<int> v) { return fg::take(fg::sort(v), v.size() - 1); }, row));
  });
}

TEST(UnboundedSizes, StatesThatGrow) {
  on_sizes([](Exp<int> n) {
    return digest(fg::iterate(
        fg::min(n, 9), [&](Exp<i64>, Vec<int> v) { return fg::concat(v, fg::replicate(n, 1)); }, numbers(n)));
  });
  on_sizes([](Exp<int> n) {
    return digest(
        fg::iterate(fg::min(n, 6), [](Exp<i64>, Vec<int> v) { return fg::concat(v, v); }, numbers(n)));
  });
}

// The size of the longer row is a sum that a later pass writes in another order.
TEST(UnboundedSizes, BranchesThatAppendToALongerRow) {
  const auto longer = [](Ragged<int> r, Exp<i64> c) {
    return fg::map(
        [&](Vec<int> given) {
          const auto row = fg::concat(given, fg::replicate(given.size() % 7, 1));
          const auto appended = [&] { return fg::concat(row, fg::replicate(fg::min(c, i64{5}), 2)); };
          return digest(fg::cond(c > 3, appended, [&] { return fg::unique(row); }));
        },
        fg::rows(r));
  };
  std::vector<std::tuple<RaggedArray<int>, i64>> calls;
  for (const auto& [rows] : all_rows())
    for (i64 c : {2, 4, 9}) calls.emplace_back(rows, c);
  as_interpreted(longer, calls);
}

TEST(UnboundedSizes, Branches) {
  on_sizes([](Exp<int> n) {
    return digest(
        fg::cond(n % 2 == 0, [&] { return fg::sort(numbers(n)); }, [&] { return fg::sort(numbers(2 * n)); }));
  });
  on_sizes([](Exp<int> n) {
    const auto v = numbers(n);
    return digest(fg::cond(n % 2 == 0, [&] { return fg::sort(v); }, [&] { return fg::reverse(v); }));
  });
  on_sizes([](Exp<int> n) {
    const auto v = numbers(n);
    return fg::cond(n % 2 == 0, [&] { return digest(fg::sort(v)); }, [&] { return digest(fg::unique(v)); });
  });
}

TEST(UnboundedSizes, OfEachIteration) {
  on_sizes([](Exp<int> n) {
    return fg::iterate(
        n,
        [&](Exp<i64> k, Exp<int> sum) { return sum + digest(fg::sort(numbers(fg::cast<int>(k) + n % 3))); },
        1);
  });
  on_sizes([](Exp<int> n) {  // by a number that each iteration makes of the last one
    return std::get<1>(fg::while_loop(
        [](Exp<int> m, Exp<int>) { return m > 0; },
        [](Exp<int> m, Exp<int> sum) { return std::tuple{m / 2, sum + digest(fg::sort(numbers(m)))}; }, n,
        0));
  });
}

TEST(UnboundedSizes, FromArraysOfTheSamePoint) {
  on_sizes([](Exp<int> n) {
    const auto sorted = fg::sort(numbers(n));
    return digest(fg::sort(numbers(at_or(sorted, sorted.size() - 1, 0))));
  });
  on_rows([](Vec<int> row) {
    return fg::sum(fg::map([](Exp<int> x) { return digest(fg::sort(numbers(x))); }, fg::unique(row)));
  });
}

TEST(UnboundedSizes, ArraysOfSeveralAxes) {
  on_sizes([](Exp<int> given) {
    const Exp<int> n = fg::select(given > 12, 5, given);
    const auto m = fg::generate({fg::Index(n), fg::Index(n + 1)},
                                [](Exp<i64> i, Exp<i64> j) { return fg::cast<int>(i * j) % 7; });
    const auto sorted = fg::map([](Vec<int> row) { return fg::sort(row); }, fg::rows(m));
    return digest(fg::sum(sorted * m, fg::axis(0)));
  });
}

TEST(UnboundedSizes, RaggedArraysInside) {
  on_rows([](Vec<int> row) {
    const auto inner = fg::expand_rows([](Exp<int> n) { return n; },
                                       [](Exp<int> n, Exp<i64> k) { return n + fg::cast<int>(k); }, row);
    return fg::sum(fg::map([](Vec<int> v) { return digest(fg::unique(v / 2)); }, fg::rows(inner)));
  });
  as_interpreted(
      [](Ragged<int> r) {
        return fg::map(
            [&](Vec<int> row) {
              return fg::sum(fg::map(
                  [&](Exp<int> x) {
                    return digest(fg::sort(r.row(fg::cast<i64>(x) % fg::max(r.size(), 1))));
                  },
                  row));
            },
            fg::rows(r));
      },
      all_rows());
}

TEST(UnboundedSizes, WhatElseRunsFunctionsOfRows) {
  as_interpreted(
      [](Ragged<int> r) {
        const auto digests = fg::map([](Vec<int> row) { return digest(fg::sort(row)); }, fg::rows(r));
        const auto of_item = [&](Exp<i64> i) { return fg::unique(r.row(i)); };
        const auto size_of = [&](Exp<i64> i) { return of_item(i).size(); };
        const auto element_of = [&](Exp<i64> i, Exp<i64> k) { return of_item(i)[k]; };
        const auto numbers = fg::iota(r.size());
        return std::tuple{
            fg::sum(digests), fg::scan(fg::plus, 0, digests),
            fg::filter([](Vec<int> row) { return digest(fg::sort(row)) % 2 == 0; }, fg::rows(r)),
            fg::expand_rows(size_of, element_of, numbers),
            fg::expand_reduce(size_of, element_of, fg::plus, 0, numbers)};
      },
      all_rows());
  as_interpreted(  // in every iteration other sizes
      [](Ragged<int> r) {
        return fg::iterate(
            3,
            [](Exp<i64>, Ragged<int> x) {
              const auto counts =
                  fg::map([](Vec<int> row) { return fg::cast<int>(fg::unique(row).size()); }, fg::rows(x));
              return fg::expand_rows([](Exp<int> n) { return n; },
                                     [](Exp<int> n, Exp<i64> k) { return n + fg::cast<int>(k) / 2; }, counts);
            },
            r);
      },
      all_rows());
}

TEST(UnboundedSizes, InConditionsOfLoops) {
  as_interpreted(
      [](Ragged<int> r) {
        const auto largest = [](Ragged<int> x) {
          return fg::max(fg::map([](Vec<int> row) { return digest(fg::sort(row)); }, fg::rows(x)));
        };
        return fg::while_loop([=](Ragged<int> x) { return largest(x) > 300; },
                              [](Ragged<int> x) {
                                return fg::map([](Exp<int> v) { return v / 2; }, fg::take(x, x.size() - 1));
                              },
                              r);
      },
      all_rows());
}

TEST(UnboundedSizes, FailAsTheyDoElsewhere) {
  const auto sorted = [](Vec<int> x) {
    return fg::map([](Exp<int> n) { return digest(fg::sort(numbers(n))); }, x);
  };
  on_every_engine(sorted, [](const auto& f) {
    EXPECT_NE(message_of<fg::ShapeError>([&] { f(Ints{3, -2, 4}); }).find("not -2"), std::string::npos);
  });
  on_every_engine(
      [](Vec<int> x) { return fg::map([](Exp<int> n) { return digest(fg::sort(numbers(12 / n))); }, x); },
      [](const auto& f) {
        EXPECT_EQ(f(Ints{3, -20}).size(), 2);
        EXPECT_THROW(f(Ints{3, 0}), fg::ArithmeticError);
      });
  on_every_engine(
      [](Ragged<int> r, Vec<int> at) {
        return fg::map([&](Exp<int> i) { return digest(fg::sort(r.row(i))); }, at);
      },
      [](const auto& f) {
        const RaggedArray<int> rows(Rows{{2, 1}, {}, {3}});
        EXPECT_EQ(f(rows, Ints{0, 2, 0, 1}).to_vector(), (Ints{205, 103, 205, 0}));
        EXPECT_NE(message_of<fg::IndexError>([&] { f(rows, Ints{0, 7, -1}); }).find("row 7 at position 1"),
                  std::string::npos);
      });
  on_every_engine(  // where a branch is not taken, its sizes are not computed
      [](Ragged<int> r, Vec<int> at) {
        return fg::map(
            [&](Exp<int> i) {
              return fg::cond(
                  i >= 0, [&] { return digest(fg::sort(r.row(i))); }, [] { return Exp<int>(-1); });
            },
            at);
      },
      [](const auto& f) {
        EXPECT_EQ(f(RaggedArray<int>(Rows{{2, 1}, {}}), Ints{-1, 0, -5}).to_vector(), (Ints{-1, 205, -1}));
      });
}

// Branches of a loop make arrays of other sizes, which are computed beside the branches that make the state.
TEST(UnboundedSizes, BranchesOfLoops) {
  on_sizes([](Exp<int> n) {
    return digest(fg::iterate(
        3,
        [&](fg::Exp<i64> k, Vec<int> v) {
          return fg::cond(
              n > 3, [&] { return fg::drop(v, fg::min(v.size(), 1)); },
              [&] { return fg::concat(v, numbers(n + fg::cast<int>(k))); });
        },
        numbers(n)));
  });
  as_interpreted(
      [](Vec<int> sizes, Vec<int> x) {
        return fg::map(
            [&](Exp<int> n) {
              const auto [v, sum] = fg::iterate(
                  3,
                  [&](fg::Exp<i64> k, Vec<int> u, Exp<int> s) {
                    return fg::cond((n + fg::cast<int>(k)) % 2 == 0,
                                    [&] { return std::tuple{fg::drop(u, fg::min(u.size(), 2)), s + 1}; },
                                    [&] {
                                      const Vec<int> more = numbers(sizes[k] + n);
                                      return std::tuple{fg::concat(u, more), s + fg::sum(more)};
                                    });
                  },
                  numbers(n), 0);
              return digest(v) + sum;
            },
            x);
      },
      std::vector<std::tuple<Ints, Ints>>{{Ints{3, 0, 5}, Ints{}}, {Ints{3, 0, 5}, Ints{0, 2, 7, 1}}});
}

}  // namespace
