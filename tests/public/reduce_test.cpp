// Reductions: named, with operators, with and without neutral elements, along axes.
#include "engines.h"
#include "lines.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace {

using Ints = std::vector<int>;

TEST(Reductions, Named) {
  const auto f = [](Vec<int> x, Vec<bool> b) {
    return std::tuple{fg::sum(x), fg::product(x), fg::min(x),   fg::max(x),
                      fg::all(b), fg::any(b),     fg::count(b), fg::sum(x * x)};
  };
  on_every_engine(f, [](const auto& g) {
    EXPECT_EQ(g(Ints{3, -1, 4}, std::vector<bool>{true, false, true}),
              (std::tuple{6, -12, -1, 4, false, true, 2, 26}));
    EXPECT_EQ(g(Ints{}, std::vector<bool>{}),
              (std::tuple{0, 1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), true, false,
                          0, 0}));
  });
}

TEST(Reductions, ArgminAndArgmax) {
  on_every_engine([](Vec<float> x) { return std::tuple{fg::argmin(x), fg::argmax(x)}; },
                  [](const auto& f) {
                    const float inf = std::numeric_limits<float>::infinity(),
                                nan = std::numeric_limits<float>::quiet_NaN();
                    EXPECT_EQ(f(std::vector<float>{2, 1, 3, 1, 3}), (std::tuple{1, 2}));
                    EXPECT_EQ(f(std::vector<float>{nan, 5, nan}), (std::tuple{1, 1}));
                    EXPECT_EQ(f(std::vector<float>{nan, nan}), (std::tuple{0, 0}));
                    EXPECT_EQ(f(std::vector<float>{nan, inf}), (std::tuple{1, 1}));
                    std::vector<float> many(3001, 1.0f);
                    many[1234] = many[2345] = 0.0f;
                    many[777] = many[2999] = 2.0f;
                    EXPECT_EQ(f(many), (std::tuple{1234, 777}));
                  });
}

