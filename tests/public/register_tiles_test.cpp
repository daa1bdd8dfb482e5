// Maps whose points share operands of their reduction (matrix products and their kind), against sequential
// loops: at extents around those of tiles, chains and tasks, of each kind of operator.
#include "lines.h"
#include "operators.h"
#include "policies.h"

#include <cmath>

namespace {

using lines::Shape;
using Ints = std::vector<int>;
using Index = std::int64_t;

// Rows, columns, and points of the reduction.
struct Extents {
  Index n, m, k;
};
constexpr Extents all_extents[] = {{0, 8, 8},    {8, 0, 8},     {8, 8, 0},     {1, 1, 1},    {4, 8, 4},
                                   {5, 9, 5},    {3, 17, 4},    {4, 16, 15},   {6, 16, 16},  {7, 15, 17},
                                   {13, 31, 33}, {12, 32, 256}, {9, 67, 257},  {131, 5, 29}, {133, 33, 19},
                                   {8, 521, 11}, {64, 64, 64},  {37, 41, 515}, {65, 63, 33}, {32, 129, 47}};

// Where tiles, panels and chains are small, all of their ends are met; the third one has no vector aside.
// Tasks of the last one take less of a sum than a panel has room for.
const char* const policies[] = {
    "",
    "tile_least_rows=1 tile_least_depth=1 tile_rows=3 tile_chained_rows_16_registers=3 "
    "tile_task_rows=5 tile_task_columns=64 tile_depth=7 fold_chain=3",
    "tile_least_rows=1 tile_least_depth=1 tile_vectors=1 tile_chained_vectors=1 "
    "tile_vectors_16_registers=1 tile_rows=1 tile_depth=1 fold_chain=2",
    "fold_chain=2"};

// Policies for blocks of threads: their tiles, and the parts of sums that several blocks share.
const char* const policies_of_blocks[] = {
    "", "product_least=1",
    ("product_least=1 product_threads=32 product_rows=2 product_columns=2 product_depth=4 "
     "thread_chain=4 product_blocks=8 product_part=5"),
    "product_least=1 product_rows=1 product_columns=1 product_depth=1 thread_chain=2 product_blocks=1"};

template <class F, class Test>
void for_all_extents(F f, Test test) {
  on_every_engine_and_policy(
      policies, f,
      [&](const auto& compiled) {
        for (const Extents& e : all_extents) {
          SCOPED_TRACE(::testing::PrintToString(std::array{e.n, e.m, e.k}));
          test(compiled, e);
        }
      },
      policies_of_blocks);
}

template <class T>
std::vector<T> values(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& value : x) value = static_cast<T>(static_cast<int>(random() % 17) - 8);
  return x;
}

template <class T>
fg::Array<T, 2> matrix(Index rows, Index columns, unsigned seed) {
  return fg::Array<T, 2>(values<T>(rows * columns, seed), {rows, columns});
}

// result[i, j] = fold of op over l of f(i, l, j)
template <class R>
std::vector<R> folded(const Extents& e, R first, auto op, auto f) {
  std::vector<R> results;
  for (Index i = 0; i < e.n; ++i)
    for (Index j = 0; j < e.m; ++j) {
      R so_far = first;
      for (Index l = 0; l < e.k; ++l) so_far = op(so_far, f(i, l, j));
      results.push_back(so_far);
    }
  return results;
}

constexpr auto plus = [](auto a, auto b) { return a + b; };

TEST(RegisterTiles, ProductsProperty) {
  const auto program = [](Mat<float> a, Mat<float> b, Mat<double> c, Mat<double> d, Mat<int> x, Mat<int> y) {
    return std::tuple{fg::matmul(a, b), fg::matmul(c, fg::transpose(d)), fg::matmul(fg::transpose(x), y)};
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    const auto a = matrix<float>(e.n, e.k, 1), b = matrix<float>(e.k, e.m, 2);
    const auto c = matrix<double>(e.n, e.k, 3), d = matrix<double>(e.m, e.k, 4);
    const auto x = matrix<int>(e.k, e.n, 5), y = matrix<int>(e.k, e.m, 6);
    const auto [floats, doubles, ints] = f(a, b, c, d, x, y);
    EXPECT_EQ(floats.to_vector(),
              folded(e, 0.f, plus, [&](Index i, Index l, Index j) { return a(i, l) * b(l, j); }));
    EXPECT_EQ(doubles.to_vector(),
              folded(e, 0., plus, [&](Index i, Index l, Index j) { return c(i, l) * d(j, l); }));
    EXPECT_EQ(ints.to_vector(),
              folded(e, 0, plus, [&](Index i, Index l, Index j) { return x(l, i) * y(l, j); }));
  });
}

