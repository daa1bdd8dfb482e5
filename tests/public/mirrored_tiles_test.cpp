// Maps whose results are symmetric matrices, of which tiles compute the half above the diagonal, against
// sequential loops.
#include "lines.h"
#include "operators.h"
#include "policies.h"

namespace {

using Index = Exp<fg::i64>;

// Also without a mirror; with tiles, panels and parts that end everywhere.
const char* const policies[] = {
    "", "mirror_depth=1", "mirror_depth=1048576",
    "mirror_depth=1 tile_least_rows=1 tile_least_depth=1 tile_rows=3 tile_chained_rows_16_registers=3 "
    "tile_task_rows=5 tile_task_columns=64 tile_depth=7 fold_chain=3",
    "mirror_depth=1 tile_least_rows=1 tile_least_depth=1 tile_vectors=1 tile_chained_vectors=1 "
    "tile_vectors_16_registers=1 tile_rows=1 tile_depth=1 fold_chain=2 tile_strip_columns=16"};

struct Extents {
  std::int64_t n, depth;
};
constexpr Extents all_extents[] = {{0, 8},  {1, 1},  {2, 200},  {5, 128}, {15, 127}, {16, 300}, {33, 129},
                                   {63, 7}, {64, 9}, {65, 131}, {97, 40}, {130, 17}, {200, 3},  {257, 5}};

template <class T>
std::vector<T> numbers(std::int64_t n) {
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(static_cast<T>(i * 7919 % 23 - 11));
  return x;
}
// result[i, j] = fold over l of f(l, i, j)
template <class R>
std::vector<R> folded(const Extents& e, R first, auto op, auto f) {
  std::vector<R> results;
  for (std::int64_t i = 0; i < e.n; ++i)
    for (std::int64_t j = 0; j < e.n; ++j) {
      R so_far = first;
      for (std::int64_t l = 0; l < e.depth; ++l) so_far = op(so_far, static_cast<R>(f(l, i, j)));
      results.push_back(so_far);
    }
  return results;
}
constexpr auto plus = [](auto a, auto b) { return a + b; };

// Engines without vectors, and the specification, take the small ones.
bool is_tried(const auto& f, const Extents& e) {
  return f.options().engine == fg::Engine::cpu || e.n * e.n * e.depth <= 40'000;
}

template <class T>
void own_products() {
  const auto program = [](Mat<T> x) {
    const auto n = x.size(1);
    const auto products = fg::matmul(fg::transpose(x), x);
    const auto scaled = fg::map([](Exp<T> total) { return total * T(3) + T(1); }, products);
    const auto least = fg::generate({n, n}, [=](Index i, Index j) {
      return fg::min(fg::generate(x.size(0), [=](Index l) { return x(l, i) + x(l, j); })) -
             fg::cast<T>(fg::abs(i - j));
    });
    const auto both = fg::generate({n, n}, [=](Index i, Index j) {
      const auto [sum, most] = fg::reduce(
          [](fg::Exp<std::tuple<T, T>> a, fg::Exp<std::tuple<T, T>> b) {
            const auto [p, q] = a;
            const auto [r, s] = b;
            return std::tuple{p + r, fg::max(q, s)};
          },
          std::tuple{T(0), T(-100)},
          fg::generate(x.size(0), [=](Index l) { return std::tuple{x(l, i) * x(l, j), x(l, i) + x(l, j)}; }));
      return sum + most;
    });
    return std::tuple{scaled, least, both};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const Extents& e : all_extents) {
      if (!is_tried(f, e)) continue;
      SCOPED_TRACE(::testing::PrintToString(std::pair(e.n, e.depth)));
      const auto x = numbers<T>(e.n * e.depth);
      const auto at = [&](auto l, auto i) { return x[static_cast<std::size_t>(l * e.n + i)]; };
      const auto [scaled, least, both] = f(fg::view(x.data(), {e.depth, e.n}));
      auto sums = folded<T>(e, 0, plus, [&](auto l, auto i, auto j) { return at(l, i) * at(l, j); });
      auto minima = folded<T>(
          e, 100, [](T a, T b) { return std::min(a, b); },
          [&](auto l, auto i, auto j) { return at(l, i) + at(l, j); });
      auto maxima = folded<T>(
          e, -100, [](T a, T b) { return std::max(a, b); },
          [&](auto l, auto i, auto j) { return at(l, i) + at(l, j); });
      for (std::size_t k = 0; k < sums.size(); ++k) {
        const auto n = static_cast<std::size_t>(e.n), i = k / n, j = k % n;
        maxima[k] += sums[k];
        sums[k] = sums[k] * 3 + 1;
        minima[k] -= static_cast<T>(i < j ? j - i : i - j);
      }
      EXPECT_EQ(scaled.to_vector(), sums);
      EXPECT_EQ(least.to_vector(), minima);
      EXPECT_EQ(both.to_vector(), maxima);
    }
  });
}
TEST(MirroredTiles, OwnProductsProperty) {
  own_products<float>();
  own_products<double>();
  own_products<int>();
}