// NaNs lose against everything, also where lanes begin with them, and where all else is as bad as can be.
template <class T>
void expect_nans_to_lose() {
  const auto f = [](Vec<T> x) { return std::tuple{fg::argmin(x), fg::argmax(x)}; };
  on_every_engine(f, [](const auto& g) {
    const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const auto expected = [](const std::vector<T>& x, auto better) {
      fg::i64 best = -1;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!std::isnan(x[i]) && (best < 0 || better(x[i], x[static_cast<std::size_t>(best)])))
          best = static_cast<fg::i64>(i);
      return std::max<fg::i64>(best, 0);
    };
    for (std::size_t n : {1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 64u, 65u, 129u, 1000u, 4099u, 20'001u})
      for (const T other : {nan, inf, -inf, T(0), -T(0), T(3)})
        for (const T common : {nan, inf, -inf, T(1)})
          for (std::size_t every : {n, std::size_t{97}, std::size_t{2}}) {
            std::vector<T> x(n, common);
            for (std::size_t i = every - 1; i < n; i += every) x[i] = other;
            EXPECT_EQ(g(x), (std::tuple{expected(x, std::less<>()), expected(x, std::greater<>())}))
                << n << " of " << common << ", each " << every << "th " << other;
          }
  });
}

TEST(Reductions, ArgminAndArgmaxAmongNans) {
  expect_nans_to_lose<float>();
  expect_nans_to_lose<double>();
}

// What lanes start from that have no element yet is nothing to apply the operator to.
TEST(Reductions, WithoutNeutralElement) {
  using Spot = std::tuple<int, int>;
  const auto f = [](Vec<int> x) {
    const auto quotient = [](Exp<int> a, Exp<int> b) { return fg::max(a, b) + 0 * (a / b); };
    const auto first_of_largest = [](Exp<Spot> a, Exp<Spot> b) {
      auto [x1, i1] = a;
      auto [x2, i2] = b;
      auto wins = x1 < x2 || (x1 == x2 && i2 < i1);
      return std::tuple{fg::select(wins, x2, x1), fg::select(wins, i2, i1)};
    };
    const auto spots = fg::zip(x, fg::iota<int>(x.size()));
    const auto [value, at] = fg::reduce_comm(first_of_largest, spots);
    const auto [last, count] = fg::reduce(
        [](Exp<Spot> a, Exp<Spot> b) { return std::tuple{fg::get<0>(b), fg::get<1>(a) + fg::get<1>(b)}; },
        spots);
    return std::tuple{fg::reduce_comm(quotient, x), value, at, last, count};
  };
  on_every_engine(f, [](const auto& g) {
    for (int n : {1, 2, 15, 16, 17, 64, 65, 1000, 20'001}) {
      Ints x(static_cast<std::size_t>(n), 5);
      x[static_cast<std::size_t>(n / 2)] = x.back() = 9;
      EXPECT_EQ(g(x), (std::tuple{9, 9, n / 2, 9, static_cast<int>(static_cast<fg::i64>(n) * (n - 1) / 2)}))
          << n;
    }
    EXPECT_THROW((void)g(Ints{}), fg::ShapeError);
    EXPECT_THROW((void)g(Ints{3, 0, 0, 4}), fg::ArithmeticError);
  });
}

// Products of 2x2 matrices of 16 bits, packed in 64; of a sum and a maximum, packed in 32, begun with a
// value.
TEST(Reductions, OfPackedValues) {
  const auto product = [](auto x, auto y) {
    const auto field = [](auto v, int k) { return (v >> static_cast<fg::u64>(16 * k)) & 0xFFFFULL; };
    const auto entry = [&](int row, int column) {
      return ((field(x, row) * field(y, column) + field(x, row + 1) * field(y, column + 2)) & 0xFFFFULL)
             << static_cast<fg::u64>(16 * (row + column));
    };
    return entry(0, 0) | entry(0, 1) | entry(2, 0) | entry(2, 1);
  };
  constexpr fg::u64 identity = 0x0001'0000'0000'0001ULL;
  const auto f = [=](Vec<fg::u64> matrices, Vec<fg::u32> pairs) {
    const auto both = [](Exp<fg::u32> x, Exp<fg::u32> y) {
      return (((x & 0xFFFu) + (y & 0xFFFu)) & 0xFFFu) | (fg::max(x >> 12u, y >> 12u) << 12u);
    };
    return std::tuple{fg::reduce(product, identity, matrices), fg::fold(both, 0x7000'0005u, pairs)};
  };
  on_every_engine(f, [&](const auto& g) {
    for (std::size_t n : {0u, 1u, 2u, 15u, 100u, 1000u, 20'000u, 100'003u}) {
      std::vector<fg::u64> matrices(n);
      std::vector<fg::u32> pairs(n);
      fg::u64 expected = identity;
      fg::u32 sum = 5, most = 0x7000'0005u >> 12;
      for (std::size_t i = 0; i < n; ++i) {
        matrices[i] = (i * 0x9E37'79B9'7F4A'7C15ULL) | identity;
        pairs[i] = static_cast<fg::u32>(i * 2654435761u);
        expected = product(expected, matrices[i]);
        sum += pairs[i];
        most = std::max(most, pairs[i] >> 12);
      }
      EXPECT_EQ(g(matrices, pairs), (std::tuple{expected, (sum & 0xFFFu) | (most << 12)})) << n;
    }
  });
}

TEST(Reductions, Operators) {
  const auto f = [](Vec<int> x, Exp<int> start) {
    return std::tuple{fg::reduce(fg::plus, 0, x),
                      fg::reduce(fg::max, x),
                      fg::reduce(fg::bit_xor, 0, x),
                      fg::reduce_comm([](Exp<int> a, Exp<int> b) { return a + b; }, 0, x),
                      fg::reduce_comm(fg::times, x),
                      fg::fold(fg::plus, start, x),
                      fg::fold([](Exp<int> a, Exp<int> b) { return fg::min(a, b); }, start, x)};
  };
  on_every_engine(f, [](const auto& g) {
    EXPECT_EQ(g(Ints{1, 2, 3, 4}, 100), (std::tuple{10, 4, 4, 10, 24, 110, 1}));
    EXPECT_EQ(g(Ints{5}, -7), (std::tuple{5, 5, 5, 5, 5, -2, -7}));
  });
  on_every_engine([](Vec<int> x, Exp<int> start) { return fg::fold(fg::plus, start, x); },
                  [](const auto& g) { EXPECT_EQ(g(Ints{}, 9), 9); });
}

// Composition of x -> a x + b: associative, not commutative.
TEST(Reductions, OrderOfOperandsIsKept) {
  using Line = std::tuple<fg::u32, fg::u32>;
  const auto f = [](Vec<fg::u32> a, Vec<fg::u32> b) {
    const auto then = [](Exp<Line> f1, Exp<Line> f2) {
      auto [a1, b1] = f1;
      auto [a2, b2] = f2;
      return std::tuple{a1 * a2, b1 * a2 + b2};
    };
    return std::tuple{fg::reduce(then, Line{1, 0}, fg::zip(a, b)), fg::reduce(then, fg::zip(a, b)),
                      fg::fold(then, Line{2, 3}, fg::zip(a, b))};
  };
  on_every_engine(f, [](const auto& g) {
    for (std::size_t n : {1u, 2u, 17u, 64u, 1000u, 20001u}) {
      std::vector<fg::u32> a(n), b(n);
      Line plain{1, 0}, from{2, 3};
      for (std::size_t i = 0; i < n; ++i) {
        a[i] = static_cast<fg::u32>(i * 2654435761u | 1u);
        b[i] = static_cast<fg::u32>(i * 40503u + 7u);
        for (Line* line : {&plain, &from})
          *line = {std::get<0>(*line) * a[i], std::get<1>(*line) * a[i] + b[i]};
      }
      const auto [neutral, without, folded] = g(a, b);
      EXPECT_EQ(neutral, plain) << n;
      EXPECT_EQ(without, plain) << n;
      EXPECT_EQ(folded, from) << n;
    }
  });
}

TEST(Reductions, Axes) {
  const auto f = [](Mat<int> m, Mat<bool> b) {
    return std::tuple{fg::sum(m, fg::axis(0)),
                      fg::sum(m, fg::axis(-1)),
                      fg::product(m, fg::axis(1)),
                      fg::min(m, fg::axis(0)),
                      fg::max(m, fg::axis(1)),
                      fg::all(b, fg::axis(0)),
                      fg::any(b, fg::axis(1)),
                      fg::reduce(fg::plus, 0, m, fg::axis(0)),
                      fg::sum(m),
                      fg::reduce(fg::max, m)};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [columns, rows, products, least, greatest, all, any, also, total, top] =
        g(fg::Array<int, 2>({1, 2, 3, 4, 5, 6}, {2, 3}),
          fg::Array<bool, 2>({true, true, false, true, false, false}, {2, 3}));
    EXPECT_EQ(vector_of(columns), (Ints{5, 7, 9}));
    EXPECT_EQ(vector_of(rows), (Ints{6, 15}));
    EXPECT_EQ(vector_of(products), (Ints{6, 120}));
    EXPECT_EQ(vector_of(least), (Ints{1, 2, 3}));
    EXPECT_EQ(vector_of(greatest), (Ints{3, 6}));
    EXPECT_EQ(vector_of(all), (std::vector<bool>{true, false, false}));
    EXPECT_EQ(vector_of(any), (std::vector<bool>{true, true}));
    EXPECT_EQ(vector_of(also), (Ints{5, 7, 9}));
    EXPECT_EQ((std::tuple{total, top}), (std::tuple{21, 6}));
  });
}

// Without neutral elements and from any value, along each axis of an array of rank 3; one operator does
// not commute, and of one only the caller says that it does.
TEST(Reductions, AxesWithoutNeutralElement) {
  using Spot = std::tuple<int, int>;
  const auto program = [](fg::Acc<int, 3> x) {
    const auto last = [](Exp<int> a, Exp<int> b) { return fg::select(b != 0, b, a); };
    const auto largest = [](Exp<Spot> a, Exp<Spot> b) {
      auto [x1, i1] = a;
      auto [x2, i2] = b;
      auto wins = x1 < x2 || (x1 == x2 && i2 < i1);
      return std::tuple{fg::select(wins, x2, x1), fg::select(wins, i2, i1)};
    };
    const auto [rows, columns, depth] = x.shape();
    const auto numbers =
        fg::generate({rows, columns, depth}, [](auto, auto j, auto) { return fg::cast<int>(j); });
    const auto [most, at] = fg::unzip(fg::reduce_comm(largest, fg::zip(x, numbers), fg::axis(1)));
    return std::tuple{fg::reduce(last, x, fg::axis(0)),
                      fg::reduce(last, x, fg::axis(1)),
                      fg::reduce(last, x, fg::axis(-1)),
                      fg::reduce(fg::plus, x, fg::axis(-1)),
                      fg::fold(last, 7, x, fg::axis(1)),
                      fg::fold(fg::plus, 100, x, fg::axis(0)),
                      fg::reduce_comm(fg::bit_xor, 0, x, fg::axis(2)),
                      most,
                      at};
  };
  on_every_engine(program, [](const auto& f) {
    for (const lines::Shape<3>& shape : lines::shapes) {
      if (lines::count(shape) == 0) continue;
      SCOPED_TRACE(::testing::PrintToString(shape));
      Ints x(lines::count(shape));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 3 == 0 ? 0 : static_cast<int>(i * 7919 % 23);
      const auto along = [&](std::size_t axis, int first, auto op) {
        return lines::mapped<int>(x, shape, axis, 1, [&](const Ints& line) {
          return Ints{std::accumulate(line.begin(), line.end(), first, op)};
        });
      };
      const auto last = [](int a, int b) { return b != 0 ? b : a; };
      const auto [first, second, third, sums, from, sums_from, bits, most, at] =
          f(fg::Array<int, 3>(x, shape));
      EXPECT_EQ(first.to_vector(), along(0, 0, last));
      EXPECT_EQ(second.to_vector(), along(1, 0, last));
      EXPECT_EQ(third.to_vector(), along(2, 0, last));
      EXPECT_EQ(sums.to_vector(), along(2, 0, std::plus<>()));
      EXPECT_EQ(from.to_vector(), along(1, 7, last));
      EXPECT_EQ(sums_from.to_vector(), along(0, 100, std::plus<>()));
      EXPECT_EQ(bits.to_vector(), along(2, 0, std::bit_xor<>()));
      EXPECT_EQ(most.to_vector(), along(1, 0, [](int a, int b) { return std::max(a, b); }));
      EXPECT_EQ(at.to_vector(), lines::mapped<int>(x, shape, 1, 1, [](const Ints& line) {
                  return Ints{static_cast<int>(std::max_element(line.begin(), line.end()) - line.begin())};
                }));
    }
  });
}

// An axis without elements fails if there is an element of the result to compute from it; with a value to
// begin with, or with nothing to compute, it does not.
TEST(Reductions, EmptyAxes) {
  on_every_engine(
      [](Mat<int> m) {
        return std::tuple{fg::reduce([](Exp<int> a, Exp<int> b) { return a * b + 0 / b; }, m, fg::axis(0)),
                          fg::fold(fg::plus, 3, m, fg::axis(0))};
      },
      [](const auto& f) {
        const auto shaped = [](std::int64_t rows, std::int64_t columns) {
          return fg::Array<int, 2>(Ints(static_cast<std::size_t>(rows * columns), 2), {rows, columns});
        };
        EXPECT_NE(message_of<fg::ShapeError>([&] {
                    (void)f(shaped(0, 4));
                  }).find("reduce along axis 0, which is empty: give a neutral element"),
                  std::string::npos);
        for (const std::int64_t rows : {0, 3}) {
          const auto [reduced, folded] = f(shaped(rows, 0));
          EXPECT_EQ(reduced.size(), 0);
          EXPECT_EQ(folded.size(), 0);
        }
        const auto [reduced, folded] = f(shaped(3, 2));
        EXPECT_EQ(vector_of(reduced), (Ints{8, 8}));
        EXPECT_EQ(vector_of(folded), (Ints{9, 9}));
      });
  on_every_engine(
      [](Mat<int> m) { return fg::fold(fg::plus, 3, m, fg::axis(-1)); },
      [](const auto& f) { EXPECT_EQ(vector_of(f(fg::Array<int, 2>(Ints(), {2, 0}))), (Ints{3, 3})); });
}

TEST(Reductions, FloatSumsAreReproducible) {
  std::vector<float> x(100001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) * 0.013f - 0.5f;
  double exact = 0, magnitude = 0;
  for (float e : x) exact += e, magnitude += e < 0 ? -e : e;
  on_every_engine([](Vec<float> v) { return fg::sum(v); },
                  [&](const auto& f) {
                    const float first = f(x);
                    EXPECT_NEAR(first, exact, 2 * 17 * 1.2e-7 * magnitude);
                    for (int k = 0; k < 5; ++k) EXPECT_EQ(f(x), first);
                  });
}

}  // namespace
