// Combinators inside functions given to map and iterate: every row scanned, filtered, scattered, updated by
// itself, with arrays of outer scopes in reach.
#include "operators.h"

namespace {

using Ints = std::vector<int>;
const fg::Array<int, 2> m({1, 2, 3, 4, 6, 5, 7, 9, 8}, {3, 3});

template <class F>
void check_rows(F f, const Ints& expected) {
  on_every_engine(
      [f](Mat<int> a, Vec<int> x) { return fg::map([&](Vec<int> row) { return f(row, x); }, fg::rows(a)); },
      [&](const auto& g) { EXPECT_EQ(vector_of(g(m, Ints{2, 0, 1})), expected); });
}

TEST(InnerCombinators, Scans) {
  check_rows([](Vec<int> row, Vec<int>) { return fg::scan(fg::plus, 0, row); },
             {1, 3, 6, 4, 10, 15, 7, 16, 24});
  check_rows([](Vec<int> row, Vec<int>) { return fg::exclusive_scan(fg::plus, row[0], row); },
             {1, 2, 4, 4, 8, 14, 7, 14, 23});
  check_rows([](Vec<int> row, Vec<int>) { return fg::scan_right(fg::max, row); },
             {3, 3, 3, 6, 6, 5, 9, 9, 8});
  check_rows(
      [](Vec<int> row, Vec<int>) {
        auto [before, total] = fg::scan_with_total(fg::plus, 0, row);
        return before * 100 + total;
      },
      {6, 106, 306, 15, 415, 1015, 24, 724, 1624});
  check_rows([](Vec<int> row, Vec<int>) { return fg::max(fg::scan(fg::plus, 0, row) - row); }, {3, 10, 16});
}

TEST(InnerCombinators, Segments) {
  check_rows(
      [](Vec<int> row, Vec<int> x) {
        return fg::segmented_scan(fg::plus, 0, fg::flags(fg::gather(row, x) == row), row);
      },
      {1, 3, 6, 4, 10, 15, 7, 16, 24});
  check_rows([](Vec<int> row, Vec<int>) { return fg::segmented_reduce(fg::plus, 0, fg::regular(3), row); },
             {6, 15, 24});
  check_rows([](Vec<int> row, Vec<int> x) { return fg::segmented_reduce(fg::plus, 0, fg::lengths(x), row); },
             {3, 0, 3, 10, 0, 5, 16, 0, 8});
}

TEST(InnerCombinators, Filters) {
  check_rows(
      [](Vec<int> row, Vec<int>) { return fg::sum(fg::filter([](Exp<int> e) { return e % 2 == 0; }, row)); },
      {2, 10, 8});
  check_rows(
      [](Vec<int> row, Vec<int>) {
        auto [small, large] = fg::partition([&](Exp<int> e) { return e < row[1]; }, row);
        return fg::sum(small) * 100 + fg::cast<int>(large.size());
      },
      {102, 901, 1501});
}

TEST(InnerCombinators, GathersAndScatters) {
  check_rows([](Vec<int> row, Vec<int> x) { return fg::gather(row, x); }, {3, 1, 2, 5, 4, 6, 8, 7, 9});
  check_rows([](Vec<int> row, Vec<int> x) { return fg::scatter(x, x, row); }, {2, 3, 1, 6, 5, 4, 9, 8, 7});
  check_rows(
      [](Vec<int> row, Vec<int>) { return fg::histogram(fg::plus, 0, 2, row % 2, fg::replicate(3, 1)); },
      {1, 2, 2, 1, 1, 2});
  check_rows([](Vec<int> row,
                Vec<int> x) { return fg::permute(fg::max, x, [](Exp<fg::i64> i) { return i / 2; }, row); },
             {2, 3, 1, 6, 5, 1, 9, 8, 1});
  check_rows([](Vec<int> row, Vec<int> x) { return fg::with(row, x[1], -1); },
             {-1, 2, 3, -1, 6, 5, -1, 9, 8});
  check_rows([](Vec<int> row, Vec<int> x) { return fg::with(row, fg::Range{1, 3}, x.slice(0, 2)); },
             {1, 2, 0, 4, 2, 0, 7, 2, 0});
}

TEST(InnerCombinators, InLoops) {
  on_every_engine(
      [](Vec<int> x, Exp<int> times) {
        return fg::iterate(
            times,
            [](Vec<int> v) {
              auto positive = fg::filter([](Exp<int> e) { return e > 0; }, v);
              return fg::scan(fg::plus, 0, fg::with(v, 0, fg::sum(positive)));
            },
            x);
      },
      [](const auto& f) {
        EXPECT_EQ(vector_of(f(Ints{1, -2, 3}, 0)), (Ints{1, -2, 3}));
        EXPECT_EQ(vector_of(f(Ints{1, -2, 3}, 1)), (Ints{4, 2, 5}));
        EXPECT_EQ(vector_of(f(Ints{1, -2, 3}, 2)), (Ints{11, 13, 18}));
      });
  // The size of the state shrinks: survivors of repeated filters.
  on_every_engine(
      [](Vec<int> x) {
        return fg::while_loop([](Vec<int> v) { return v.size() > 2; },
                              [](Vec<int> v) { return fg::filter([&](Exp<int> e) { return e > v[0]; }, v); },
                              x);
      },
      [](const auto& f) {
        EXPECT_EQ(vector_of(f(Ints{1, 5, 2, 9, 7, 8, 3})), Ints());
        EXPECT_EQ(vector_of(f(Ints{1, 5, 1, 9})), (Ints{5, 9}));
        EXPECT_EQ(vector_of(f(Ints{4})), Ints{4});
      });
}

// Rows that are longer than what is sorted by counting: runs are merged, of which the last has no other, so
// that the search in that begins at the row's end, where nothing may be read.
TEST(InnerCombinators, SortsLongRowsByMerging) {
  const auto even_ones_first = [](auto a, auto b) {
    return ((a & 1) < (b & 1)) || ((a & 1) == (b & 1) && a < b);
  };
  const auto program = [=](Mat<int> table) {
    const auto less = [=](Exp<int> a, Exp<int> b) { return even_ones_first(a, b); };
    return fg::map([=](Vec<int> row) { return fg::sort(less, row); }, fg::rows(table));
  };
  on_every_engine(program, [=](const auto& f) {
    for (const int columns : {33, 65, 130}) {
      std::vector<int> x(static_cast<std::size_t>(3 * columns));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7919 % 101);
      auto expected = x;
      for (auto row = expected.begin(); row != expected.end(); row += columns)
        std::sort(row, row + columns, even_ones_first);
      EXPECT_EQ(f(fg::Array<int, 2>(x, {3, columns})).to_vector(), expected) << columns;
    }
  });
}

}  // namespace
