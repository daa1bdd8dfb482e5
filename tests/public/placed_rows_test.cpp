// Sums of rows, and products, that replace a part of an array: what stores them is what maps of them have,
// but the array may be read where it lies.
#include "lines.h"
#include "policies.h"

namespace {

using lines::Shape;
using Index = std::int64_t;

// Where tiles are small, all of their ends are met.
const char* const policies[] = {
    "",
    ("tile_least_rows=1 tile_least_depth=1 tile_rows=3 tile_chained_rows_16_registers=3 "
     "tile_task_rows=5 tile_task_columns=64 tile_depth=7 fold_chain=3"),
    "tile_least_rows=1 tile_least_depth=1 tile_depth=1 fold_chain=2"};

struct Extents {
  Index rows, columns, depth, first;
};
constexpr Extents all_extents[] = {{0, 8, 8, 0},     {8, 8, 0, 2},    {1, 1, 1, 0},    {5, 17, 9, 3},
                                   {13, 33, 16, 1},  {67, 35, 33, 0}, {7, 130, 70, 5}, {64, 64, 64, 11},
                                   {300, 20, 18, 2}, {4, 16, 515, 1}};

std::vector<float> values(Index n, int seed) {
  std::vector<float> x(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>((i * 7 + seed) % 13 - 6);
  return x;
}
std::size_t at(Index number) {
  return static_cast<std::size_t>(number);
}

TEST(PlacedRows, BlocksLessProducts) {
  const auto program = [](Mat<float> x, Mat<float> a, Mat<float> b, Exp<fg::i64> first) {
    const fg::Range rows{first, first + a.size(0)}, columns{first, first + b.size(1)};
    return fg::iterate(
        3,
        [&](Exp<fg::i64>, Mat<float> u) {
          return fg::with(u, {rows, columns}, u.slice(rows, columns) - fg::matmul(a, b));
        },
        x);
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const Extents& e : all_extents) {
      SCOPED_TRACE(::testing::PrintToString(std::array{e.rows, e.columns, e.depth, e.first}));
      const Index n = e.rows + e.first + 2, m = e.columns + e.first + 3;
      const std::vector<float> x = values(n * m, 1), a = values(e.rows * e.depth, 2),
                               b = values(e.depth * e.columns, 3);
      std::vector<float> wanted = x;
      for (Index i = 0; i < e.rows; ++i)
        for (Index j = 0; j < e.columns; ++j)
          for (Index l = 0; l < e.depth; ++l)
            wanted[at((e.first + i) * m + e.first + j)] -=
                3 * a[at(i * e.depth + l)] * b[at(l * e.columns + j)];
      const auto y = f(fg::Array<float, 2>(x, {n, m}), fg::Array<float, 2>(a, {e.rows, e.depth}),
                       fg::Array<float, 2>(b, {e.depth, e.columns}), e.first);
      EXPECT_EQ(y.to_vector(), wanted);
    }
  });
}

TEST(PlacedRows, SumsOfColumnsAndOfRows) {
  const auto program = [](Vec<float> x, Mat<float> a) {
    return fg::iterate(
        2,
        [&](Exp<fg::i64> k, Vec<float> u) {
          const Vec<float> down = fg::sum(a, fg::axis(0)), across = fg::sum(a, fg::axis(1));
          const Vec<float> v = fg::with(u, fg::Range{k, k + a.size(1)}, down + u.slice(k, k + a.size(1)));
          return fg::with(v, fg::Range{k + 1, k + 1 + a.size(0)}, 2.0F * across);
        },
        x);
  };
  const char* const of_sums[] = {"", "fold_rows=2 fold_least_columns=1 fold_chain=2 fold_block=64",
                                 "few_rows=1000 long_row_tiles=1"};
  on_every_engine_and_policy(of_sums, program, [](const auto& f) {
    for (const auto& [rows, columns] : {std::pair<Index, Index>{0, 3},
                                        {3, 0},
                                        {1, 1},
                                        {5, 70},
                                        {70, 5},
                                        {130, 131},
                                        {3, 40000},
                                        {2000, 17}}) {
      SCOPED_TRACE(::testing::PrintToString(std::pair(rows, columns)));
      const std::vector<float> a = values(rows * columns, 4);
      std::vector<float> wanted = values(rows + columns + 4, 5);
      const auto y = f(wanted, fg::Array<float, 2>(a, {rows, columns}));
      std::vector<float> down(at(columns)), across(at(rows));
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j) {
          down[at(j)] += a[at(i * columns + j)];
          across[at(i)] += a[at(i * columns + j)];
        }
      for (Index k = 0; k < 2; ++k) {
        for (Index j = 0; j < columns; ++j) wanted[at(k + j)] += down[at(j)];
        for (Index i = 0; i < rows; ++i) wanted[at(k + 1 + i)] = 2 * across[at(i)];
      }
      EXPECT_EQ(y.to_vector(), wanted);
    }
  });
}

/// Elements of one colour become what their neighbours hold, which the update does not replace.
TEST(PlacedRows, ColoursAndBlocksInTurn) {
  const auto program = [](Vec<int> x) {
    const Exp<fg::i64> n = x.size() / 2 - 1;
    return fg::iterate(
        4,
        [&](Exp<fg::i64> k, Vec<int> u) {
          const Vec<int> v =
              fg::with(u, fg::Range{1, 1 + 2 * n, 2}, u.slice(0, 2 * n, 2) + u.slice(2, 2 + 2 * n, 2));
          const Vec<int> w =
              fg::with(v, fg::Range{0, 2 * n, 2}, v.slice(1, 1 + 2 * n, 2) - u.slice(0, 2 * n, 2));
          return fg::with(w, fg::Range{0, n}, w.slice(n, n + n) ^ fg::cast<int>(k));
        },
        x);
  };
  on_every_engine(program, [](const auto& f) {
    for (const Index size : {2, 3, 4, 7, 16, 33, 64, 130, 1001, 70000}) {
      SCOPED_TRACE(size);
      const Index n = size / 2 - 1;
      std::vector<int> wanted(at(size));
      for (Index i = 0; i < size; ++i) wanted[at(i)] = static_cast<int>(i * 31 % 101);
      const auto y = f(wanted);
      for (int k = 0; k < 4; ++k) {
        const std::vector<int> u = wanted;
        for (Index i = 0; i < n; ++i) wanted[at(2 * i + 1)] = u[at(2 * i)] + u[at(2 * i + 2)];
        for (Index i = 0; i < n; ++i) wanted[at(2 * i)] = wanted[at(2 * i + 1)] - u[at(2 * i)];
        const std::vector<int> w = wanted;
        for (Index i = 0; i < n; ++i) wanted[at(i)] = w[at(n + i)] ^ k;
      }
      EXPECT_EQ(y.to_vector(), wanted);
    }
  });
}

}  // namespace
