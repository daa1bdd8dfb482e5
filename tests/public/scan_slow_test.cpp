// Scans against sequential loops: every element type, operators that do not commute, both directions, totals,
// every axis of ranks 1 to 3.
#include "operators.h"

#include <cmath>

namespace {

/// The running results of one line: `first` (inclusive: none) leftmost.
template <class T, class Op>
std::vector<T> running(const Op& op, const std::vector<T>& xs, const T* first) {
  std::vector<T> results;
  bool any = first != nullptr;
  T state = any ? *first : T{};
  for (const T& x : xs) {
    if (first != nullptr) results.push_back(state);
    state = any ? op(state, x) : x;
    any = true;
    if (first == nullptr) results.push_back(state);
  }
  return results;
}
template <class T, class Op>
std::vector<T> running_right(const Op& op, std::vector<T> xs, const T* first) {
  std::reverse(xs.begin(), xs.end());
  std::vector<T> results = running([&](const T& a, const T& b) { return op(b, a); }, xs, first);
  std::reverse(results.begin(), results.end());
  return results;
}
template <class T, class Op>
T folded(const Op& op, const std::vector<T>& xs, T state) {
  for (const T& x : xs) state = op(state, x);
  return state;
}

template <class T, class Op>
void check(Op op, T initial) {
  const T neutral = Op::neutral();
  const auto program = [=](Vec<T> xs) {
    auto [prefixes, total] = fg::scan_with_total(op, neutral, xs);
    auto [suffixes, same] = fg::scan_right_with_total(op, neutral, xs);
    return std::tuple{fg::scan(op, neutral, xs),
                      fg::scan(op, xs),
                      fg::exclusive_scan(op, initial, xs),
                      prefixes,
                      total,
                      fg::scan_right(op, neutral, xs),
                      fg::scan_right(op, xs),
                      fg::exclusive_scan_right(op, initial, xs),
                      suffixes,
                      same};
  };
  on_every_engine(program, [&](const auto& f) {
    for (std::size_t n : sizes_for(f.options().engine)) {
      SCOPED_TRACE(n);
      const std::vector<T> xs = values<T>(n);
      const auto [scanned, without, exclusive, prefixes, total, right, right_without, right_exclusive,
                  suffixes, same] = f(xs);
      EXPECT_EQ(scanned.to_vector(), running<T>(op, xs, nullptr));
      EXPECT_EQ(without.to_vector(), running<T>(op, xs, nullptr));
      EXPECT_EQ(exclusive.to_vector(), running<T>(op, xs, &initial));
      EXPECT_EQ(prefixes.to_vector(), running<T>(op, xs, &neutral));
      EXPECT_EQ(total, folded(op, xs, neutral));
      EXPECT_EQ(right.to_vector(), running_right<T>(op, xs, nullptr));
      EXPECT_EQ(right_without.to_vector(), running_right<T>(op, xs, nullptr));
      EXPECT_EQ(right_exclusive.to_vector(), running_right<T>(op, xs, &initial));
      EXPECT_EQ(suffixes.to_vector(), running_right<T>(op, xs, &neutral));
      EXPECT_EQ(same, folded(op, xs, neutral));
    }
  });
}
TEST(Scans, SumsAndMaximaOfEveryNumberProperty) {
  for_every_number([]<class T>() {
    const auto program = [](Vec<T> xs) {
      return std::tuple{fg::scan(fg::plus, 0, xs), fg::scan_right(fg::max, xs)};
    };
    on_every_engine(program, [](const auto& f) {
      for (std::size_t n : sizes_for(f.options().engine)) {
        SCOPED_TRACE(n);
        const std::vector<T> xs = values<T>(n);
        const auto [sums, maxima] = f(xs);
        EXPECT_EQ(sums.to_vector(), running<T>(Sum<T>(), xs, nullptr));
        EXPECT_EQ(maxima.to_vector(), running_right<T>(Greatest<T>(), xs, nullptr));
      }
    });
  });
}
TEST(Scans, LastNonZeroOfEveryScalarProperty) {
  for_every_scalar([]<class T>() { check<T>(LastNonZero<T>(), T(1)); });
}
TEST(Scans, OperatorsThatDoNotCommuteProperty) {
  check<Matrix>(MatrixProduct(), Matrix{2, 3, 5, 7});
  check<Function>(Then(), Function{0b00011011});
  check<Interval>(Clamped(), Interval{-10, 10});
  check<Placed>(FirstLeast(), Placed{500.0f, 1});
}
TEST(Scans, OperatorsThatAreKnownProperty) {
  check<int>(Sum<int>(), 7);
  check<double>(Greatest<double>(), 3);
  check<bool>(Differs(), true);
}

/// Applies `line` to every line of a row-major array along an axis.
template <class T, std::size_t N, class Line>
void along(std::vector<T>& xs, const std::array<fg::i64, N>& shape, int axis, Line line) {
  std::size_t inner = 1, outer = 1;
  const auto n = static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]);
  for (std::size_t k = 0; k < N; ++k)
    (k < static_cast<std::size_t>(axis) ? outer : inner) *=
        k == static_cast<std::size_t>(axis) ? 1 : static_cast<std::size_t>(shape[k]);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      std::vector<T> one(n);
      for (std::size_t k = 0; k < n; ++k) one[k] = xs[(o * n + k) * inner + i];
      one = line(one);
      for (std::size_t k = 0; k < one.size(); ++k) xs[(o * n + k) * inner + i] = one[k];
    }
}