// What computes operands, and what is computed of the result, are in the same kernel.
TEST(RegisterTiles, ProducersAndConsumersProperty) {
  const auto program = [](Mat<int> a, Mat<int> b, Vec<int> bias, Vec<int> weights) {
    const auto left = fg::map([](Exp<int> x) { return x * x - 3; }, a);
    const auto product = fg::generate({a.size(0), b.size(1)}, [&](Exp<Index> i, Exp<Index> j) {
      return fg::sum(fg::generate(a.size(1), [&](Exp<Index> l) {
        return left(i, l) * (b(l, j) + fg::cast<int>(j)) * weights[l] + a(i, l);
      }));
    });
    return fg::generate({a.size(0), b.size(1)}, [&](Exp<Index> i, Exp<Index> j) {
      return fg::max(product(i, j) + bias[j], 0) - fg::cast<int>(i);
    });
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    const auto a = matrix<int>(e.n, e.k, 1), b = matrix<int>(e.k, e.m, 2);
    const Ints bias = values<int>(e.m, 3), weights = values<int>(e.k, 4);
    const Ints products = folded(e, 0, plus, [&](Index i, Index l, Index j) {
      return (a(i, l) * a(i, l) - 3) * (b(l, j) + static_cast<int>(j)) *
                 weights[static_cast<std::size_t>(l)] +
             a(i, l);
    });
    Ints expected;
    for (Index i = 0; i < e.n; ++i)
      for (Index j = 0; j < e.m; ++j)
        expected.push_back(
            std::max(products[static_cast<std::size_t>(i * e.m + j)] + bias[static_cast<std::size_t>(j)], 0) -
            static_cast<int>(i));
    EXPECT_EQ(f(a, b, bias, weights).to_vector(), expected);
  });
}

// Minima of sums; the place and the value of the least difference; an operator that does not commute.
TEST(RegisterTiles, OperatorsProperty) {
  const auto program = [](Mat<float> a, Mat<float> b) {
    const auto at_all = [&](auto f) {
      return fg::generate({a.size(0), b.size(1)}, [&](Exp<Index> i, Exp<Index> j) {
        return f([&, i, j](Exp<Index> l) { return std::tuple{a(i, l), b(l, j)}; });
      });
    };
    const auto least = at_all([&](auto operands) {
      return fg::min(fg::generate(a.size(1), [&](Exp<Index> l) {
        const auto [x, y] = operands(l);
        return x + y;
      }));
    });
    const auto last = at_all([&](auto operands) {
      const auto nonzero = [](Exp<float> u, Exp<float> v) { return fg::select(v != 0.f, v, u); };
      return fg::reduce(nonzero, 0.f, fg::generate(a.size(1), [&](Exp<Index> l) {
                          const auto [x, y] = operands(l);
                          return fg::select(x < y, x * y, 0.f);
                        }));
    });
    const auto both = at_all([&](auto operands) {
      const auto [sum, most] = fg::reduce(
          [](Exp<std::tuple<int, float>> u, Exp<std::tuple<int, float>> v) {
            const auto [p, q] = u;
            const auto [r, s] = v;
            return std::tuple{p + r, fg::max(q, s)};
          },
          std::tuple{0, -100.f}, fg::generate(a.size(1), [&](Exp<Index> l) {
            const auto [x, y] = operands(l);
            return std::tuple{fg::cast<int>(x) * fg::cast<int>(y), x - y};
          }));
      return fg::cast<float>(sum) + most;
    });
    return std::tuple{least, last, both};
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    const auto a = matrix<float>(e.n, e.k, 1), b = matrix<float>(e.k, e.m, 2);
    const auto [least, last, both] = f(a, b);
    EXPECT_EQ(least.to_vector(),
              folded(
                  e, std::numeric_limits<float>::infinity(), [](float u, float v) { return std::min(u, v); },
                  [&](Index i, Index l, Index j) { return a(i, l) + b(l, j); }));
    EXPECT_EQ(last.to_vector(),
              folded(
                  e, 0.f, [](float u, float v) { return v != 0 ? v : u; },
                  [&](Index i, Index l, Index j) { return a(i, l) < b(l, j) ? a(i, l) * b(l, j) : 0.f; }));
    const auto sums = folded(e, 0.f, plus, [&](Index i, Index l, Index j) { return a(i, l) * b(l, j); });
    auto expected = folded(
        e, -100.f, [](float u, float v) { return std::max(u, v); },
        [&](Index i, Index l, Index j) { return a(i, l) - b(l, j); });
    for (std::size_t p = 0; p < sums.size(); ++p) expected[p] += sums[p];
    EXPECT_EQ(both.to_vector(), expected);
  });
}

