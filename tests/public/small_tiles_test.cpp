// Maps of three axes and more whose points share operands of their reduction (batches of small matrix
// products and their kind), against sequential loops: at extents around those of vectors, tiles and chains.
#include "lines.h"
#include "operators.h"
#include "policies.h"

#include <cmath>

namespace {

using lines::Shape;
using Index = std::int64_t;

// Planes, rows, columns, and points of the reduction.
struct Extents {
  Index p, n, m, k;
};
constexpr Extents all_extents[] = {
    {0, 4, 4, 4},   {3, 0, 4, 4},   {3, 4, 0, 4},   {3, 4, 4, 0},    {1, 1, 1, 1},    {3, 2, 1, 2},
    {3, 1, 5, 3},   {3, 2, 2, 2},   {4, 3, 3, 3},   {1000, 4, 4, 4}, {3, 5, 5, 5},    {3, 3, 7, 4},
    {90, 8, 8, 8},  {2, 4, 9, 15},  {2, 7, 15, 3},  {2, 8, 16, 16},  {2, 17, 17, 31}, {2, 9, 23, 17},
    {2, 2, 24, 32}, {3, 13, 31, 5}, {2, 6, 33, 33}, {2, 2, 3, 256},  {2, 2, 3, 257},  {2, 40, 40, 40},
    {5, 3, 64, 2},  {5, 2, 101, 7}};

// Where tiles and chains are small, all of their ends are met. With the last one but one matrices are small
// however large they are, and with the last one none is.
const char* const policies[] = {
    "", "tile_small_rows=3 fold_chain=6 moderate_tile=64 expensive_tile=64 tile_side=2",
    "tile_small_rows=1 tile_small_bytes=1048576", "tile_small_bytes=0"};

template <class F, class Test>
void for_all_extents(F f, Test test) {
  on_every_engine_and_policy(policies, f, [&](const auto& compiled) {
    for (const Extents& e : all_extents) {
      SCOPED_TRACE(::testing::PrintToString(std::array{e.p, e.n, e.m, e.k}));
      test(compiled, e);
    }
  });
}

template <class T>
fg::Array<T, 3> planes(const Shape<3>& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> x(lines::count(shape));
  for (T& value : x) value = static_cast<T>(static_cast<int>(random() % 17) - 8);
  return fg::Array<T, 3>(x, {shape[0], shape[1], shape[2]});
}

// result[p, i, j] = fold of op over l of f(p, i, l, j)
template <class R>
std::vector<R> folded(const Extents& e, R first, auto op, auto f) {
  std::vector<R> results;
  for (Index p = 0; p < e.p; ++p)
    for (Index i = 0; i < e.n; ++i)
      for (Index j = 0; j < e.m; ++j) {
        R so_far = first;
        for (Index l = 0; l < e.k; ++l) so_far = op(so_far, f(p, i, l, j));
        results.push_back(so_far);
      }
  return results;
}

constexpr auto plus = [](auto a, auto b) { return a + b; };
constexpr auto product = [](auto x, auto y) { return fg::matmul(x, y); };

TEST(SmallTiles, ProductsProperty) {
  const auto program = [](fg::Acc<float, 3> a, fg::Acc<float, 3> b, fg::Acc<double, 3> c,
                          fg::Acc<double, 3> d) {
    return std::tuple{fg::map(product, fg::slices(a), fg::slices(b)),
                      fg::map(product, fg::slices(c), fg::slices(d))};
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    const auto a = planes<float>({e.p, e.n, e.k}, 1), b = planes<float>({e.p, e.k, e.m}, 2);
    const auto c = planes<double>({e.p, e.n, e.k}, 3), d = planes<double>({e.p, e.k, e.m}, 4);
    const auto [floats, doubles] = f(a, b, c, d);
    EXPECT_EQ(floats.to_vector(), folded(e, 0.f, plus, [&](Index p, Index i, Index l, Index j) {
                return a(p, i, l) * b(p, l, j);
              }));
    EXPECT_EQ(doubles.to_vector(), folded(e, 0., plus, [&](Index p, Index i, Index l, Index j) {
                return c(p, i, l) * d(p, l, j);
              }));
  });
}

