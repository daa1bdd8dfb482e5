// Axes, bounds, strides, sizes and counts at the ends of their ranges, known while tracing and not: a result,
// or an error that says what is wrong.
#include "engines.h"

#include <climits>

namespace {

using fg::i64;
constexpr i64 least = INT64_MIN, most = INT64_MAX, large = i64{1} << 62;

template <class F>
void expect_no_axis(const char* what, int axis, F f) {
  const std::string text = message_of<fg::ShapeError>([&] { fg::compile(f); });
  EXPECT_NE(text.find(": no axis " + std::to_string(axis) + " in an array of 2 axes"), std::string::npos)
      << what << ": " << text;
  EXPECT_NE(text.find("limits_test.cpp:"), std::string::npos) << text;
}

constexpr int missing_axes[] = {2, 3, -3, -4, INT_MAX, INT_MIN, INT_MIN + 1, INT_MIN + 2};

TEST(Limits, AxesThatAnArrayDoesNotHaveInFolds) {
  for (const int k : missing_axes) {
    const fg::Axis axis{k};
    expect_no_axis("sum", k, [=](Mat<int> m) { return fg::sum(m, axis); });
    expect_no_axis("product", k, [=](Mat<int> m) { return fg::product(m, axis); });
    expect_no_axis("min", k, [=](Mat<int> m) { return fg::min(m, axis); });
    expect_no_axis("max", k, [=](Mat<int> m) { return fg::max(m, axis); });
    expect_no_axis("all", k, [=](Mat<bool> m) { return fg::all(m, axis); });
    expect_no_axis("any", k, [=](Mat<bool> m) { return fg::any(m, axis); });
    expect_no_axis("argmin", k, [=](Mat<int> m) { return fg::argmin(m, axis); });
    expect_no_axis("argmax", k, [=](Mat<int> m) { return fg::argmax(m, axis); });
    expect_no_axis("mean", k, [=](Mat<float> m) { return fg::mean(m, axis); });
    expect_no_axis("reduce", k, [=](Mat<int> m) { return fg::reduce(fg::plus, 0, m, axis); });
    expect_no_axis("reduce of slices", k, [=](Mat<int> m) {
      return fg::reduce([](Vec<int> a, Vec<int> b) { return a + b; }, m[0], fg::slices(m, axis));
    });
    expect_no_axis("scan of slices", k, [=](Mat<int> m) {
      return fg::scan([](Vec<int> a, Vec<int> b) { return a + b; }, m[0], fg::slices(m, axis));
    });
  }
}

TEST(Limits, AxesThatAnArrayDoesNotHaveElsewhere) {
  for (const int k : missing_axes) {
    const fg::Axis axis{k};
    expect_no_axis("scan", k, [=](Mat<int> m) { return fg::scan(fg::plus, 0, m, axis); });
    expect_no_axis("scan without neutral", k, [=](Mat<int> m) { return fg::scan(fg::plus, m, axis); });
    expect_no_axis("exclusive_scan", k, [=](Mat<int> m) { return fg::exclusive_scan(fg::plus, 0, m, axis); });
    expect_no_axis("scan_right", k, [=](Mat<int> m) { return fg::scan_right(fg::plus, 0, m, axis); });
    expect_no_axis("scan_with_total", k,
                   [=](Mat<int> m) { return fg::scan_with_total(fg::plus, 0, m, axis); });
    expect_no_axis("scan_right_with_total", k,
                   [=](Mat<int> m) { return fg::scan_right_with_total(fg::plus, 0, m, axis); });
    expect_no_axis("size", k, [=](Mat<int> m) { return m.size(k); });
    expect_no_axis("take", k, [=](Mat<int> m) { return fg::take(m, 1, axis); });
    expect_no_axis("drop", k, [=](Mat<int> m) { return fg::drop(m, 1, axis); });
    expect_no_axis("reverse", k, [=](Mat<int> m) { return fg::reverse(m, axis); });
    expect_no_axis("rotate", k, [=](Mat<int> m) { return fg::rotate(m, 1, axis); });
    expect_no_axis("concat", k, [=](Mat<int> m) { return fg::concat(axis, m, m); });
    expect_no_axis("slices", k, [=](Mat<int> m) {
      return fg::map([](Vec<int> v) { return fg::sum(v); }, fg::slices(m, axis));
    });
    EXPECT_THROW((fg::Array<int, 2>({1, 2}, {1, 2}).size(k)), fg::ShapeError);
  }
}

TEST(Limits, AxesFromBothEnds) {
  on_every_engine(
      [](Mat<int> m) {
        return std::tuple{fg::sum(m, fg::axis(-2)),       fg::sum(m, fg::axis(-1)),
                          fg::max(m, fg::axis(-1)),       fg::argmax(m, fg::axis(-2)),
                          fg::rotate(m, 1, fg::axis(-2)), m.size(-2)};
      },
      [](const auto& f) {
        const auto [of_columns, of_rows, greatest, places, rotated, n_rows] =
            f(fg::Array<int, 2>({1, 2, 3, 4, 5, 6}, {2, 3}));
        EXPECT_EQ(vector_of(of_columns), (std::vector<int>{5, 7, 9}));
        EXPECT_EQ(vector_of(of_rows), (std::vector<int>{6, 15}));
        EXPECT_EQ(vector_of(greatest), (std::vector<int>{3, 6}));
        EXPECT_EQ(vector_of(places), (std::vector<i64>{1, 1, 1}));
        EXPECT_EQ(vector_of(rotated), (std::vector<int>{4, 5, 6, 1, 2, 3}));
        EXPECT_EQ(n_rows, 2);
      });
}

constexpr i64 long_strides[] = {5,        6,   (i64{1} << 47) - 1, i64{1} << 47, (i64{1} << 47) + 1, large,
                                most - 6, most};

TEST(Limits, StridesOfSlicesKnownWhenTheProgramRuns) {
  on_every_engine(
      [](Vec<int> x, Exp<i64> start, Exp<i64> stop, Exp<i64> stride) {
        const Vec<int> y = x.slice(start, stop, stride);
        return std::tuple{y, y.size(), fg::sum(y * 10), fg::with(x, fg::Range{start, stop, stride}, y * 0)};
      },
      [](const auto& f) {
        const std::vector<int> x{1, 2, 3, 4, 5};
        const auto expect = [&](i64 start, i64 stop, i64 stride, std::vector<int> elements,
                                std::vector<int> replaced) {
          SCOPED_TRACE(std::to_string(start) + " " + std::to_string(stop) + " " + std::to_string(stride));
          const auto [y, n, total, others] = f(x, start, stop, stride);
          EXPECT_EQ(vector_of(y), elements);
          EXPECT_EQ(n, static_cast<i64>(elements.size()));
          EXPECT_EQ(total, elements.empty() ? 0 : 10 * elements[0]);
          EXPECT_EQ(vector_of(others), replaced);
        };
        for (const i64 stride : long_strides) {
          expect(0, 5, stride, {1}, {0, 2, 3, 4, 5});
          expect(2, 5, stride, {3}, {1, 2, 0, 4, 5});
          expect(4, -1, -stride, {5}, {1, 2, 3, 4, 0});
          expect(4, -1, -stride - 1, {5}, {1, 2, 3, 4, 0});
          expect(2, 2, stride, {}, x);
          expect(2, 2, -stride - 1, {}, x);
          EXPECT_THROW(f(x, 0, 6, stride), fg::ShapeError);
          EXPECT_THROW(f(x, 3, 2, stride), fg::ShapeError);
          EXPECT_THROW(f(x, 2, 3, -stride), fg::ShapeError);
          EXPECT_THROW(f(x, least, 3, stride), fg::ShapeError);
          EXPECT_THROW(f(x, most, most, stride), fg::ShapeError);
          EXPECT_THROW(f(x, most, least, -stride - 1), fg::ShapeError);
          EXPECT_THROW(f(x, least, most, stride), fg::ShapeError);
        }
      });
}

TEST(Limits, StridesOfSlicesKnownWhileTracing) {
  for (const i64 stride : {i64{5}, i64{1} << 47, large, most})
    on_every_engine(
        [=](Vec<int> x, Mat<int> m) {
          const Vec<int> reversed = x.slice(x.size() - 1, -1, -stride - 1);
          return std::tuple{x.slice(0, x.size(), stride), reversed, fg::sum(x.slice(1, 5, stride)),
                            m.slice({0, m.size(0), stride}, {m.size(1) - 1, -1, -stride}),
                            fg::with(x, fg::Range{1, 5, stride}, fg::Vec<int>(reversed))};
        },
        [](const auto& f) {
          const auto [first, last, second, corner, replaced] =
              f(std::vector<int>{1, 2, 3, 4, 5}, fg::Array<int, 2>({1, 2, 3, 4, 5, 6}, {2, 3}));
          EXPECT_EQ(vector_of(first), std::vector<int>{1});
          EXPECT_EQ(vector_of(last), std::vector<int>{5});
          EXPECT_EQ(second, 2);
          EXPECT_EQ(vector_of(corner), std::vector<int>{3});
          EXPECT_EQ(vector_of(replaced), (std::vector<int>{1, 5, 3, 4, 5}));
        });
}

TEST(Limits, StridesOfSlicesInsideAMap) {
  on_every_engine(
      [](Vec<int> x, Vec<i64> strides) {
        return fg::map([&](Exp<i64> s) { return fg::sum(x.slice(0, 5, s)); }, strides);
      },
      [](const auto& f) {
        const std::vector<int> x{1, 2, 3, 4, 5};
        EXPECT_EQ(vector_of(f(x, std::vector<i64>{1, 2, 3, 4, 5, 6, large, most, most - 1})),
                  (std::vector<int>{15, 9, 5, 6, 1, 1, 1, 1, 1}));
        EXPECT_THROW(f(x, std::vector<i64>{1, least}), fg::ShapeError);
        EXPECT_THROW(f(x, std::vector<i64>{0}), fg::ShapeError);
      });
}

constexpr i64 absurd[] = {least, least + 1, -large, -1, large, most - 1, most};

TEST(Limits, CountsOfElements) {
  on_every_engine([](Vec<int> x, Exp<i64> n) { return fg::take(x, n); },
                  [](const auto& f) {
                    const std::vector<int> x{1, 2, 3};
                    EXPECT_EQ(f(x, 0).size(), 0);
                    for (const i64 n : absurd) EXPECT_THROW(f(x, n), fg::ShapeError) << n;
                  });
  on_every_engine([](Vec<int> x, Exp<i64> n) { return fg::drop(x, n); },
                  [](const auto& f) {
                    const std::vector<int> x{1, 2, 3};
                    EXPECT_EQ(f(x, 0).size(), 3);
                    for (const i64 n : absurd) EXPECT_THROW(f(x, n), fg::ShapeError) << n;
                  });
  on_every_engine([](Vec<int> x, Exp<i64> n) { return fg::rotate(x, n); },
                  [](const auto& f) {
                    const std::vector<int> x{0, 1, 2};
                    for (const i64 n : absurd) {
                      const int first = static_cast<int>((n % 3 + 3) % 3);
                      EXPECT_EQ(f(x, n)[0], first) << n;
                      EXPECT_EQ(f(x, n)[2], (first + 2) % 3) << n;
                      EXPECT_EQ(f(std::vector<int>(), n).size(), 0);
                    }
                  });
  on_every_engine([](Exp<int> x, Exp<i64> n) { return fg::iterate(n, [](Exp<int> s) { return s + 1; }, x); },
                  [](const auto& f) {
                    for (const i64 n : {least, -large, i64{-1}, i64{0}}) EXPECT_EQ(f(7, n), 7) << n;
                  });
}

TEST(Limits, SizesOfNewArrays) {
  on_every_engine(
      [](Vec<int> x, Exp<i64> n) {
        return std::tuple{fg::iota(n), fg::histogram(fg::plus, 0, n, x, x), fg::replicate(n, x[0])};
      },
      [](const auto& f) {
        const std::vector<int> x{1, 2, 3};
        EXPECT_EQ(std::get<0>(f(x, 0)).size(), 0);
        for (const i64 n : absurd) EXPECT_THROW(f(x, n), fg::ShapeError) << n;
      });
  on_every_engine(
      [](Vec<int> x, Exp<i64> n) { return fg::backpermute(n, [](Exp<i64> i) { return i * 0; }, x); },
      [](const auto& f) {
        const std::vector<int> x{1, 2, 3};
        EXPECT_EQ(f(x, 0).size(), 0);
        for (const i64 n : absurd) EXPECT_THROW(f(x, n), fg::ShapeError) << n;
      });
  on_every_engine([](Vec<int> x, Exp<i64> n) { return fg::partition(n, [](Exp<int> e) { return e; }, x); },
                  [](const auto& f) {
                    const std::vector<int> x{1, 2, 3};
                    for (const i64 n : absurd) EXPECT_THROW(f(x, n), fg::ShapeError) << n;
                  });
  on_every_engine([](Vec<int> x, Exp<i64> n) { return fg::segmented_reduce(fg::plus, 0, fg::regular(n), x); },
                  [](const auto& f) {
                    const std::vector<int> x{1, 2, 3};
                    EXPECT_EQ(f(x, 3)[0], 6);
                    for (const i64 n : absurd) EXPECT_THROW(f(x, n), fg::ShapeError) << n;
                    EXPECT_THROW(f(x, 0), fg::ShapeError);
                  });
}

constexpr i64 too_large = i64{1} << 46;  // elements, for any memory, though a size may be that

constexpr int line_of_iota = __LINE__ + 2;
Vec<i64> many(Exp<i64> n) {
  return fg::iota(n);
}

TEST(Limits, MemoryThatThereIsNot) {
  on_every_engine([](Exp<i64> n) { return many(n); },
                  [](const auto& f) {
                    EXPECT_EQ(f(3).size(), 3);
                    for (const i64 n : {i64{1} << 40, too_large}) {
                      const std::string text = message_of<fg::OutOfMemory>([&] { f(n); });
                      const std::string line = "limits_test.cpp:" + std::to_string(line_of_iota);
                      EXPECT_NE(text.find(line), std::string::npos) << text;
                    }
                  });
  on_every_engine(
      [](Exp<i64> n, Vec<i64> x) {
        return std::tuple{fg::sum(x), fg::sort(many(n)), fg::scatter(many(n), x, x)};
      },
      [](const auto& f) {
        const std::vector<i64> x{1, 0};
        EXPECT_EQ(std::get<1>(f(3, x)).size(), 3);
        const std::string text = message_of<fg::OutOfMemory>([&] { f(too_large, x); });
        EXPECT_NE(text.find("limits_test.cpp:"), std::string::npos) << text;
        EXPECT_EQ(text.find("engines.h"), std::string::npos) << text;
      });
}

TEST(Limits, MemoryThatThereIsNotForElements) {
  on_every_engine(
      [](Vec<i64> x, Exp<i64> n) {
        return fg::map([&](Exp<i64> v) { return fg::sum(fg::sort(fg::iota(n) * v)); }, x);
      },
      [](const auto& f) {
        const std::vector<i64> x{2, 1};
        EXPECT_EQ(vector_of(f(x, 3)), (std::vector<i64>{6, 3}));
        for (const i64 n : {i64{1} << 40, (i64{1} << 40) + 1, too_large}) {
          const std::string text = message_of<fg::OutOfMemory>([&] { f(x, n); });
          EXPECT_NE(text.find("limits_test.cpp:"), std::string::npos) << text;
          EXPECT_EQ(text.find("engines.h"), std::string::npos) << text;
        }
        EXPECT_THROW(f(x, i64{1} << 50), fg::ShapeError);
      });
}

TEST(Limits, ShapesOfSeveralAxes) {
  on_every_engine(
      [](Vec<int> x, Exp<i64> r, Exp<i64> c) {
        return std::tuple{fg::reshape(x, {r, c}),
                          fg::sum(fg::generate({r, c}, [](Exp<i64> i, Exp<i64> j) { return i + j; }))};
      },
      [](const auto& f) {
        const std::vector<int> none;
        EXPECT_EQ(std::get<0>(f(none, 0, 7)).size(), 0);
        EXPECT_EQ(std::get<1>(f(std::vector<int>(2), 1, 2)), 1);
        // Products that are 0, or small, in 64 bits.
        EXPECT_THROW(f(none, i64{1} << 32, i64{1} << 32), fg::ShapeError);
        EXPECT_THROW(f(none, large, 4), fg::ShapeError);
        EXPECT_THROW(f(std::vector<int>(1), -1, -1), fg::ShapeError);
        EXPECT_THROW(f(std::vector<int>(1), most, most), fg::ShapeError);
        EXPECT_THROW(f(none, 0, -1), fg::ShapeError);
        EXPECT_THROW(f(none, least, 0), fg::ShapeError);
        for (const i64 n : absurd) EXPECT_THROW(f(none, 1, n), fg::ShapeError) << n;
      });
}

TEST(Limits, Indices) {
  on_every_engine([](Vec<int> x, Exp<i64> i) { return x[i]; },
                  [](const auto& f) {
                    for (const i64 i : absurd)
                      EXPECT_THROW(f(std::vector<int>{1, 2}, i), fg::IndexError) << i;
                  });
  on_every_engine([](Mat<int> m, Exp<i64> i, Exp<i64> j) { return m(i, j); },
                  [](const auto& f) {
                    const fg::Array<int, 2> m({1, 2, 3, 4}, {2, 2});
                    for (const i64 i : absurd) {
                      EXPECT_THROW(f(m, i, 0), fg::IndexError) << i;
                      EXPECT_THROW(f(m, 1, i), fg::IndexError) << i;
                      EXPECT_THROW(f(m, i, i), fg::IndexError) << i;
                    }
                  });
  on_every_engine([](Vec<int> x, Vec<i64> at) { return fg::scatter(x, at, fg::iota<int>(at.size())); },
                  [](const auto& f) {
                    const std::vector<i64> at(std::begin(absurd), std::end(absurd));
                    EXPECT_EQ(vector_of(f(std::vector<int>{5, 6}, at)), (std::vector<int>{5, 6}));
                  });
}

template <int offset>
void expect_neighbours(const std::vector<int>& clamped, const std::vector<int>& wrapped,
                       const std::vector<int>& mirrored, const std::vector<int>& outside) {
  on_every_engine(
      [](Vec<int> x) {
        const auto neighbour = [](auto u) { return u(offset); };
        return std::tuple{fg::stencil(neighbour, fg::boundary::clamp, x),
                          fg::stencil(neighbour, fg::boundary::wrap, x),
                          fg::stencil(neighbour, fg::boundary::mirror, x),
                          fg::stencil(neighbour, fg::boundary::constant(9), x)};
      },
      [&](const auto& f) {
        const auto [c, w, m, o] = f(std::vector<int>{0, 1, 2});
        EXPECT_EQ(vector_of(c), clamped);
        EXPECT_EQ(vector_of(w), wrapped);
        EXPECT_EQ(vector_of(m), mirrored);
        EXPECT_EQ(vector_of(o), outside);
      });
}

TEST(Limits, FarNeighbours) {
  // 2147483647 = 3 * 715827882 + 1 = 4 * 536870911 + 3
  expect_neighbours<INT_MAX>({2, 2, 2}, {1, 2, 0}, {1, 0, 1}, {9, 9, 9});
  // -2147483648 = -3 * 715827883 + 1 = -4 * 536870912
  expect_neighbours<INT_MIN>({0, 0, 0}, {1, 2, 0}, {0, 1, 2}, {9, 9, 9});
}

// A product that wraps around is no multiple of its factors any more.
TEST(Limits, QuotientsOfProductsThatWrap) {
  on_every_engine(
      [](Vec<fg::i64> x) { return fg::map([](Exp<fg::i64> v) { return (v * 6) / 3 + (v * 6) % 3; }, x); },
      [](const auto& f) {
        const std::vector<fg::i64> x{5, -5, fg::i64{1} << 62, INT64_MAX, INT64_MIN};
        std::vector<fg::i64> expected;
        for (fg::i64 v : x) {
          const auto product = static_cast<fg::i64>(static_cast<fg::u64>(v) * 6);
          expected.push_back(product / 3 + product % 3);
        }
        EXPECT_EQ(f(x).to_vector(), expected);
      });
}

}  // namespace