// Which rows and columns have a common truth, and whether all of their pairs do; a condition of both.
TEST(RegisterTiles, TruthsProperty) {
  const auto program = [](Mat<int> a, Mat<int> b) {
    const auto at_all = [&](auto f) {
      return fg::generate({a.size(0), b.size(1)}, [&](Exp<Index> i, Exp<Index> j) {
        return f([&, i, j](auto g) {
          return fg::generate(a.size(1), [&](Exp<Index> l) { return g(a(i, l), b(l, j)); });
        });
      });
    };
    const auto some =
        at_all([](auto pairs) { return fg::any(pairs([](auto x, auto y) { return (x > 6) & (y > 5); })); });
    const auto all = at_all([](auto pairs) {
      return !fg::all(pairs([](auto x, auto y) { return (x < 8) | ((y > -7) & !(x == 3)); }));
    });
    const auto less =
        at_all([](auto pairs) { return fg::any(pairs([](auto x, auto y) { return x + 12 < y; })); });
    return std::tuple{some, all, less};
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    const auto a = matrix<int>(e.n, e.k, 1), b = matrix<int>(e.k, e.m, 2);
    const auto [some, all, less] = f(a, b);
    constexpr auto either = [](bool u, bool v) { return u || v; };
    EXPECT_EQ(some.to_vector(), folded(e, false, either, [&](Index i, Index l, Index j) {
                return a(i, l) > 6 && b(l, j) > 5;
              }));
    EXPECT_EQ(all.to_vector(), folded(e, false, either, [&](Index i, Index l, Index j) {
                return !(a(i, l) < 8 || (b(l, j) > -7 && a(i, l) != 3));
              }));
    EXPECT_EQ(less.to_vector(),
              folded(e, false, either, [&](Index i, Index l, Index j) { return a(i, l) + 12 < b(l, j); }));
  });
}

TEST(RegisterTiles, BatchesProperty) {
  const auto program = [](fg::Acc<int, 3> a, fg::Acc<int, 3> b) {
    return fg::generate({a.size(0), a.size(1), b.size(2)}, [&](Exp<Index> p, Exp<Index> i, Exp<Index> j) {
      return fg::sum(fg::generate(a.size(2), [&](Exp<Index> l) { return a(p, i, l) * b(p, l, j); }));
    });
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    constexpr Index n_products = 3;
    const Ints a = values<int>(n_products * e.n * e.k, 1), b = values<int>(n_products * e.k * e.m, 2);
    Ints expected;
    for (Index p = 0; p < n_products; ++p) {
      const Ints one = folded(e, 0, plus, [&](Index i, Index l, Index j) {
        return a[static_cast<std::size_t>((p * e.n + i) * e.k + l)] *
               b[static_cast<std::size_t>((p * e.k + l) * e.m + j)];
      });
      expected.insert(expected.end(), one.begin(), one.end());
    }
    EXPECT_EQ(f(fg::Array<int, 3>(a, {n_products, e.n, e.k}), fg::Array<int, 3>(b, {n_products, e.k, e.m}))
                  .to_vector(),
              expected);
  });
}

// What tiles need not check is known from sizes; where it is not, the reads that are outside fail.
TEST(RegisterTiles, ReadsOutsideFail) {
  const auto program = [](Mat<int> a, Mat<int> b) {
    return fg::generate({a.size(0), b.size(1)}, [&](Exp<Index> i, Exp<Index> j) {
      return fg::sum(fg::generate(a.size(1), [&](Exp<Index> l) { return a(i, l) * b(l, j); }));
    });
  };
  on_every_engine(program, [](const auto& f) {
    const auto a = matrix<int>(40, 50, 1);
    EXPECT_EQ(f(a, matrix<int>(51, 33, 2)).to_vector().size(), 40U * 33);
    EXPECT_NE(message_of<fg::IndexError>([&] { f(a, matrix<int>(49, 33, 2)); }).find("49"),
              std::string::npos);
  });
}

// A sum passes through few roundings however long it is (float_sum_error).
TEST(RegisterTiles, LongSumsRoundLittle) {
  const auto test = [](fg::Engine engine, const std::string& policy) {
    const auto f = fg::compile([](Mat<float> a, Mat<float> b) { return fg::matmul(a, b); },
                               {.engine = engine, .policy = policy});
    for (const Index k : {2, 16, 17, 31, 64, 256, 300, 512, 1000, 4096, 4100, 20000}) {
      SCOPED_TRACE(k);
      const Extents e{5, 19, k};
      std::vector<float> a(static_cast<std::size_t>(e.n * k)), b(static_cast<std::size_t>(k * e.m));
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = 1.f / static_cast<float>(i % 977 + 3);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1.f / static_cast<float>(i % 761 + 2);
      const auto exact = folded(e, 0., plus, [&](Index i, Index l, Index j) {
        return static_cast<double>(a[static_cast<std::size_t>(i * k + l)]) *
               static_cast<double>(b[static_cast<std::size_t>(l * e.m + j)]);
      });
      const std::vector<float> sums =
          f(fg::Array<float, 2>(a, {e.n, k}), fg::Array<float, 2>(b, {k, e.m})).to_vector();
      const double bound = 2 * std::log2(static_cast<double>(k)) * std::numeric_limits<float>::epsilon();
      for (std::size_t p = 0; p < sums.size(); ++p)
        ASSERT_NEAR(sums[p], exact[p], bound * exact[p]) << "element " << p;
    }
  };
  const std::string small = "product_least=1 product_threads=32 product_rows=2 product_columns=2";
  for (const auto& [name, engine] : tested_engines())
    for (const std::string& policy : {small, small + " product_blocks=1"}) {
      SCOPED_TRACE("engine " + name + ", policy " + policy);
      if (engine != fg::Engine::interpreter) test(engine, policy);  // which adds in order
    }
}

