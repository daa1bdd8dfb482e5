// Loops whose steps make a matrix anew, of which parts change where they lie: eliminations, shortest paths
// with the way that they take, rows that are replaced. Against sequential loops, with small matrices that are
// changed in place and with such that are not, and where the first step changes the number of columns.
#include "operators.h"
#include "policies.h"
#include "solvers.h"

#include <algorithm>

namespace {

using Index = Exp<fg::i64>;
using fg::i64;

const char* const policies[] = {
    "", "in_place_part=0 in_place_whole=0",
    "in_place_part=0 in_place_whole=0 cheap_tile=64 moderate_tile=64 far_tile=64"};
const char* const of_blocks[] = {"", "block_in_place_part=0 block_in_place_whole=0"};
constexpr i64 sizes[] = {0, 1, 2, 9, 40, 70};

/// A matrix of rows of equal lengths.
template <class T>
struct Rows {
  i64 n, width;
  std::vector<T> elements;

  T& operator()(i64 i, i64 j) { return elements[static_cast<std::size_t>(i * width + j)]; }
  fg::Array<T, 2> array() const { return fg::Array<T, 2>(elements, {n, width}); }
};
template <class T>
Rows<T> rows(i64 n, i64 width) {
  Rows<T> made{n, width, std::vector<T>(static_cast<std::size_t>(n * width))};
  for (i64 i = 0; i < n; ++i)
    for (i64 j = 0; j < width; ++j) made(i, j) = static_cast<T>((i * 7 + j * 3) % 11 + (i == j ? 50 : 1));
  return made;
}

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    ASSERT_NEAR(static_cast<double>(found[k]), static_cast<double>(expected[k]),
                1e-5 * std::max(1., std::abs(static_cast<double>(expected[k]))))
        << "at " << k;
}

TEST(InPlaceSteps, EliminationProperty) {
  on_every_engine_and_policy(
      policies, bench::factored,
      [](const auto& f) {
        for (const i64 n : sizes)
          for (const i64 more : {0, 3}) {
            const Rows<float> m = rows<float>(n, n + more);
            Rows<float> expected = rows<float>(n, n);
            for (i64 k = 0; k + 1 < n; ++k)
              for (i64 i = k + 1; i < n; ++i) {
                expected(i, k) /= expected(k, k);
                for (i64 j = k + 1; j < n; ++j) expected(i, j) -= expected(i, k) * expected(k, j);
              }
            // No step cuts the columns off where there is none.
            if (n == 1 && more > 0) continue;
            expect_near(f(m.array()).to_vector(), expected.elements);
            expect_near(m.elements, rows<float>(n, n + more).elements);
          }
      },
      of_blocks);
}

TEST(InPlaceSteps, ShortestPathsAndTheirWaysProperty) {
  const auto program = [](Mat<int> distances, Mat<i64> ways) {
    const auto n = distances.size(0);
    return fg::iterate(
        n,
        [&](Index k, Mat<int> d, Mat<i64> via) {
          return fg::unzip(fg::generate({n, n}, [&](Index i, Index j) {
            const Exp<int> through = d(i, k) + d(k, j);
            const Exp<bool> is_shorter = through < d(i, j);
            return std::tuple{fg::select(is_shorter, through, d(i, j)),
                              fg::select(is_shorter, via(i, k), via(i, j))};
          }));
        },
        distances, ways);
  };
  on_every_engine_and_policy(
      policies, program,
      [](const auto& f) {
        for (const i64 n : sizes) {
          Rows<int> d{n, n, values<int>(static_cast<std::size_t>(n * n))};
          for (int& each : d.elements) each = std::abs(each) % 100 + 1;
          Rows<i64> via{n, n, std::vector<i64>(static_cast<std::size_t>(n * n))};
          for (i64 i = 0; i < n; ++i)
            for (i64 j = 0; j < n; ++j) via(i, j) = j;
          const auto [found, ways] = f(d.array(), via.array());
          for (i64 k = 0; k < n; ++k) {
            Rows<int> was = d;
            Rows<i64> went = via;
            for (i64 i = 0; i < n; ++i)
              for (i64 j = 0; j < n; ++j) {
                const int through = was(i, k) + was(k, j);
                if (through >= was(i, j)) continue;
                d(i, j) = through;
                via(i, j) = went(i, k);
              }
          }
          EXPECT_EQ(found.to_vector(), d.elements);
          EXPECT_EQ(ways.to_vector(), via.elements);
        }
      },
      of_blocks);
}

TEST(InPlaceSteps, RowsFromOthersProperty) {
  // Row k becomes what the row before it, a column and a corner say; `last` may be any number.
  const auto program = [](Mat<i64> m, Index last) {
    const auto n = m.size(0), width = m.size(1);
    return fg::iterate(
        n,
        [&](Index k, Mat<i64> u) {
          return fg::generate({n, width}, [&](Index i, Index j) {
            const Index before = fg::max(k - 1, 0);
            return fg::select(i == k && j < last, u(i, j) * 2 + u(before, j) + u(i, 0) - u(0, 0), u(i, j));
          });
        },
        m);
  };
  on_every_engine_and_policy(
      policies, program,
      [](const auto& f) {
        for (const i64 n : {0, 1, 5, 33})
          for (const i64 width : {1, 4, 70})
            for (const i64 last : {std::numeric_limits<i64>::min(), i64{-1}, i64{0}, i64{3}, i64{70},
                                   std::numeric_limits<i64>::max()}) {
              Rows<i64> expected = rows<i64>(n, width);
              const fg::Array<i64, 2> m = expected.array();
              for (i64 k = 0; k < n; ++k) {
                Rows<i64> was = expected;
                for (i64 j = 0; j < std::min(width, last); ++j) {
                  const auto wide = [](i64 x) { return static_cast<std::uint64_t>(x); };
                  expected(k, j) =
                      static_cast<i64>(wide(was(k, j)) * 2 + wide(was(std::max<i64>(k - 1, 0), j)) +
                                       wide(was(k, 0)) - wide(was(0, 0)));
                }
              }
              EXPECT_EQ(f(m, last).to_vector(), expected.elements) << n << " x " << width << " to " << last;
            }
      },
      of_blocks);
}

}  // namespace
