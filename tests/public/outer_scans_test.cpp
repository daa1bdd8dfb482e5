// Scans along an axis outside of the contiguous one, against sequential loops: at extents around those of
// vectors and of the rows of tasks, of each kind of operator, with what is computed before and after, with
// tasks as they are and with many small ones.
#include "lines.h"
#include "operators.h"
#include "policies.h"

#include <cmath>
#include <numeric>

namespace {

using lines::Shape;
using Ints = std::vector<int>;
using Pair = std::tuple<std::uint32_t, std::uint32_t>;

constexpr std::int64_t all_rows[] = {0, 1, 2, 16, 17, 67, 257, 1031};
constexpr std::int64_t all_columns[] = {0, 1, 3, 7, 8, 9, 16, 31, 33, 64, 67, 131};

// Where tasks have few rows they take turns at extents that are small; the third has tasks of columns, the
// last one walks rows one by one, and stores past the caches.
const char* const policies[] = {"", "outer_scan_block=256 outer_scan_least_rows=3 fold_chain=2 fold_block=64",
                                "outer_scan_long_row=0 fold_columns=64",
                                "outer_scan_block=2048 outer_scan_short_row=0 fold_chain=3 fold_block=64"};

/// op(op(first, x0), x1) ... of each line along the axis, or without the last element.
template <class T, std::size_t N>
std::vector<T> running(const std::vector<T>& x, const Shape<N>& shape, std::size_t axis, bool inclusive,
                       T first, auto op) {
  return lines::mapped<T>(x, shape, axis, static_cast<std::size_t>(shape[axis]),
                          [&](const std::vector<T>& line) {
                            std::vector<T> all;
                            T so_far = first;
                            for (const T& element : line) {
                              const T next = op(so_far, element);
                              all.push_back(inclusive ? next : so_far);
                              so_far = next;
                            }
                            return all;
                          });
}

TEST(OuterScans, SumsAndExtremesProperty) {
  const auto program = [](Mat<float> x, Mat<double> y, Mat<int> z) {
    const auto sums = fg::scan(fg::plus, 0.0f, x, fg::axis(0));
    return std::tuple{sums, fg::exclusive_scan(fg::plus, 3.0, y * y, fg::axis(0)) + y,
                      fg::scan(fg::max, z, fg::axis(0)), fg::scan_right(fg::plus, 0, z, fg::axis(0))};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : all_rows)
      for (const std::int64_t columns : all_columns) {
        const Shape<2> shape{rows, columns};
        if (rows == 0) continue;
        SCOPED_TRACE(::testing::PrintToString(shape));
        const auto x = values<float>(lines::count(shape));
        const auto y = values<double>(lines::count(shape));
        const auto z = values<int>(lines::count(shape));
        const auto [sums, squares, most, right] =
            f(fg::Array<float, 2>(x, shape), fg::Array<double, 2>(y, shape), fg::Array<int, 2>(z, shape));
        EXPECT_EQ(sums.to_vector(), running(x, shape, 0, true, 0.f, std::plus<>()));
        std::vector<double> expected =
            running(y, shape, 0, false, 3., [](double a, double b) { return a + b * b; });
        for (std::size_t i = 0; i < y.size(); ++i) expected[i] += y[i];
        EXPECT_EQ(squares.to_vector(), expected);
        EXPECT_EQ(most.to_vector(), running(z, shape, 0, true, std::numeric_limits<int>::min(),
                                            [](int a, int b) { return std::max(a, b); }));
        EXPECT_EQ(right.to_vector(),
                  lines::mapped<int>(z, shape, 0, static_cast<std::size_t>(rows), [](Ints line) {
                    std::reverse(line.begin(), line.end());
                    std::partial_sum(line.begin(), line.end(), line.begin(), Sum<int>());
                    std::reverse(line.begin(), line.end());
                    return line;
                  }));
      }
  });
}