// What computes operands, and what is computed of the result, are in the same kernel. One operand is the same
// for all planes, the other one lies transposed.
TEST(SmallTiles, ProducersAndConsumersProperty) {
  const auto program = [](fg::Acc<int, 3> a, fg::Acc<int, 3> b, Vec<int> bias) {
    return fg::generate({a.size(0), a.size(2), b.size(2)}, [&](Exp<Index> p, Exp<Index> i, Exp<Index> j) {
      const Exp<int> sum = fg::sum(fg::generate(a.size(1), [&](Exp<Index> l) {
        return (a(p, l, i) - 3) * (b(0, l, j) + fg::cast<int>(j)) * fg::cast<int>(l + 1);
      }));
      return fg::max(sum + bias[j], -100) - fg::cast<int>(i);
    });
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    const auto a = planes<int>({e.p, e.k, e.n}, 1), b = planes<int>({1, e.k, e.m}, 2);
    const std::vector<int> bias(static_cast<std::size_t>(e.m), 7);
    std::vector<int> expected = folded(e, 0, plus, [&](Index p, Index i, Index l, Index j) {
      return (a(p, l, i) - 3) * (b(0, l, j) + static_cast<int>(j)) * static_cast<int>(l + 1);
    });
    for (std::size_t at = 0; at < expected.size(); ++at) {
      const Index i = static_cast<Index>(at) / e.m % e.n;
      expected[at] = std::max(expected[at] + 7, -100) - static_cast<int>(i);
    }
    EXPECT_EQ(f(a, b, bias).to_vector(), expected);
  });
}

// Minima of sums, truths, places of the least sum, and operators of several components that do not commute.
TEST(SmallTiles, OperatorsProperty) {
  const auto program = [](fg::Acc<int, 3> a, fg::Acc<int, 3> b) {
    const auto at_all = [&](auto f) {
      return fg::generate({a.size(0), a.size(1), b.size(2)}, [=](Exp<Index> p, Exp<Index> i, Exp<Index> j) {
        return f(fg::generate(a.size(2), [=](Exp<Index> l) { return a(p, i, l) + b(p, l, j); }));
      });
    };
    const auto last = at_all([](Vec<int> sums) {
      using Pair = std::tuple<int, int>;
      const auto later = [](Exp<Pair> u, Exp<Pair> v) {
        const auto [x, n] = u;
        const auto [y, m] = v;
        return std::tuple{fg::select(m > 0, y, x), n + m};
      };
      const auto with_count = [](Exp<int> x) { return std::tuple{x, fg::select(x > 0, 1, 0)}; };
      const auto [value, n] = fg::reduce(later, Pair{-1, 0}, fg::map(with_count, sums));
      return value + n;
    });
    return std::tuple{
        at_all([](Vec<int> sums) { return fg::min(sums); }),
        at_all([](Vec<int> sums) { return fg::any(fg::map([](Exp<int> x) { return x > 9; }, sums)); }), last};
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    const auto a = planes<int>({e.p, e.n, e.k}, 1), b = planes<int>({e.p, e.k, e.m}, 2);
    const auto sum = [&](Index p, Index i, Index l, Index j) { return a(p, i, l) + b(p, l, j); };
    const auto [least, some, last] = f(a, b);
    EXPECT_EQ(least.to_vector(),
              folded(e, std::numeric_limits<int>::max(), [](int u, int v) { return std::min(u, v); }, sum));
    EXPECT_EQ(some.to_vector(), folded(e, false, [](bool u, int v) { return u || v > 9; }, sum));
    using Pair = std::pair<int, int>;
    const auto pairs =
        folded(e, Pair{-1, 0}, [](Pair u, int v) { return v > 0 ? Pair{v, u.second + 1} : u; }, sum);
    std::vector<int> expected;
    for (const auto& [value, n] : pairs) expected.push_back(value + n);
    EXPECT_EQ(last.to_vector(), expected);
  });
}

