// Gathers, scatters, permutations and histograms against sequential loops: every element and index type,
// ranks 1 to 3, places outside, operators that do not commute, tuples.
#include "operators.h"

namespace {

template <class T, class I>
void check_gather() {
  on_every_engine([](Vec<T> xs, Vec<I> at) { return fg::gather(xs, at); },
                  [](const auto& f) {
                    for (std::size_t n : sizes_for(f.options().engine)) {
                      const std::vector<T> xs = values<T>(100);
                      const std::vector<I> at = integers<I>(n, 0, 99);
                      std::vector<T> expected(n);
                      for (std::size_t i = 0; i < n; ++i) expected[i] = xs[static_cast<std::size_t>(at[i])];
                      EXPECT_EQ(f(xs, at).to_vector(), expected) << n;
                    }
                  });
}

TEST(Gathers, EveryElementProperty) {
  for_every_scalar([]<class T>() { check_gather<T, int>(); });
  check_gather<Interval, fg::i64>();
  check_gather<Placed, fg::u8>();
}
TEST(Gathers, EveryIndexProperty) {
  for_every_integer([]<class I>() { check_gather<double, I>(); });
}
TEST(Gathers, ShapeOfTheIndices) {
  on_every_engine([](Vec<float> xs, Mat<int> at) { return fg::gather(xs * 2.0f, at); },
                  [](const auto& f) {
                    const auto r = f(std::vector<float>{1, 2, 3}, fg::Array<int, 2>({2, 1, 0, 0}, {2, 2}));
                    EXPECT_EQ(vector_of(r), (std::vector<float>{6, 4, 2, 2}));
                  });
}
TEST(Gathers, Backpermute) {
  const auto program = [](Mat<int> m, Vec<int> x) {
    using I = Exp<fg::i64>;
    auto transposed = fg::backpermute({m.size(1), m.size(0)}, [](I i, I j) { return std::tuple{j, i}; }, m);
    auto diagonal = fg::backpermute(fg::min(m.size(0), m.size(1)), [](I i) { return std::tuple{i, i}; }, m);
    auto repeated = fg::backpermute({2, 1, 2}, [&](I i, I, I k) { return fg::cast<int>(i + k); }, x);
    return std::tuple{transposed, diagonal, repeated, fg::backpermute(0, [](I) { return 0; }, x)};
  };
  on_every_engine(program, [](const auto& f) {
    const auto [transposed, diagonal, repeated, none] =
        f(fg::Array<int, 2>({1, 2, 3, 4, 5, 6}, {2, 3}), std::vector<int>{7, 8, 9});
    EXPECT_EQ(vector_of(transposed), (std::vector<int>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(vector_of(diagonal), (std::vector<int>{1, 5}));
    EXPECT_EQ(repeated.to_vector(), (std::vector<int>{7, 8, 8, 9}));
    EXPECT_EQ(none.size(), 0);
  });
}

template <class T, class I>
void check_scatter(long low, long high) {
  const auto program = [](Vec<T> to, Vec<I> at, Vec<T> xs) {
    return std::tuple{fg::scatter(to, at, xs), to};
  };
  on_every_engine(program, [&](const auto& f) {
    for (std::size_t size : {std::size_t(0), std::size_t(1), std::size_t(90), std::size_t(5000)})
      for (std::size_t n : sizes_for(f.options().engine)) {
        SCOPED_TRACE(std::to_string(n) + " into " + std::to_string(size));
        const std::vector<T> to = values<T>(size), xs = values<T>(n, 9);
        const std::vector<I> at = integers<I>(n, low, high);
        std::vector<T> expected = to;
        for (std::size_t i = 0; i < n; ++i)
          if (const auto place = static_cast<std::size_t>(at[i]); place < size)  // huge where negative
            expected[place] = xs[i];
        const auto [result, old] = f(to, at, xs);
        EXPECT_EQ(result.to_vector(), expected);
        EXPECT_EQ(old.to_vector(), to);
      }
  });
}

TEST(Scatters, EveryElementProperty) {
  for_every_scalar([]<class T>() { check_scatter<T, int>(-20, 110); });
  check_scatter<Placed, fg::i64>(-20, 110);
}
/// The last of several tuples for one place stays, and not parts of two, whatever other threads store there;
/// the latter also if any may stay.
TEST(Scatters, TuplesStayWhole) {
  const auto program = [](Vec<int> to, Vec<int> at, Vec<int> xs) {
    auto [a, b] = fg::unzip(fg::scatter(fg::zip(to, to), at, fg::zip(xs, xs), fg::any_of_equal));
    return std::tuple{a, b, fg::scatter(to, at, xs), fg::scatter(to, at, xs, fg::any_of_equal)};
  };
  on_every_engine(program, [](const auto& f) {
    const std::size_t n = f.options().engine == fg::Engine::cpu ? 40'000 : 1'000;
    const std::vector<int> to(4), at = integers<int>(n, 0, 3);
    std::vector<int> xs(n);
    for (std::size_t i = 0; i < n; ++i) xs[i] = static_cast<int>(i);
    for (int run = 0; run < (n > 1'000 ? 1'000 : 3); ++run) {
      const auto [a, b, last, any] = f(to, at, xs);
      ASSERT_EQ(a.to_vector(), b.to_vector()) << "run " << run;
      for (std::size_t k = 0; k < to.size(); ++k) {
        const auto found = std::find(at.rbegin(), at.rend(), static_cast<int>(k));
        ASSERT_EQ(last.to_vector()[k], static_cast<int>(at.rend() - found) - 1) << "run " << run;
        ASSERT_EQ(at[static_cast<std::size_t>(any.to_vector()[k])], static_cast<int>(k)) << "run " << run;
      }
    }
  });
}
TEST(Scatters, EveryIndexProperty) {
  for_every_integer(
      []<class I>() { check_scatter<int, I>(std::is_signed_v<I> ? -100 : 0, sizeof(I) == 1 ? 110 : 6000); });
}
TEST(Scatters, IntoMatricesAndCubes) {
  const auto program = [](Mat<int> m, Vec<int> i, Vec<fg::i64> j, Vec<int> xs, fg::Acc<float, 3> c) {
    return std::tuple{fg::scatter(m, std::tuple{i, j}, xs),
                      fg::scatter(c, std::tuple{i, j, i}, fg::cast<float>(xs))};
  };
  on_every_engine(program, [](const auto& f) {
    const auto [m, c] = f(fg::Array<int, 2>({1, 2, 3, 4, 5, 6}, {2, 3}), std::vector<int>{0, 1, 2, -1, 1},
                          std::vector<fg::i64>{1, 2, 0, 0, 3}, std::vector<int>{10, 20, 30, 40, 50},
                          fg::Array<float, 3>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 3, 2}));
    EXPECT_EQ(vector_of(m), (std::vector<int>{1, 10, 3, 4, 5, 20}));
    EXPECT_EQ(c.to_vector(), (std::vector<float>{1, 2, 10, 4, 5, 6, 7, 8, 9, 10, 11, 20}));
  });
}
// Rows of a flattened matrix go where a list says, or past it; rows that overlap are stored in order.
TEST(Scatters, RowsOfFlattenedArrays) {
  const auto program = [](Vec<int> to, Vec<int> begins, Mat<int> m) {
    using I = Exp<fg::i64>;
    const auto at =
        fg::generate({m.size(0), m.size(1)}, [&](I i, I j) { return begins[i] + fg::cast<int>(j); });
    const auto halves =
        fg::generate({m.size(0), 2, 20}, [&](I i, I k, I j) { return i * 40 + (1 - k) * 20 + j; });
    const auto cube =
        fg::generate({m.size(0), 2, 20}, [&](I i, I k, I j) { return m(i, 0) + fg::cast<int>(k * 20 + j); });
    return std::tuple{fg::scatter(to, fg::flatten(at), fg::flatten(m)),
                      fg::scatter(to, fg::flatten(halves), fg::flatten(cube), fg::any_of_equal)};
  };
  on_every_engine(program, [](const auto& f) {
    for (const auto& [rows, columns] :
         {std::pair{0, 3}, {1, 1}, {3, 15}, {4, 16}, {5, 33}, {40, 17}, {200, 64}}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      const int size = 3000;
      std::vector<int> to(size, -7), begins, elements;
      for (int i = 0; i < rows; ++i) begins.push_back(i * 37 % (size + 40) - 20);
      for (int k = 0; k < rows * columns; ++k) elements.push_back(k * 11);
      std::vector<int> of_rows = to, of_halves = to;
      for (int i = 0; i < rows; ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (int j = 0; j < columns; ++j)
          if (const int place = begins[row] + j; 0 <= place && place < size)
            of_rows[static_cast<std::size_t>(place)] = elements[static_cast<std::size_t>(i * columns + j)];
        for (int k = 0; k < 40; ++k)
          if (const int place = i * 40 + (k + 20) % 40; place < size)
            of_halves[static_cast<std::size_t>(place)] = elements[static_cast<std::size_t>(i * columns)] + k;
      }
      const auto [in_order, in_any_order] = f(to, begins, fg::Array<int, 2>(elements, {rows, columns}));
      EXPECT_EQ(in_order.to_vector(), of_rows);
      EXPECT_EQ(in_any_order.to_vector(), of_halves);
    }
  });
}
TEST(Scatters, IntoWhatIsSortedForEachElement) {
  const auto program = [](Mat<int> m, Vec<int> at, Vec<int> xs) {
    const auto middle = [](Vec<int> row) { return fg::sort(row)[1]; };
    return fg::scatter(fg::map(middle, fg::rows(m)), at, xs);
  };
  on_every_engine(program, [](const auto& f) {
    const fg::Array<int, 2> m({3, 1, 2, 9, 8, 7, 4, 6, 5}, {3, 3});
    EXPECT_EQ(f(m, std::vector<int>{1, 3}, std::vector<int>{10, 20}).to_vector(),
              (std::vector<int>{2, 10, 5}));
  });
}
TEST(Scatters, ReverseAndInversePermutation) {
  on_every_engine(
      [](Vec<int> xs) {
        auto n = xs.size();
        return fg::scatter(fg::replicate(n, 0), fg::reverse(fg::iota(n)), xs * 2);
      },
      [](const auto& f) {
        for (std::size_t n : sizes_for(f.options().engine)) {
          std::vector<int> xs = integers<int>(n, -100, 100);
          const auto result = f(xs);
          std::reverse(xs.begin(), xs.end());
          for (int& x : xs) x *= 2;
          EXPECT_EQ(result.to_vector(), xs);
        }
      });
}

/// start[at[i]] = op(start[at[i]], xs[i]), in order.
template <class T, class Op, class I>
std::vector<T> combined(const Op& op, std::vector<T> start, const std::vector<I>& at,
                        const std::vector<T>& xs) {
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const auto place = static_cast<std::size_t>(at[i]);  // huge where negative
    if (place >= start.size()) continue;
    const T state = start[place];
    start[place] = op(state, xs[i]);
  }
  return start;
}

