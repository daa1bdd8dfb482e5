// Rows of matrices that a map sorts: on CPUs by networks of comparisons where they are many and short
// (soac/sort_network.h). Against stable sorts in plain C++, and against the interpreter.
#include "engines.h"
#include "every_type.h"
#include "some_values.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace {

using fg::i64, fg::u32;
using Ints = std::vector<int>;

template <class T>
std::vector<i64> stable_order(const T* row, i64 n) {
  std::vector<i64> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](i64 a, i64 b) { return precedes(row[a], row[b]); });
  return order;
}

template <class T>
void check_sorted_rows() {
  const auto sorted = [](Mat<T> m) {
    return fg::map([](Vec<T> row) { return std::tuple{fg::sort(row), fg::argsort(row)}; }, fg::rows(m));
  };
  on_every_engine(sorted, [](const auto& f) {
    for (const auto& [h, w] : std::vector<std::pair<i64, i64>>{
             {40, 0}, {40, 1}, {40, 2}, {37, 3}, {33, 7}, {64, 9}, {35, 16}, {65, 17}, {32, 33}, {40, 100}}) {
      const std::vector<T> x = some<T>(static_cast<int>(h * w));
      const auto [values, places] = f(fg::Array<T, 2>(x, {h, w}));
      for (i64 i = 0; i < h; ++i) {
        const std::vector<i64> order = stable_order(x.data() + i * w, w);
        for (i64 j = 0; j < w; ++j) {
          const i64 at = order[static_cast<std::size_t>(j)];
          ASSERT_EQ(places(i, j), at) << i << ", " << j << " of " << h << " rows of " << w;
          const T given = x[static_cast<std::size_t>(i * w + at)], found = values(i, j);
          ASSERT_EQ(std::memcmp(&given, &found, sizeof given), 0);
        }
      }
    }
  });
}

TEST(RowNetworks, OfEveryNumber) {
  for_every_number([]<class T>() { check_sorted_rows<T>(); });
}

// Which NaN stands where is seen by its bits.
TEST(RowNetworks, KeepTheOrderOfEqualKeys) {
  const auto of_bits = [](Mat<u32> m) {
    return fg::map(
        [](Vec<u32> row) {
          const Vec<float> sorted = fg::sort(fg::map([](Exp<u32> e) { return fg::bitcast<float>(e); }, row));
          return fg::map([](Exp<float> e) { return fg::bitcast<u32>(e); }, sorted);
        },
        fg::rows(m));
  };
  std::vector<u32> bits(70 * 20);
  for (std::size_t k = 0; k < bits.size(); ++k)
    bits[k] = k % 3 == 0 ? 0x7fc00000u + static_cast<u32>(k * 7 % 50) : static_cast<u32>(k * 2654435761u);
  const fg::Array<u32, 2> m(bits, {70, 20});
  const auto expected = vector_of(fg::compile(of_bits, {.engine = fg::Engine::interpreter})(m));
  on_every_engine(of_bits, [&](const auto& f) { EXPECT_EQ(vector_of(f(m)), expected); });
}

fg::Array<int, 2> matrix(i64 h, i64 w) {
  Ints x(static_cast<std::size_t>(h * w));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<int>(k * 7919 % 101);
  return {x, {h, w}};
}

/// The program of a matrix gives what the interpreter does, for rows that networks sort and for others.
template <class F>
void as_interpreted(F program) {
  const auto interpreted = fg::compile(program, {.engine = fg::Engine::interpreter});
  on_every_engine(program, [&](const auto& f) {
    for (const auto& [h, w] :
         std::vector<std::pair<i64, i64>>{{0, 4}, {3, 9}, {70, 1}, {70, 12}, {65, 33}, {34, 300}}) {
      const fg::Array<int, 2> m = matrix(h, w);
      ASSERT_EQ(vector_of(f(m)), vector_of(interpreted(m))) << h << " rows of " << w;
    }
  });
}
template <class F>
void on_rows(F of_row) {
  as_interpreted([of_row](Mat<int> m) { return fg::map(of_row, fg::rows(m)); });
}

Exp<int> digest(Vec<int> v) {
  return fg::sum(v * (fg::iota<int>(v.size()) + 1));
}

TEST(RowNetworks, BesideWhatElseAPointDoes) {
  on_rows([](Vec<int> row) { return fg::sort(row)[row.size() / 2]; });
  on_rows([](Vec<int> row) { return digest(fg::sort([](Exp<int> a, Exp<int> b) { return a > b; }, row)); });
  on_rows([](Vec<int> row) { return fg::sort(fg::map([](Exp<int> e) { return e * e % 31 - 9; }, row)); });
  on_rows([](Vec<int> row) { return fg::cast<int>(fg::unique(row).size()) + fg::unique(row)[0]; });
  on_rows([](Vec<int> row) { return digest(fg::drop(fg::sort(row), row.size() / 3)); });
  on_rows([](Vec<int> row) { return digest(fg::cast<int>(fg::argsort(fg::argsort(row)))); });
  on_rows([](Vec<int> row) { return digest(fg::take(fg::sort(row), fg::cast<i64>(row[0]) % row.size())); });
  on_rows([](Vec<int> row) {
    const auto by_last_digit = [](Exp<int> a, Exp<int> b) { return a % 10 < b % 10; };
    const auto sorted = fg::sort_by_key(by_last_digit, row, fg::reverse(row));
    return digest(std::get<0>(sorted)) + digest(std::get<1>(sorted)) * 3;
  });
}

TEST(RowNetworks, SeveralSortsOfAPoint) {
  on_rows([](Vec<int> row) {
    return digest(fg::sort(row)) + digest(fg::sort(fg::concat(row, fg::sort(row * 2))));
  });
  on_rows([](Vec<int> row) {
    const Vec<int> step = fg::iterate(3, [](Vec<int> v) { return fg::sort(v * 5 % 17); }, row);
    return digest(step);
  });
  on_rows([](Vec<int> row) {
    return fg::cond(row[0] > 50, [&] { return digest(fg::sort(row)); }, [&] { return digest(row); });
  });
  on_rows([](Vec<int> row) {
    const Vec<int> sorted = fg::sort(row);
    return fg::iterate(
        3, [&](Exp<i64> k, Vec<int> v) { return fg::with(v, k % v.size(), sorted[k % v.size()]); }, row);
  });
}

TEST(RowNetworks, OfMapsOfSeveralAxesAndInLoops) {
  as_interpreted([](Mat<int> m) {
    return fg::generate({m.size(0), 2}, [&](Exp<i64> i, Exp<i64> k) {
      const Vec<int> row = fg::generate(m.size(1), [&](Exp<i64> j) { return m(i, j); });
      return digest(fg::sort(row * fg::cast<int>(k + 1) % 13));
    });
  });
  as_interpreted([](Mat<int> m) {
    return fg::iterate(
        2, [](Mat<int> s) { return fg::map([](Vec<int> r) { return fg::sort(r * 3 % 50); }, fg::rows(s)); },
        m);
  });
  as_interpreted([](Mat<int> m) { return fg::map([](Vec<int> c) { return fg::sort(c); }, fg::columns(m)); });
}

TEST(RowNetworks, RowsThatFail) {
  const auto inverted = [](Mat<int> m) {
    return fg::map([](Vec<int> row) { return digest(fg::sort(100 / row)); }, fg::rows(m));
  };
  on_every_engine(inverted, [](const auto& f) {
    fg::Array<int, 2> m = matrix(70, 12);
    EXPECT_THROW(f(m), fg::ArithmeticError);
  });
}

}  // namespace
