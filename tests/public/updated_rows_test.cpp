// Blocks of matrices, and parts of vectors, that are replaced row by row: what all of a row knows of its
// places is not asked of points. Places beyond the edges, at all distances from them, are left out.
#include "operators.h"

namespace {

using Index = Exp<fg::i64>;

struct Block {
  fg::i64 first_row, first_column, rows, columns;
};
// Blocks of matrices of 40 x 75: as long as vectors, and one more or less.
constexpr Block blocks[] = {{0, 0, 40, 75},  {3, 7, 0, 5},    {3, 7, 5, 0},   {1, 1, 1, 1},
                            {2, 3, 7, 15},   {0, 5, 9, 16},   {39, 0, 1, 17}, {4, 58, 30, 17},
                            {7, 10, 13, 31}, {6, 43, 11, 32}, {5, 2, 23, 33}, {0, 1, 40, 74}};
constexpr fg::i64 all_rows = 40, all_columns = 75;

template <class T>
void check_blocks() {
  using Wide = std::conditional_t<std::is_integral_v<T>, fg::i64, T>;  // integers wrap
  const auto program = [](Mat<T> m, Index row, Index column, Mat<T> by) {
    const fg::Range rows{row, row + by.size(0)}, columns{column, column + by.size(1)};
    return fg::with(m, {rows, columns}, m.slice(rows, columns) * by + by);
  };
  on_every_engine(program, [](const auto& f) {
    const auto elements = values<T>(static_cast<std::size_t>(all_rows * all_columns));
    for (const Block& b : blocks) {
      const auto by = values<T>(static_cast<std::size_t>(b.rows * b.columns), 5);
      std::vector<T> expected = elements;
      for (fg::i64 i = 0; i < b.rows; ++i)
        for (fg::i64 j = 0; j < b.columns; ++j) {
          T& to = expected[static_cast<std::size_t>((b.first_row + i) * all_columns + b.first_column + j)];
          const T factor = by[static_cast<std::size_t>(i * b.columns + j)];
          to = static_cast<T>(static_cast<Wide>(to) * factor + factor);
        }
      const auto result = f(fg::Array<T, 2>(elements, {all_rows, all_columns}), b.first_row, b.first_column,
                            fg::Array<T, 2>(by, {b.rows, b.columns}));
      const std::vector<T> found = result.to_vector();
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_NEAR(static_cast<double>(found[k]), static_cast<double>(expected[k]),
                    1e-5 * std::abs(static_cast<double>(expected[k])))
            << b.rows << " x " << b.columns << " at " << k;
    }
  });
}

TEST(UpdatedRows, BlocksBesideLoops) {
  check_blocks<float>();
  check_blocks<double>();
  check_blocks<int>();
}

TEST(UpdatedRows, EliminationInALoop) {
  const auto program = [](Mat<double> m) {
    const auto n = m.size(0);
    return fg::iterate(
        fg::max(n - 1, 0),
        [&](Index k, Mat<double> u) {
          const fg::Range rest{k + 1, n}, pivot{k, k + 1};
          const Mat<double> scaled = u.slice(rest, pivot) / u(k, k);
          const Mat<double> block =
              u.slice(rest, rest) - fg::outer(fg::flatten(scaled), u[k].slice(k + 1, n));
          return fg::with(fg::with(u, {rest, rest}, block), {rest, pivot}, scaled);
        },
        m);
  };
  on_every_engine(program, [](const auto& f) {
    for (const fg::i64 n : {0, 1, 2, 9, 40}) {
      std::vector<double> expected(static_cast<std::size_t>(n * n));
      const auto at = [&](fg::i64 i, fg::i64 j) -> double& {
        return expected[static_cast<std::size_t>(i * n + j)];
      };
      for (fg::i64 i = 0; i < n; ++i)
        for (fg::i64 j = 0; j < n; ++j)
          at(i, j) = static_cast<double>((i * 7 + j * 3) % 11) + (i == j ? 50 : 0);
      const fg::Array<double, 2> m(expected, {n, n});
      for (fg::i64 k = 0; k + 1 < n; ++k)
        for (fg::i64 i = k + 1; i < n; ++i) {
          at(i, k) /= at(k, k);
          for (fg::i64 j = k + 1; j < n; ++j) at(i, j) -= at(i, k) * at(k, j);
        }
      const std::vector<double> found = f(m).to_vector();
      for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(found[k], expected[k], 1e-9) << n;
    }
  });
}

TEST(UpdatedRows, PlacesBeyondTheEdges) {
  const auto shifted = [](Vec<int> xs, Index shift, Vec<int> ys) {
    return fg::scatter(xs, fg::iota<fg::i64>(ys.size()) + shift, ys);
  };
  on_every_engine(shifted, [](const auto& f) {
    const std::vector<int> xs = values<int>(100);
    for (const fg::i64 n : {1, 15, 16, 17, 33, 100, 150})
      for (const fg::i64 shift : {-120, -100, -99, -31, -1, 0, 1, 68, 85, 99, 100, 200}) {
        const std::vector<int> ys = values<int>(static_cast<std::size_t>(n), 3);
        std::vector<int> expected = xs;
        for (fg::i64 k = 0; k < n; ++k)
          if (0 <= k + shift && k + shift < 100)
            expected[static_cast<std::size_t>(k + shift)] = ys[static_cast<std::size_t>(k)];
        EXPECT_EQ(f(xs, shift, ys).to_vector(), expected) << n << " " << shift;
      }
  });
  const auto placed = [](Mat<int> to, Index down, Index right, Mat<int> xs) {
    return fg::permute(fg::plus, to, [&](Index i, Index j) { return std::tuple{i + down, right - j}; }, xs);
  };
  on_every_engine(placed, [](const auto& f) {
    const std::vector<int> to = values<int>(20 * 40), xs = values<int>(10 * 33, 3);
    for (const fg::i64 down : {-10, -9, -1, 0, 10, 11, 20})
      for (const fg::i64 right : {-1, 0, 20, 32, 39, 40, 71, 72}) {
        std::vector<int> expected = to;
        for (fg::i64 i = 0; i < 10; ++i)
          for (fg::i64 j = 0; j < 33; ++j) {
            const fg::i64 row = i + down, column = right - j;
            if (row < 0 || 20 <= row || column < 0 || 40 <= column) continue;
            int& so_far = expected[static_cast<std::size_t>(row * 40 + column)];
            so_far = static_cast<int>(fg::i64{so_far} + xs[static_cast<std::size_t>(i * 33 + j)]);
          }
        const auto result = f(fg::Array<int, 2>(to, {20, 40}), down, right, fg::Array<int, 2>(xs, {10, 33}));
        EXPECT_EQ(result.to_vector(), expected) << down << " " << right;
      }
  });
}

// Loops in rows whose steps read and change elements at places that move by any distance: all inside, some
// outside, at either end.
TEST(UpdatedRows, StepsOfALoopProperty) {
  const auto program = [](Mat<int> m, Index first, Index by, Index from, Index steps) {
    return fg::map(
        [&](Vec<int> row) {
          return fg::iterate(
              steps,
              [&](Index k, Vec<int> x) {
                const Index at = first + by * k;
                return fg::with(fg::with(x, at, x[at] * 3 + x[from - k]), from - k, x[at] + 1);
              },
              row);
        },
        fg::rows(m));
  };
  constexpr fg::i64 columns = 23;
  on_every_engine(program, [](const auto& f) {
    const auto elements = values<int>(3 * columns);
    for (const fg::i64 first : {0, 1, 22, 23, -1})
      for (const fg::i64 by : {0, 1, 2, -1, -3})
        for (const fg::i64 from : {22, 5, 0, 23})
          for (const fg::i64 steps : {0, 1, 5, 8, 12, 24}) {
            std::vector<int> expected = elements;
            bool is_inside = true;
            for (fg::i64 row = 0; row < 3 && is_inside; ++row)
              for (fg::i64 k = 0; k < steps && is_inside; ++k) {
                const fg::i64 at = first + by * k, other = from - k;
                is_inside = 0 <= at && at < columns && 0 <= other && other < columns;
                if (!is_inside) break;
                int* x = expected.data() + row * columns;
                const int changed =
                    static_cast<int>(static_cast<unsigned>(x[at]) * 3 + static_cast<unsigned>(x[other]));
                const int next = static_cast<int>(static_cast<unsigned>(x[at]) + 1);
                x[at] = changed, x[other] = next;
              }
            SCOPED_TRACE(::testing::PrintToString(std::array{first, by, from, steps}));
            const fg::Array<int, 2> m(elements, {3, columns});
            if (is_inside)
              ASSERT_EQ(f(m, first, by, from, steps).to_vector(), expected);
            else
              ASSERT_THROW((void)f(m, first, by, from, steps), fg::IndexError);
          }
  });
}

// Rows that loops replace element by element, from either end, while they read what was there.
TEST(UpdatedRows, ElementsReadUntilTheyAreReplaced) {
  const auto of_row = [](Vec<int> row, Exp<int> seed) {
    const Index n = row.size();
    const auto above = row * 3 + seed;
    const auto forward = fg::iterate(
        fg::max(n - 1, 0), [&](Index k, Vec<int> u) { return fg::with(u, k + 1, above[k + 1] - 2 * u[k]); },
        fg::cond(n > 0, [&] { return fg::with(above, 0, above[0] + 1); }, [&] { return above; }));
    const auto below = row - seed;
    const auto backward = fg::iterate(
        n, [&](Index k, Vec<int> u) { return fg::with(u, n - 1 - k, below[n - 1 - k] + u[n - 1]); }, below);
    const auto twice = row * 2;
    const auto later = fg::iterate(
        fg::max(n / 2 - 1, 0),
        [&](Index k, Vec<int> u) { return fg::with(u, 2 * k + 2, twice[2 * k + 2] - u[2 * k]); },
        fg::cond(n > 1, [&] { return fg::with(fg::with(twice, 1, 7), 0, twice[1]); }, [&] { return twice; }));
    return forward + 5 * backward - later;
  };
  const auto program = [&](Mat<int> m, Vec<int> seeds) { return fg::map(of_row, fg::rows(m), seeds); };
  on_every_engine(program, [](const auto& f) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 0}, {5, 2}, {33, 3}, {40, 17}, {150, 64}}) {
      const auto n = static_cast<std::size_t>(columns);
      const auto elements = integers<int>(static_cast<std::size_t>(rows) * n, -50, 50);
      const auto seeds = integers<int>(static_cast<std::size_t>(rows), 0, 9);
      std::vector<int> expected;
      for (std::size_t i = 0; i < seeds.size(); ++i) {
        std::vector<int> forward, backward, later;
        for (std::size_t k = 0; k < n; ++k) {
          const int x = elements[i * n + k];
          forward.push_back(x * 3 + seeds[i]), backward.push_back(x - seeds[i]), later.push_back(x * 2);
        }
        if (n > 0) forward[0] += 1;
        for (std::size_t k = 0; k + 1 < n; ++k)
          forward[k + 1] =
              static_cast<int>(static_cast<unsigned>(forward[k + 1]) - 2 * static_cast<unsigned>(forward[k]));
        for (std::size_t k = n; k-- > 0;) backward[k] += backward[n - 1];
        if (n > 1) later[0] = later[1], later[1] = 7;
        for (std::size_t k = 0; k + 1 < n / 2; ++k) later[2 * k + 2] -= later[2 * k];
        for (std::size_t k = 0; k < n; ++k)
          expected.push_back(static_cast<int>(static_cast<unsigned>(forward[k]) +
                                              5 * static_cast<unsigned>(backward[k]) -
                                              static_cast<unsigned>(later[k])));
      }
      EXPECT_EQ(f(fg::Array<int, 2>(elements, {rows, columns}), seeds).to_vector(), expected)
          << rows << " x " << columns;
    }
  });
}

}  // namespace