// Operators that do not commute, on several values; an initial value for each column; totals.
TEST(OuterScans, InOrderProperty) {
  const auto program = [](Mat<std::uint32_t> a, Mat<std::uint32_t> b, Mat<bool> c, Vec<int> first) {
    const auto then = [](Exp<Pair> f, Exp<Pair> g) {
      const auto [p, q] = f;
      const auto [r, s] = g;
      return std::tuple{p * r, q * r + s};
    };
    const auto [prefixes, totals] = fg::scan_with_total(then, Pair{1, 0}, fg::zip(a, b), fg::axis(0));
    const auto [scale, shift] = fg::unzip(prefixes);
    const auto [all_scale, all_shift] = fg::unzip(totals);
    const auto last_of = [](Vec<std::uint32_t> column, Exp<int> start) {
      return fg::exclusive_scan([](Exp<int> u, Exp<int> v) { return fg::select(v % 3 != 0, v, u); }, start,
                                fg::cast<int>(column % 5u));
    };
    const auto from = fg::transpose(fg::map(last_of, fg::rows(fg::transpose(a)), first));
    const auto parity = fg::scan([](Exp<bool> u, Exp<bool> v) { return u != v; }, false, c, fg::axis(0));
    return std::tuple{scale, shift, all_scale, all_shift, from, parity};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : all_rows)
      for (const std::int64_t columns : all_columns) {
        const Shape<2> shape{rows, columns};
        SCOPED_TRACE(::testing::PrintToString(shape));
        const auto a = values<std::uint32_t>(lines::count(shape));
        auto b = values<std::uint32_t>(lines::count(shape) + 1);
        b.pop_back();
        std::vector<bool> c;
        for (std::uint32_t value : b) c.push_back(value % 3 == 0);
        const Ints first = values<int>(static_cast<std::size_t>(columns));
        const auto [scale, shift, all_scale, all_shift, from, parity] =
            f(fg::Array<std::uint32_t, 2>(a, shape), fg::Array<std::uint32_t, 2>(b, shape),
              fg::Array<bool, 2>(c, shape), first);
        std::vector<std::uint32_t> scales(a.size()), shifts(a.size());
        std::vector<std::uint32_t> p(first.size(), 1), q(first.size(), 0);
        Ints froms(a.size()), so_far = first;
        std::vector<bool> parities(a.size()), odd(first.size(), false);
        for (std::size_t i = 0; i < a.size(); ++i) {
          const std::size_t j = i % first.size();
          scales[i] = p[j], shifts[i] = q[j], froms[i] = so_far[j];
          p[j] *= a[i], q[j] = q[j] * a[i] + b[i];
          const int v = static_cast<int>(a[i] % 5);
          so_far[j] = v % 3 != 0 ? v : so_far[j];
          odd[j] = odd[j] != c[i];
          parities[i] = odd[j];
        }
        EXPECT_EQ(scale.to_vector(), scales);
        EXPECT_EQ(shift.to_vector(), shifts);
        EXPECT_EQ(all_scale.to_vector(), p);
        EXPECT_EQ(all_shift.to_vector(), q);
        EXPECT_EQ(from.to_vector(), froms);
        EXPECT_EQ(parity.to_vector(), parities);
      }
  });
}

TEST(OuterScans, OfThreeAxesProperty) {
  const auto program = [](fg::Acc<int, 3> x) {
    const auto first = fg::scan(fg::plus, 0, x * 2, fg::axis(0));
    return std::tuple{first, fg::scan(fg::plus, 0, x, fg::axis(1)) - x,
                      fg::exclusive_scan(fg::max, -7, x, fg::axis(1)), fg::sum(first, fg::axis(2))};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const Shape<3>& shape : {Shape<3>{0, 3, 5},
                                  {3, 0, 5},
                                  {3, 70, 0},
                                  {1, 17, 64},
                                  {33, 18, 65},
                                  {70, 3, 4},
                                  {2, 300, 67},
                                  {300, 2, 131},
                                  {19, 20, 3}}) {
      SCOPED_TRACE(::testing::PrintToString(shape));
      Ints x(lines::count(shape)), twice;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7919 % 1009) - 500;
      for (int value : x) twice.push_back(2 * value);
      const auto [first, second, most, sums] = f(fg::Array<int, 3>(x, shape));
      const Ints of_first = running(twice, shape, 0, true, 0, std::plus<>());
      EXPECT_EQ(first.to_vector(), of_first);
      EXPECT_EQ(second.to_vector(), running(x, shape, 1, false, 0, std::plus<>()));
      EXPECT_EQ(most.to_vector(),
                running(x, shape, 1, false, -7, [](int a, int b) { return std::max(a, b); }));
      EXPECT_EQ(sums.to_vector(), lines::mapped<int>(of_first, shape, 2, 1, [](const Ints& line) {
                  return Ints{std::accumulate(line.begin(), line.end(), 0)};
                }));
    }
  });
}

TEST(OuterScans, ReadsOutsideOfArraysFail) {
  const auto program = [](Mat<int> at, Vec<int> table) {
    const auto found = fg::map([&](Exp<int> i) { return table[fg::cast<std::int64_t>(i)]; }, at);
    return fg::scan(fg::plus, 0, found, fg::axis(0));
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    const Shape<2> shape{100, 70};
    Ints at(lines::count(shape), 2);
    EXPECT_EQ(f(fg::Array<int, 2>(at, shape), Ints{1, 2, 3}).to_vector().back(), 300);
    at[70 * 99 + 69] = 5;
    EXPECT_NE(message_of<fg::IndexError>([&] {
                (void)f(fg::Array<int, 2>(at, shape), Ints{1, 2, 3});
              }).find("index 5"),
              std::string::npos);
  });
}

}  // namespace