template <class T, int N, class Op>
void check_axis(Op op, T initial, int axis, const std::vector<std::array<fg::i64, std::size_t{N}>>& shapes) {
  const T neutral = Op::neutral();
  const auto program = [=](fg::Acc<T, N> xs) {
    const fg::Axis k = fg::axis(axis);
    auto [prefixes, totals] = fg::scan_with_total(op, neutral, xs, k);
    return std::tuple{fg::scan(op, neutral, xs, k), fg::exclusive_scan(op, initial, xs, k),
                      fg::scan_right(op, neutral, xs, k), prefixes, totals};
  };
  on_every_engine(program, [&](const auto& f) {
    for (const std::array<fg::i64, std::size_t{N}>& shape : shapes) {
      std::size_t n = 1;
      for (fg::i64 extent : shape) n *= static_cast<std::size_t>(extent);
      SCOPED_TRACE(::testing::PrintToString(shape) + " along " + std::to_string(axis));
      const std::vector<T> xs = values<T>(n);
      const auto expected = [&](auto line) {
        std::vector<T> results = xs;
        along(results, shape, axis, line);
        return results;
      };
      const auto [scanned, exclusive, right, prefixes, totals] = f(fg::Array<T, N>(xs, shape));
      EXPECT_EQ(scanned.to_vector(), expected([&](const auto& x) { return running<T>(op, x, nullptr); }));
      EXPECT_EQ(exclusive.to_vector(), expected([&](const auto& x) { return running<T>(op, x, &initial); }));
      EXPECT_EQ(right.to_vector(), expected([&](const auto& x) { return running_right<T>(op, x, nullptr); }));
      EXPECT_EQ(prefixes.to_vector(), expected([&](const auto& x) { return running<T>(op, x, &neutral); }));
      std::vector<T> sums, copy = xs;
      along(copy, shape, axis, [&](const auto& x) {
        sums.push_back(folded(op, x, neutral));
        return x;
      });
      EXPECT_EQ(totals.to_vector(), sums);
      for (int k = 0, r = 0; k < N; ++k)
        if (k != axis) {
          EXPECT_EQ(totals.size(r), shape[static_cast<std::size_t>(k)]);
          ++r;
        }
    }
  });
}

const std::vector<std::array<fg::i64, 2>> matrices{{0, 3},   {3, 0},    {0, 0},    {1, 1},
                                                   {1, 2},   {2, 1},    {2, 3},    {16, 17},
                                                   {17, 16}, {3, 1025}, {1025, 3}, {65, 64}};