template <class T, class I, class Op>
void check_histogram(Op op) {
  const T neutral = Op::neutral();
  const auto program = [=](Exp<int> k, Vec<I> bins, Vec<T> xs) {
    return fg::histogram(op, neutral, k, bins, xs);
  };
  on_every_engine(program, [&](const auto& f) {
    for (int k : {0, 1, 2, 100, 3000})
      for (std::size_t n : sizes_for(f.options().engine)) {
        SCOPED_TRACE(std::to_string(n) + " in " + std::to_string(k) + " bins");
        const long high = std::min<long>(k + 2, std::numeric_limits<I>::max() == 127 ? 127 : 255);
        const std::vector<I> bins = integers<I>(n, std::is_signed_v<I> ? -2 : 0, high);
        const std::vector<T> xs = values<T>(n);
        const std::vector<T> start(static_cast<std::size_t>(k), neutral);
        EXPECT_EQ(f(k, bins, xs).to_vector(), combined(op, start, bins, xs));
      }
  });
}

TEST(Histograms, SumsOfEveryNumberProperty) {
  for_every_number([]<class T>() { check_histogram<T, int>(Sum<T>()); });
}
TEST(Histograms, EveryScalarAndIndexProperty) {
  for_every_scalar([]<class T>() { check_histogram<T, fg::u8>(LastNonZero<T>()); });
  check_histogram<int, fg::i8>(Greatest<int>());
  check_histogram<int, fg::u16>(Greatest<int>());
  check_histogram<int, fg::i64>(Greatest<int>());
  check_histogram<int, fg::u64>(Greatest<int>());
}
TEST(Histograms, OperatorsThatDoNotCommuteAndTuplesProperty) {
  check_histogram<Matrix, int>(MatrixProduct());
  check_histogram<Function, int>(Then());
  check_histogram<Interval, int>(Clamped());
  check_histogram<Placed, int>(FirstLeast());
  check_histogram<bool, int>(Differs());
}
// Tasks have bins without values, which must not be joined from the right, nor more than once.
TEST(Histograms, WhatBinsBeginWithNeedNotBeNeutral) {
  const auto program = [](Vec<int> bins, Vec<int> xs, Exp<int> begin) {
    const auto last = [](Exp<int>, Exp<int> b) { return b; };
    const auto affine = [](Exp<std::tuple<int, int>> f, Exp<std::tuple<int, int>> g) {
      const auto [a, b] = f;
      const auto [c, d] = g;
      return std::tuple{a * c, b * c + d};
    };
    const std::tuple<int, int> twice{2, 1};
    return std::tuple{fg::histogram(last, -1, 40, bins, xs),
                      fg::histogram(fg::plus, 5, 40, bins, xs),
                      fg::histogram(fg::plus, begin, 40, bins, xs),
                      fg::histogram(fg::times, 3, 40, bins, xs),
                      fg::histogram(fg::max, 500, 40, bins, xs),
                      fg::histogram(affine, twice, 40, bins, fg::zip(xs, bins))};
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes_for(f.options().engine)) {
      SCOPED_TRACE(n);
      std::vector<int> bins = integers<int>(n, 0, 30), xs = integers<int>(n, -500, 1000);
      if (n > 5) bins[5] = 35;
      const auto folded = [&](int begin, const auto& op) {
        return combined(
            [&](int a, int b) {
              return static_cast<int>(op(static_cast<unsigned>(a), static_cast<unsigned>(b)));
            },
            std::vector<int>(40, begin), bins, xs);
      };
      const auto [last, sums, sums_from, products, most, maps] = f(bins, xs, 9);
      EXPECT_EQ(last.to_vector(), folded(-1, [](unsigned, unsigned b) { return b; }));
      EXPECT_EQ(sums.to_vector(), folded(5, std::plus<unsigned>()));
      EXPECT_EQ(sums_from.to_vector(), folded(9, std::plus<unsigned>()));
      EXPECT_EQ(products.to_vector(), folded(3, std::multiplies<unsigned>()));
      EXPECT_EQ(most.to_vector(),
                combined([](int a, int b) { return std::max(a, b); }, std::vector<int>(40, 500), bins, xs));
      std::vector<unsigned> a(40, 2), b(40, 1);
      for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(bins[i]);
        const auto by = static_cast<unsigned>(xs[i]);
        b[k] = b[k] * by + static_cast<unsigned>(bins[i]);
        a[k] *= by;
      }
      const auto found = maps.to_vector();
      for (std::size_t k = 0; k < 40; ++k) {
        EXPECT_EQ(static_cast<unsigned>(std::get<0>(found[k])), a[k]) << k;
        EXPECT_EQ(static_cast<unsigned>(std::get<1>(found[k])), b[k]) << k;
      }
    }
  });
}
TEST(Histograms, ArgMin) {
  const auto program = [](Exp<int> k, Vec<int> bins, Vec<float> xs) {
    return fg::unzip(
        fg::histogram(FirstLeast(), FirstLeast::neutral(), k, bins, fg::zip(xs, fg::iota(xs.size()))));
  };
  on_every_engine(program, [](const auto& f) {
    const auto [least, at] = f(2, std::vector<int>{0, 1, 1, 0, 5}, std::vector<float>{3, 4, 2, 3, 0});
    EXPECT_EQ(vector_of(least), (std::vector<float>{3, 2}));
    EXPECT_EQ(vector_of(at), (std::vector<fg::i64>{0, 2}));
  });
}
TEST(Histograms, OfOnes) {
  const auto program = [](Vec<int> bins, int k) {
    return fg::histogram(fg::plus, 0, k, bins, fg::replicate(bins.size(), 1));
  };
  on_every_engine(program, [](const auto& f) {
    EXPECT_EQ(vector_of(f(std::vector<int>{1, 0, 1, 7, -1}, 3)), (std::vector<int>{1, 2, 0}));
    EXPECT_EQ(vector_of(f(std::vector<int>{}, 2)), (std::vector<int>{0, 0}));
  });
}