// Which point of a reduction is the first of the least, and which the last of the greatest: the walk
// of a tile asks less after the first one, and its indices have 32 bits. Nothing is compared with what is no
// number.
TEST(RegisterTiles, IndicesProperty) {
  const auto program = [](Mat<float> a, Mat<float> b, Mat<float> c) {
    const auto sums = [&](Exp<Index> i, Exp<Index> j) {
      return fg::generate(a.size(1), [=](Exp<Index> l) { return a(i, l) + b(l, j); });
    };
    const auto last = [](Exp<std::tuple<float, Index>> u, Exp<std::tuple<float, Index>> v) {
      const auto [p, k] = u;
      const auto [q, l] = v;
      return std::tuple{fg::select(q >= p, q, p), fg::select(q >= p, l, k)};
    };
    const auto at_all = [&](auto f) { return fg::generate({a.size(0), b.size(1)}, f); };
    const auto least = at_all([&](Exp<Index> i, Exp<Index> j) { return fg::argmin(sums(i, j)); });
    const auto greatest = at_all([&](Exp<Index> i, Exp<Index> j) {
      const auto [value, at] =
          fg::reduce(last, std::tuple{-1e30f, Index{-1}},
                     fg::generate(a.size(1), [&](Exp<Index> l) { return std::tuple{c(i, l) + b(l, j), l}; }));
      return at;
    });
    return std::tuple{least, greatest};
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    if (e.k == 0) return;
    std::vector<float> left = values<float>(e.n * e.k, 1);
    for (std::size_t p = 0; p < left.size(); p += 5) left[p] = std::numeric_limits<float>::quiet_NaN();
    const fg::Array<float, 2> a(left, {e.n, e.k});
    const auto b = matrix<float>(e.k, e.m, 2), c = matrix<float>(e.n, e.k, 3);
    const auto [least, greatest] = f(a, b, c);
    using Found = std::pair<float, Index>;
    const auto sum_with = [&](const auto& operand) {
      return [&](Index i, Index l, Index j) { return Found{operand(i, l) + b(l, j), l}; };
    };
    const auto places = [](const std::vector<Found>& found) {
      std::vector<Index> all;
      for (const auto& [value, at] : found) all.push_back(at);
      return all;
    };
    const auto first_least = [](Found so_far, Found next) {
      const bool is_first = so_far.second < 0;
      return is_first || next.first < so_far.first || (std::isnan(so_far.first) && !std::isnan(next.first))
                 ? next
                 : so_far;
    };
    const auto last_greatest = [](Found so_far, Found next) {
      return next.first >= so_far.first ? next : so_far;
    };
    EXPECT_EQ(least.to_vector(), places(folded(e, Found{0, -1}, first_least, sum_with(a))));
    EXPECT_EQ(greatest.to_vector(), places(folded(e, Found{-1e30f, -1}, last_greatest, sum_with(c))));
  });
}

TEST(RegisterTiles, ReadsOutsideOfArraysFail) {
  const auto program = [](Mat<int> a, Mat<int> at, Vec<int> table) {
    return fg::generate({a.size(0), at.size(1)}, [&](Exp<Index> i, Exp<Index> j) {
      return fg::sum(
          fg::generate(a.size(1), [&](Exp<Index> l) { return a(i, l) * table[fg::cast<Index>(at(l, j))]; }));
    });
  };
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE("engine " + name);
    const auto f = fg::compile(program, {.engine = engine});
    const fg::Array<int, 2> a(Ints(20 * 30, 1), {20, 30});
    Ints at(30 * 40, 2);
    EXPECT_EQ(f(a, fg::Array<int, 2>(at, {30, 40}), Ints{1, 2, 3}).to_vector(), Ints(20 * 40, 90));
    at[40 * 29 + 39] = 5;
    EXPECT_NE(message_of<fg::IndexError>([&] {
                (void)f(a, fg::Array<int, 2>(at, {30, 40}), Ints{1, 2, 3});
              }).find("index 5"),
              std::string::npos);
  }
}

}  // namespace