const std::vector<std::array<fg::i64, 3>> cubes{{0, 2, 3}, {2, 0, 3},  {2, 3, 0},   {1, 1, 1},
                                                {2, 3, 4}, {5, 17, 3}, {16, 2, 65}, {3, 4, 257}};

TEST(Scans, AxesOfMatricesProperty) {
  for (int axis : {0, 1}) {
    check_axis<int, 2>(Sum<int>(), 4, axis, matrices);
    check_axis<Matrix, 2>(MatrixProduct(), Matrix{2, 3, 5, 7}, axis, matrices);
    check_axis<bool, 2>(LastNonZero<bool>(), true, axis, matrices);
    check_axis<float, 2>(Sum<float>(), 2.0f, axis, matrices);
  }
}
TEST(Scans, AxesOfCubesProperty) {
  for (int axis : {0, 1, 2}) {
    check_axis<fg::i64, 3>(LastNonZero<fg::i64>(), 4, axis, cubes);
    check_axis<Interval, 3>(Clamped(), Interval{-10, 10}, axis, cubes);
  }
}

TEST(Scans, InnermostAxisIsTheDefault) {
  const auto f = [](Mat<int> m) {
    return std::tuple{fg::scan(fg::plus, 0, m), fg::scan(fg::plus, 0, m, fg::axis(-2)),
                      fg::scan_right(fg::max, m)};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [rows, columns, maxima] = g(fg::Array<int, 2>({1, 2, 3, 4, 6, 5}, {2, 3}));
    EXPECT_EQ(vector_of(rows), (std::vector<int>{1, 3, 6, 4, 10, 15}));
    EXPECT_EQ(vector_of(columns), (std::vector<int>{1, 2, 3, 5, 8, 8}));
    EXPECT_EQ(vector_of(maxima), (std::vector<int>{3, 3, 3, 6, 6, 5}));
  });
}

TEST(Scans, InsideOtherOperations) {
  const auto f = [](Mat<int> m, Vec<int> x) {
    auto rows = fg::map([](Vec<int> row) { return fg::scan(fg::plus, 0, row * 2) + 1; }, fg::rows(m));
    auto last = fg::map([](Vec<int> row) { return fg::scan(fg::plus, 0, row)[row.size() - 1]; }, fg::rows(m));
    auto twice = fg::scan(fg::plus, 0, fg::scan(fg::plus, 0, fg::reverse(x)) * 3);
    auto sum_of_scan = fg::sum(fg::scan(fg::max, x) - x);
    return std::tuple{rows, last, twice, sum_of_scan};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [rows, last, twice, sum] =
        g(fg::Array<int, 2>({1, 2, 3, 4, 6, 5}, {2, 3}), std::vector<int>{3, 1, 2});
    EXPECT_EQ(vector_of(rows), (std::vector<int>{3, 7, 13, 9, 21, 31}));
    EXPECT_EQ(vector_of(last), (std::vector<int>{6, 15}));
    EXPECT_EQ(vector_of(twice), (std::vector<int>{6, 15, 33}));
    EXPECT_EQ(sum, 3);
  });
}

TEST(Scans, FloatsKeepTheirBits) {
  const auto f = [](Vec<float> x) {
    return std::tuple{fg::scan(fg::plus, x), fg::scan(fg::min, x), fg::fold(fg::min, x[0], x),
                      fg::exclusive_scan(fg::plus, -0.0f, x)};
  };
  on_every_engine(f, [](const auto& g) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto [sums, least, folded, exclusive] = g(std::vector<float>{-0.0f, -0.0f, 1.0f});
    EXPECT_TRUE(std::signbit(sums[0]) && std::signbit(sums[1])) << "no neutral element is added";
    EXPECT_TRUE(std::signbit(exclusive[0]) && std::signbit(exclusive[2]));
    EXPECT_EQ(sums[2], 1.0f);
    const auto [nan_sums, nan_least, nan_folded, nan_exclusive] = g(std::vector<float>{nan, nan});
    EXPECT_TRUE(std::isnan(nan_least[0]) && std::isnan(nan_least[1]) && std::isnan(nan_folded));
    const auto [s, later, l, e] = g(std::vector<float>{nan, 2.0f, nan, 1.0f});
    EXPECT_TRUE(std::isnan(later[0]));
    EXPECT_EQ(later[1], 2.0f);
    EXPECT_EQ(later[2], 2.0f);
    EXPECT_EQ(later[3], 1.0f);
  });
}