// Rows of points; a batch; factors of few bits, of which one operation takes several.
TEST(MirroredTiles, RowsProperty) {
  const auto program = [](Mat<float> x, fg::Acc<float, 3> batch, Mat<std::int8_t> few) {
    const auto distances = fg::map(
        [=](Vec<float> a) {
          return fg::map([=](Vec<float> b) { return fg::sum((a - b) * (a - b)); }, fg::rows(x));
        },
        fg::rows(x));
    const auto apart = fg::map(
        [=](Vec<float> a) {
          return fg::map([=](Vec<float> b) { return fg::max(fg::abs(a - b)); }, fg::rows(x));
        },
        fg::rows(x));
    const auto each =
        fg::map([](Mat<float> u) { return fg::matmul(u, fg::transpose(u)); }, fg::slices(batch));
    const auto products = fg::generate({few.size(0), few.size(0)}, [=](Index i, Index j) {
      return fg::sum(fg::generate(
          few.size(1), [=](Index l) { return fg::cast<int>(few(i, l)) * fg::cast<int>(few(j, l)); }));
    });
    return std::tuple{distances, apart, each, products};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const Extents& e : all_extents) {
      if (!is_tried(f, e)) continue;
      SCOPED_TRACE(::testing::PrintToString(std::pair(e.n, e.depth)));
      const auto x = numbers<float>(e.n * e.depth), batch = numbers<float>(3 * e.n * e.depth);
      const auto few = numbers<std::int8_t>(e.n * e.depth);
      const auto at = [&](const auto& of, auto i, auto l) {
        return of[static_cast<std::size_t>(i * e.depth + l)];
      };
      const auto [distances, apart, each, products] =
          f(fg::view(x.data(), {e.n, e.depth}), fg::view(batch.data(), {3, e.n, e.depth}),
            fg::view(few.data(), {e.n, e.depth}));
      EXPECT_EQ(distances.to_vector(), folded<float>(e, 0, plus, [&](auto l, auto i, auto j) {
                  const float d = at(x, i, l) - at(x, j, l);
                  return d * d;
                }));
      EXPECT_EQ(
          apart.to_vector(),
          folded<float>(
              e, -std::numeric_limits<float>::infinity(), [](float a, float b) { return std::max(a, b); },
              [&](auto l, auto i, auto j) { return std::abs(at(x, i, l) - at(x, j, l)); }));
      std::vector<float> all;
      for (int b = 0; b < 3; ++b) {
        const auto one = folded<float>(e, 0, plus, [&](auto l, auto i, auto j) {
          return at(batch, b * e.n + i, l) * at(batch, b * e.n + j, l);
        });
        all.insert(all.end(), one.begin(), one.end());
      }
      EXPECT_EQ(each.to_vector(), all);
      EXPECT_EQ(products.to_vector(), folded<int>(e, 0, plus, [&](auto l, auto i, auto j) {
                  return at(few, i, l) * at(few, j, l);
                }));
    }
  });
}

// Sums of many points, whose parts are joined, have the same bits on both sides, and those of whole tiles.
TEST(MirroredTiles, LongSums) {
  const auto program = [](Mat<float> x) { return fg::matmul(fg::transpose(x), x); };
  std::vector<float> x;
  for (std::int64_t k = 0; k < 9001 * 70; ++k)
    x.push_back(static_cast<float>(k * 7919 % 1009) / 1009.f - 0.3f);
  const auto view = fg::view(x.data(), {9001, 70});
  const auto with = [&](const char* policy) {
    return fg::compile(program, {.engine = fg::Engine::cpu, .policy = policy})(view).to_vector();
  };
  const auto mirrored = with("mirror_depth=1"), whole = with("mirror_depth=1048576");
  EXPECT_EQ(mirrored, whole);
  for (std::size_t i = 0; i < 70; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(mirrored[i * 70 + j], mirrored[j * 70 + i]);
}

// A point above the diagonal fails before its mirror.
TEST(MirroredTiles, ReadsOutsideFail) {
  const auto program = [](Mat<int> x, Vec<fg::i64> at) {
    return fg::generate({at.size(), at.size()}, [=](Index i, Index j) {
      return fg::sum(fg::generate(x.size(1), [=](Index l) { return x(at[i], l) * x(at[j], l); }));
    });
  };
  const auto x = numbers<int>(40 * 150);
  std::vector<fg::i64> at;
  for (int i = 0; i < 90; ++i) at.push_back(i * 7 % 40);
  at[77] = 40;
  on_every_engine_and_policy(policies, program, [&](const auto& f) {
    try {
      f(fg::view(x.data(), {40, 150}), at);
      FAIL() << "nothing failed";
    } catch (const fg::IndexError& error) {
      EXPECT_NE(std::string(error.what()).find("index 40"), std::string::npos) << error.what();
    }
  });
}

}  // namespace
