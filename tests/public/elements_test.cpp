// Composite elements: tuples, pairs, std::array, aggregates, nested; as scalars, in arrays, as arguments and
// results.
#include "engines.h"

#include <numeric>

namespace {

struct Segment {
  int best;
  float weight;
  bool valid;
};
struct Nested {
  Segment segment;
  std::array<double, 2> pair;
  std::tuple<fg::i8, fg::u64> tuple;
  std::pair<bool, float> last;
};
bool operator==(const Segment& a, const Segment& b) {
  return a.best == b.best && a.weight == b.weight && a.valid == b.valid;
}

struct Wide {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};
static_assert(fg::detail::n_fields<Wide> == 16);
static_assert(fg::detail::n_leaves<Nested> == 9);

TEST(Elements, ScalarsOfAggregates) {
  const auto f = [](Exp<Segment> s, Exp<std::array<int, 3>> v) {
    auto [best, weight, valid] = s;
    auto [x, y, z] = v;
    return fg::make<Segment>(best + x + y + z, weight * 2, valid && x < y);
  };
  on_every_engine(f, [](const auto& g) {
    EXPECT_EQ(g(Segment{1, 2.5f, true}, {1, 2, 3}), (Segment{7, 5.0f, true}));
    EXPECT_EQ(g(Segment{1, 2.5f, true}, {2, 2, 3}), (Segment{8, 5.0f, false}));
  });
}

TEST(Elements, Nested) {
  const auto f = [](Exp<Nested> n) {
    auto [segment, pair, tuple, last] = n;
    auto [small, large] = tuple;
    return fg::make<Nested>(fg::make<Segment>(fg::get<0>(segment) + 1, fg::get<1>(last), fg::get<0>(last)),
                            std::tuple{fg::get<1>(pair), fg::get<0>(pair)}, std::tuple{small + 1, large - 1},
                            std::tuple{true, 4.0f});
  };
  on_every_engine(f, [](const auto& g) {
    const Nested n = g(Nested{{1, 2.0f, false}, {0.5, 0.25}, {fg::i8(127), 0}, {true, 3.0f}});
    EXPECT_EQ(n.segment, (Segment{2, 3.0f, true}));
    EXPECT_EQ(n.pair, (std::array<double, 2>{0.25, 0.5}));
    EXPECT_EQ(n.tuple, (std::tuple<fg::i8, fg::u64>{fg::i8(-128), ~fg::u64(0)}));
    EXPECT_EQ(n.last, (std::pair<bool, float>{true, 4.0f}));
  });
}

TEST(Elements, ArraysOfAggregates) {
  const auto f = [](Vec<Segment> s) {
    return fg::map([](Exp<Segment> x) { return fg::make<Segment>(x.get<0>() * 10, x.get<1>(), !x.get<2>()); },
                   s.slice(1, s.size()));
  };
  on_every_engine(f, [](const auto& g) {
    const std::vector<Segment> given{{1, 0.5f, true}, {2, 1.5f, false}, {3, 2.5f, true}};
    const auto copied_before = fg::stats().bytes_copied;
    const fg::Array<Segment> result = g(given);
    EXPECT_GE(fg::stats().bytes_copied - copied_before, 3 * (4 + 4 + 1))
        << "structures become one array for each field";
    ASSERT_EQ(result.size(), 2);
    EXPECT_EQ(result[0], (Segment{20, 1.5f, true}));
    EXPECT_EQ(result.to_vector(), (std::vector<Segment>{{20, 1.5f, true}, {30, 2.5f, false}}));
    const auto [best, weight, valid] = result;
    EXPECT_EQ(best.to_vector(), (std::vector<int>{20, 30}));
    EXPECT_EQ(g(result).to_vector(), (std::vector<Segment>{{300, 2.5f, true}})) << "results are arguments";
    EXPECT_EQ(g(fg::view(given.data(), {2})).to_vector(), (std::vector<Segment>{{20, 1.5f, true}}));
    int n = 0;
    for (const Segment& s : result) n += s.best;
    EXPECT_EQ(n, 50);
  });
}

// Each operand is an array or one value for all elements.
TEST(Elements, Selected) {
  using Pair = std::tuple<int, float>;
  const auto f = [](Vec<Pair> a, Vec<Pair> b, Vec<bool> mask, Exp<bool> one) {
    return std::tuple{fg::select(mask, a, b), fg::select(one, a, b), fg::select(mask, a, b[0]),
                      fg::select(mask, a[0], b[1]), fg::select(one, a[0], b[0])};
  };
  const std::vector<Pair> a{{1, 0.5F}, {2, 1.5F}, {3, 2.5F}}, b{{4, 3.5F}, {5, 4.5F}, {6, 5.5F}};
  on_every_engine(f, [&](const auto& g) {
    for (const bool one : {false, true}) {
      const auto [by_mask, by_one, or_first, of_two, single] =
          g(a, b, std::vector<bool>{true, false, true}, one);
      EXPECT_EQ(by_mask.to_vector(), (std::vector{a[0], b[1], a[2]}));
      EXPECT_EQ(by_one.to_vector(), one ? a : b);
      EXPECT_EQ(or_first.to_vector(), (std::vector{a[0], b[0], a[2]}));
      EXPECT_EQ(of_two.to_vector(), (std::vector{a[0], b[1], a[0]}));
      EXPECT_EQ(single, one ? a[0] : b[0]);
    }
  });
}

TEST(Elements, OfArraysOfFourAndFiveAxes) {
  const auto f = [](Vec<int> x) {
    const auto four = fg::reshape(x, {2, 3, 1, 4});
    const auto five = fg::reshape(x, {1, 2, 2, 3, 2});
    return fg::generate({2, 3, 4}, [&](Exp<fg::i64> i, Exp<fg::i64> j, Exp<fg::i64> k) {
      return four(i, j, 0, k) * 100 + five(0, i, 1, j, k % 2);
    });
  };
  std::vector<int> x(24);
  std::iota(x.begin(), x.end(), 0);
  on_every_engine(f, [&](const auto& g) {
    const auto y = g(x);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 4; ++k)
          EXPECT_EQ(y(i, j, k), ((i * 3 + j) * 4 + k) * 100 + (i * 2 + 1) * 6 + j * 2 + k % 2);
  });
  const auto outside = [](Vec<int> values, Exp<int> at) {
    return fg::reshape(values, {2, 3, 1, 4})(1, 2, 0, at);
  };
  on_every_engine(outside, [&](const auto& g) { EXPECT_THROW(g(x, 4), fg::IndexError); });
}

