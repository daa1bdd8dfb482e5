// Rows of ragged arrays sorted by themselves, whole or for their first elements, against stable sorts in
// plain C++: rows of no, one, two and many elements, of every type of element.
#include "engines.h"
#include "every_type.h"
#include "some_values.h"

#include <random>

namespace {

using fg::i64, fg::Ragged, fg::RaggedArray;
template <class T>
using Rows = std::vector<std::vector<T>>;

template <class T>
Rows<T> rows_of(const std::vector<int>& lengths) {
  int n = 0;
  for (int length : lengths) n += length;
  const std::vector<T> all = some<T>(n);
  Rows<T> rows;
  auto at = all.begin();
  for (int length : lengths) rows.emplace_back(at, at + length), at += length;
  return rows;
}

// None; empty ones first and last; many short ones; a long one among short ones; only long ones.
std::vector<std::vector<int>> all_lengths() {
  std::vector<std::vector<int>> all{{}, {0}, {1}, {2}, {0, 0, 2, 1, 0, 3, 0}, {40, 2, 0, 77}};
  std::mt19937 random(3);
  all.emplace_back();
  for (int i = 0; i < 3000; ++i) all.back().push_back(static_cast<int>(random() % 9));
  all.push_back(std::vector<int>(700, 2));
  all.back()[350] = 20000;
  all.push_back({9000, 8500, 10000});
  return all;
}

// In descending order: NaN first, and 0 equal to -0.
template <class T>
bool comes_after(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  return a > b;
}
template <class T>
bool same_bits(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  return a == b;
}
template <class T>
void expect_equal_rows(const Rows<T>& given, const Rows<T>& expected) {
  ASSERT_EQ(given.size(), expected.size());
  for (std::size_t r = 0; r < given.size(); ++r) {
    ASSERT_EQ(given[r].size(), expected[r].size()) << r;
    for (std::size_t k = 0; k < given[r].size(); ++k)
      ASSERT_TRUE(same_bits<T>(given[r][k], expected[r][k])) << k << " of row " << r;
  }
}

template <class T>
void check_rows() {
  const auto program = [](Ragged<T> r) {
    const auto greater = [](Exp<T> a, Exp<T> b) { return a > b; };
    return std::tuple{fg::sort(r), fg::sort(greater, r)};
  };
  on_every_engine(program, [](const auto& f) {
    for (const std::vector<int>& lengths : all_lengths()) {
      SCOPED_TRACE(std::to_string(lengths.size()) + " rows");
      Rows<T> ascending = rows_of<T>(lengths), descending = ascending;
      const auto [up, down] = f(RaggedArray<T>(ascending));
      for (auto& row : ascending) std::ranges::stable_sort(row, precedes<T>);
      for (auto& row : descending) std::ranges::stable_sort(row, comes_after<T>);
      expect_equal_rows<T>(up.to_vectors(), ascending);
      expect_equal_rows<T>(down.to_vectors(), descending);
    }
  });
}
TEST(RaggedSort, EveryNumber) {
  for_every_number([]<class T>() { check_rows<T>(); });
}

// By both components; by one, the elements with equal ones in their order; by a comparison without a key.
TEST(RaggedSort, Pairs) {
  using Pair = std::tuple<int, i64>;
  const auto program = [](Ragged<Pair> r) {
    const auto first = [](Exp<Pair> a, Exp<Pair> b) { return fg::get<0>(a) < fg::get<0>(b); };
    const auto nearest = [](Exp<Pair> a, Exp<Pair> b) {
      const auto x = fg::get<0>(a), y = fg::get<0>(b);
      return x % 2 < y % 2 || (x % 2 == y % 2 && x > y);
    };
    return std::tuple{fg::sort(r), fg::sort(first, r), fg::sort(nearest, r)};
  };
  on_every_engine(program, [](const auto& f) {
    for (const std::vector<int>& lengths : all_lengths()) {
      Rows<Pair> rows;
      i64 number = 0;
      for (const auto& row : rows_of<int>(lengths)) {
        rows.emplace_back();
        for (int x : row) rows.back().emplace_back(std::abs(x % 1000), -number++);
      }
      const auto [by_both, by_first, by_comparison] = f(RaggedArray<Pair>(rows));
      const auto sorted = [&](auto less) {
        Rows<Pair> all = rows;
        for (auto& row : all) std::ranges::stable_sort(row, less);
        return all;
      };
      EXPECT_EQ(by_both.to_vectors(), sorted(std::less<>()));
      EXPECT_EQ(by_first.to_vectors(),
                sorted([](const Pair& a, const Pair& b) { return std::get<0>(a) < std::get<0>(b); }));
      EXPECT_EQ(by_comparison.to_vectors(), sorted([](const Pair& a, const Pair& b) {
                  const int x = std::get<0>(a), y = std::get<0>(b);
                  return x % 2 < y % 2 || (x % 2 == y % 2 && x > y);
                }));
    }
  });
}

TEST(RaggedSort, IsExplained) {
  const auto sorted = fg::compile([](Ragged<int> r) { return fg::sort(r).values(); });
  EXPECT_NE(fg::explanation(sorted).find("sort rows"), std::string::npos) << fg::explanation(sorted);
}

// The first three elements of each row, as far as it has so many, which reductions find.
template <class T>
void check_first_three() {
  const auto program = [](Ragged<T> r) {
    const auto three_of = [](const auto& rows) {
      return fg::map([](Vec<T> row) { return fg::Row(fg::take(row, fg::min(row.size(), 3))); },
                     fg::rows(rows));
    };
    const auto greater = [](Exp<T> a, Exp<T> b) { return a > b; };
    const auto least = fg::map(
        [](Vec<T> row) {
          return fg::cond(0 < row.size(), [&] { return row[0]; }, [] { return Exp<T>(T{77}); });
        },
        fg::rows(fg::sort(r)));
    return std::tuple{three_of(fg::sort(r)), three_of(fg::sort(greater, r)), least};
  };
  on_every_engine(program, [](const auto& f) {
    for (const std::vector<int>& lengths : all_lengths()) {
      SCOPED_TRACE(std::to_string(lengths.size()) + " rows");
      Rows<T> ascending = rows_of<T>(lengths), descending = ascending;
      const auto [up, down, least] = f(RaggedArray<T>(ascending));
      for (std::size_t r = 0; r < ascending.size(); ++r) {
        std::ranges::stable_sort(ascending[r], precedes<T>);
        std::ranges::stable_sort(descending[r], comes_after<T>);
        ASSERT_TRUE(same_bits<T>(least[static_cast<i64>(r)], ascending[r].empty() ? T{77} : ascending[r][0]));
        if (ascending[r].size() > 3) ascending[r].resize(3), descending[r].resize(3);
      }
      expect_equal_rows<T>(up.to_vectors(), ascending);
      expect_equal_rows<T>(down.to_vectors(), descending);
    }
  });
}
TEST(RaggedSort, FirstThreeOfEveryNumber) {
  for_every_number([]<class T>() { check_first_three<T>(); });
}

}  // namespace