TEST(SmallTiles, PlacesProperty) {
  const auto program = [](fg::Acc<float, 3> a, fg::Acc<float, 3> b) {
    return fg::generate({a.size(0), a.size(1), b.size(2)}, [&](Exp<Index> p, Exp<Index> i, Exp<Index> j) {
      return fg::argmin(fg::generate(a.size(2), [&](Exp<Index> l) { return a(p, i, l) + b(p, l, j); }));
    });
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    if (e.k == 0) return;
    const auto a = planes<float>({e.p, e.n, e.k}, 1), b = planes<float>({e.p, e.k, e.m}, 2);
    using Found = std::pair<float, Index>;
    const auto found = folded(
        e, Found{0, -1}, [](Found u, Found v) { return u.second < 0 || v.first < u.first ? v : u; },
        [&](Index p, Index i, Index l, Index j) { return Found{a(p, i, l) + b(p, l, j), l}; });
    std::vector<Index> expected;
    for (const auto& [value, at] : found) expected.push_back(at);
    EXPECT_EQ(f(a, b).to_vector(), expected);
  });
}

// Extents that are known while tracing, of arrays whose own are not; planes along two axes.
TEST(SmallTiles, StaticExtentsProperty) {
  constexpr Index n = 5, k = 19, m = 17;
  const auto program = [](fg::Acc<float, 4> a, fg::Acc<float, 4> b) {
    const auto planes = a.size(0) * a.size(1);
    return fg::map(product, fg::slices(fg::reshape(a, {planes, n, k})),
                   fg::slices(fg::reshape(b, {planes, k, m})));
  };
  const auto of_planes = [](fg::Acc<float, 4> a, fg::Acc<float, 4> b) {
    return fg::map([](auto x, auto y) { return fg::map(product, fg::slices(x), fg::slices(y)); },
                   fg::slices(a), fg::slices(b));
  };
  const auto test = [&](const auto& f, Index q, Index p) {
    const Extents e{q * p, n, m, k};
    const auto a = planes<float>({e.p, n, k}, 1), b = planes<float>({e.p, k, m}, 2);
    const fg::Array<float, 4> x(a.to_vector(), {q, p, n, k}), y(b.to_vector(), {q, p, k, m});
    EXPECT_EQ(f(x, y).to_vector(), folded(e, 0.f, plus, [&](Index at, Index i, Index l, Index j) {
                return a(at, i, l) * b(at, l, j);
              }));
  };
  const auto test_all = [&](const auto& f) {
    for (const Index q : {0, 1, 3})
      for (const Index p : {0, 1, 7}) test(f, q, p);
  };
  on_every_engine_and_policy(policies, program, test_all);
  on_every_engine_and_policy(policies, of_planes, test_all);
}

// A sum passes through few roundings however long it is (float_sum_error).
TEST(SmallTiles, SumsRoundLittle) {
  on_every_engine_and_policy(
      policies,
      [](fg::Acc<float, 3> a, fg::Acc<float, 3> b) { return fg::map(product, fg::slices(a), fg::slices(b)); },
      [](const auto& f) {
        for (const Index k : {2, 16, 17, 31, 64, 255, 256, 300, 1000}) {
          SCOPED_TRACE(k);
          const Extents e{2, 2, 3, k};
          std::vector<float> a(static_cast<std::size_t>(e.p * e.n * k)),
              b(static_cast<std::size_t>(e.p * k * e.m));
          for (std::size_t i = 0; i < a.size(); ++i) a[i] = 1.f / static_cast<float>(i % 977 + 3);
          for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1.f / static_cast<float>(i % 761 + 2);
          const fg::Array<float, 3> x(a, {e.p, e.n, k}), y(b, {e.p, k, e.m});
          const auto exact = folded(e, 0., plus, [&](Index p, Index i, Index l, Index j) {
            return static_cast<double>(x(p, i, l)) * static_cast<double>(y(p, l, j));
          });
          const std::vector<float> sums = f(x, y).to_vector();
          const double bound = 2 * std::log2(static_cast<double>(k)) * std::numeric_limits<float>::epsilon();
          for (std::size_t at = 0; at < sums.size(); ++at)
            ASSERT_NEAR(sums[at], exact[at], bound * exact[at]) << "element " << at;
        }
      });
}

}  // namespace