TEST(Elements, ZipAndUnzip) {
  const auto f = [](Vec<int> a, Vec<float> b, Vec<bool> c) {
    const auto zipped = fg::zip(a, b, c);
    const auto swapped = fg::map(
        [](Exp<std::tuple<int, float, bool>> t) { return std::tuple{t.get<2>(), t.get<0>()}; }, zipped);
    auto [flags, numbers] = fg::unzip(swapped);
    return std::tuple{flags, numbers, zipped, fg::zip(a, a), fg::zip(a, a, a, a)[0]};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [flags, numbers, zipped, twice, first] =
        g(std::vector<int>{1, 2}, std::vector<float>{3, 4}, std::vector<bool>{true, false});
    EXPECT_EQ(vector_of(flags), (std::vector<bool>{true, false}));
    EXPECT_EQ(vector_of(numbers), (std::vector<int>{1, 2}));
    EXPECT_EQ(zipped[1], (std::tuple{2, 4.0f, false}));
    EXPECT_EQ(twice[0], (std::tuple{1, 1}));
    EXPECT_EQ(first, (std::tuple{1, 1, 1, 1}));
  });
}

// Functions with auto parameters, whose bodies compile for elements alone.
TEST(Elements, GivenToFunctionsWithAuto) {
  const auto program = [](Vec<int> a, Vec<int> b, Mat<int> m) {
    const auto pairs = fg::filter([](auto t) { return t.template get<0>() > 0; }, fg::zip(a, b));
    const auto apart = fg::map([](auto t) { return t.template get<0>() - t.template get<1>(); }, pairs);
    return std::pair{apart, fg::map([](auto x) { return fg::select(x > 2, x, -x); }, m)};
  };
  on_every_engine(program, [](const auto& f) {
    const auto [apart, selected] =
        f(std::vector{1, -2, 3}, std::vector{7, 8, 9}, fg::Array<int, 2>({1, 2, 3, 4}, {2, 2}));
    EXPECT_EQ(apart.to_vector(), (std::vector{-6, -6}));
    EXPECT_EQ(vector_of(selected), (std::vector{-1, -2, 3, 4}));
  });
}

TEST(Elements, ArraysOfStdArray) {
  using Point = std::array<float, 3>;
  const auto f = [](Vec<Point> points, Exp<Point> by) {
    auto [dx, dy, dz] = by;
    return fg::map(
        [&](Exp<Point> p) {
          auto [x, y, z] = p;
          return std::array{x + dx, y + dy, z + dz};
        },
        points);
  };
  on_every_engine(f, [](const auto& g) {
    const fg::Array<Point> moved = g(std::vector<Point>{{1, 2, 3}, {4, 5, 6}}, {1, 1, 2});
    EXPECT_EQ(moved[0], (Point{2, 3, 5}));
    EXPECT_EQ(moved[1], (Point{5, 6, 8}));
  });
}

TEST(Elements, ConstantsOfAggregates) {
  const auto f = [](Exp<int> n) { return fg::replicate(n, Segment{1, 2.0f, true}); };
  on_every_engine(f, [](const auto& g) { EXPECT_EQ(g(2)[1], (Segment{1, 2.0f, true})); });
  const auto wide =
      fg::run([](Exp<Wide> w) { return w; }, Wide{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  EXPECT_EQ(wide.p, 15);
}

}  // namespace