/// Not injective, not surjective, partial: i goes to i % m - 1, and nowhere where that is -1 or m - 2.
template <class T, class Op>
void check_permute(Op op) {
  const auto program = [=](Vec<T> defaults, Vec<T> xs) {
    auto m = defaults.size();
    return fg::permute(
        op, defaults,
        [&](Exp<fg::i64> i) {
          auto place = i % (m + 1) - 1;
          return fg::select(place == m - 2, fg::i64(-1), place);
        },
        xs);
  };
  on_every_engine(program, [&](const auto& f) {
    for (std::size_t m : {std::size_t(0), std::size_t(1), std::size_t(3), std::size_t(700)})
      for (std::size_t n : sizes_for(f.options().engine)) {
        SCOPED_TRACE(std::to_string(n) + " to " + std::to_string(m));
        const std::vector<T> defaults = values<T>(m), xs = values<T>(n, 5);
        const auto size = static_cast<fg::i64>(m);
        std::vector<fg::i64> at(n);
        for (std::size_t i = 0; i < n; ++i) {
          at[i] = static_cast<fg::i64>(i) % (size + 1) - 1;
          if (at[i] == size - 2) at[i] = -1;
        }
        EXPECT_EQ(f(defaults, xs).to_vector(), combined(op, defaults, at, xs));
      }
  });
}