TEST(Scans, SameBitsEveryTime) {
  std::vector<float> x(100003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) * 0.013f - 0.5f;
  on_every_engine([](Vec<float> v) { return fg::scan_with_total(fg::plus, 0.0f, v); },
                  [&](const auto& f) {
                    const auto [prefixes, total] = f(x);
                    double exact = 0, magnitude = 0;
                    for (std::size_t i = 0; i < x.size(); ++i) {
                      ASSERT_NEAR(prefixes[static_cast<fg::i64>(i)], exact, 1) << i;
                      exact += x[i], magnitude += std::abs(x[i]);
                    }
                    EXPECT_EQ(total, prefixes[prefixes.size() - 1] + x.back());
                    EXPECT_LE(std::abs(total - exact), 1.2e-7 * 100003 * magnitude) << "added up in order";
                    for (int k = 0; k < 5; ++k) {
                      const auto [again, same] = f(x);
                      EXPECT_EQ(again.to_vector(), prefixes.to_vector());
                      EXPECT_EQ(same, total);
                    }
                  });
}

TEST(Scans, ErrorsOfAxesAndElements) {
  EXPECT_NE(message_of<fg::ShapeError>([] {
              fg::compile([](Mat<int> m) { return fg::scan(fg::plus, 0, m, fg::axis(2)); });
            }).find("scan: no axis 2 in an array of 2 axes"),
            std::string::npos);
  const std::string line = line_after(2);
  const auto picky = [](Exp<int> a, Exp<int> b) {
    return a + b + 0 / (b - 1);  // fails for 1 on the right
  };
  on_every_engine([=](Vec<int> x) { return fg::scan(picky, 0, x); },
                  [&](const auto& f) {
                    EXPECT_EQ(vector_of(f(std::vector<int>{60, 2, 3})), (std::vector<int>{60, 62, 65}));
                    const std::string text =
                        message_of<fg::ArithmeticError>([&] { f(std::vector<int>{60, 2, 1}); });
                    EXPECT_NE(text.find(line + ":"), std::string::npos) << text;
                  });
}

/// What blocks of threads find of the tiles before theirs fits into their shared memory.
TEST(ScanSlow, ElementsOfManyBytes) {
  using Eight = std::array<fg::i64, 8>;
  const auto last = [](Exp<Eight> a, Exp<Eight> b) {
    const auto [p, q, r, s, t, u, v, w] = a;
    const auto [e, f, g, h, i, j, k, l] = b;
    return fg::make<Eight>(fg::select(e != 0, e, p), q + f, r + g, fg::max(s, h), t + i, u + j, v + k, w + l);
  };
  const Eight neutral{0, 0, 0, -1000, 0, 0, 0, 0};
  on_every_engine(
      [&](Vec<Eight> x) {
        return std::tuple{fg::scan(last, neutral, x), fg::exclusive_scan(last, neutral, x)};
      },
      [&](const auto& f) {
        for (const int n : {0, 1, 5, 700}) {
          std::vector<Eight> x, wanted, before;
          Eight now = neutral;
          for (int i = 0; i < n; ++i) {
            const fg::i64 k = i * 31 % 17;
            x.push_back({k % 3, k, -k, k - 5, 1, 2 * k, k / 2, 3});
            before.push_back(now);
            if (x.back()[0] != 0) now[0] = x.back()[0];
            for (const std::size_t c : {1U, 2U, 4U, 5U, 6U, 7U}) now[c] += x.back()[c];
            now[3] = std::max(now[3], x.back()[3]);
            wanted.push_back(now);
          }
          const auto [inclusive, exclusive] = f(x);
          EXPECT_EQ(inclusive.to_vector(), wanted);
          EXPECT_EQ(exclusive.to_vector(), before);
        }
      });
}

}  // namespace