TEST(Permutes, EveryScalarProperty) {
  for_every_number([]<class T>() { check_permute<T>(Sum<T>()); });
  check_permute<bool>(LastNonZero<bool>());
}
TEST(Permutes, OperatorsThatDoNotCommuteProperty) {
  check_permute<Matrix>(MatrixProduct());
  check_permute<Function>(Then());
  check_permute<Placed>(FirstLeast());
}
TEST(Permutes, RanksOfSourceAndResult) {
  const auto program = [](Mat<int> m, Vec<int> x) {
    using I = Exp<fg::i64>;
    auto column_sums = fg::permute(fg::plus, fg::replicate(m.size(1), 0), [](I, I j) { return j; }, m);
    auto diagonal = fg::permute(fg::plus, fg::replicate({2, 2}, 1), [](I i) { return std::tuple{i, i}; }, x);
    auto transposed =
        fg::permute([](Exp<int>, Exp<int> b) { return b; }, fg::replicate({m.size(1), m.size(0)}, -1),
                    [](I i, I j) { return std::tuple{j, i}; }, m);
    auto cube =
        fg::permute(fg::plus, fg::replicate({2, 1, 2}, 0), [](I i, I j) { return std::tuple{i, 0, j}; }, m);
    return std::tuple{column_sums, diagonal, transposed, cube};
  };
  on_every_engine(program, [](const auto& f) {
    const auto [sums, diagonal, transposed, cube] =
        f(fg::Array<int, 2>({1, 2, 3, 4, 5, 6}, {2, 3}), std::vector<int>{10, 20, 30});
    EXPECT_EQ(vector_of(sums), (std::vector<int>{5, 7, 9}));
    EXPECT_EQ(vector_of(diagonal), (std::vector<int>{11, 1, 1, 21}));
    EXPECT_EQ(vector_of(transposed), (std::vector<int>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(cube.to_vector(), (std::vector<int>{1, 2, 4, 5}));
  });
}

TEST(Scatters, Errors) {
  const std::string line = line_after(2);
  on_every_engine(
      [](Vec<int> xs, Vec<int> at) { return fg::gather(xs, at); },
      [&](const auto& f) {
        EXPECT_EQ(message_of<fg::IndexError>([&] { f(std::vector<int>(3), std::vector<int>{0, 1, 3, -1}); }),
                  line + ": fulgurite::IndexError: gather: index 3 at position 2 is outside 0..2");
        EXPECT_THROW(f(std::vector<int>(), std::vector<int>{0}), fg::IndexError);
        EXPECT_EQ(f(std::vector<int>(), std::vector<int>()).size(), 0);
      });
  on_every_engine(
      [](Mat<int> m, Exp<fg::i64> n) {
        return fg::backpermute(n, [](Exp<fg::i64> i) { return std::tuple{i, 0}; }, m);
      },
      [](const auto& f) {
        const fg::Array<int, 2> m({1, 2, 3, 4, 5, 6}, {2, 3});
        EXPECT_NE(message_of<fg::IndexError>([&] {
                    f(m, 3);
                  }).find("backpermute: index 2 at position 2 is outside 0..1"),
                  std::string::npos);
        EXPECT_THROW(f(m, -1), fg::ShapeError);
      });
  on_every_engine([](Vec<int> to, Vec<int> at, Vec<int> xs) { return fg::scatter(to, at, xs); },
                  [](const auto& f) {
                    EXPECT_NE(
                        message_of<fg::ShapeError>(
                            [&] { f(std::vector<int>(9), std::vector<int>(3), std::vector<int>(2)); })
                            .find("scatter needs equal shapes: the array of values is i32[2] (argument 3), "
                                  "the array of indices is i32[3] (argument 2)"),
                        std::string::npos);
                  });
  on_every_engine(
      [](Exp<int> k, Vec<int> bins, Vec<int> xs) { return fg::histogram(fg::plus, 0, k, bins, xs); },
      [](const auto& f) {
        EXPECT_NE(message_of<fg::ShapeError>([&] {
                    f(3, std::vector<int>(3), std::vector<int>(2));
                  }).find("histogram needs equal shapes"),
                  std::string::npos);
        EXPECT_NE(message_of<fg::ShapeError>([&] {
                    f(-3, std::vector<int>(3), std::vector<int>(3));
                  }).find("histogram: a size is from 0 to 2^47 elements, not -3"),
                  std::string::npos);
      });
}

}  // namespace
