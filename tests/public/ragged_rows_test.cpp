// Functions given to map and generate that return rows of any lengths, against sequential loops.
#include "rows_of_unequal_lengths.h"

namespace {

// A function of a row may give a row of any length, several, and other results beside them.
TEST(Ragged, OfRowsThatAFunctionMakes) {
  const auto program = [](Ragged<int> r) {
    const auto made = fg::map(
        [](Vec<int> row) {
          const auto odd = fg::filter([](Exp<int> x) { return x % 2 != 0; }, row);
          return std::tuple{fg::sum(row), fg::Row(fg::unique(row)), row.size(), fg::Row(odd)};
        },
        fg::rows(r));
    const auto same_lengths = fg::map([](Vec<int> row) { return fg::Row(fg::sort(row)); }, fg::rows(r));
    return std::tuple_cat(made, std::tuple{same_lengths});
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    const auto [sums, unique, lengths, odds, in_order] = f(RaggedArray<int>(rows));
    EXPECT_EQ(sums.to_vector(), of_rows(rows, sum_of));
    EXPECT_EQ(unique.to_vectors(), each_row(rows, distinct));
    EXPECT_EQ(odds.to_vectors(), each_row(rows, odd));
    EXPECT_EQ(in_order.to_vectors(), each_row(rows, sorted));
    EXPECT_EQ(lengths.size(), static_cast<i64>(rows.size()));
  });
}

// Rows are made of elements, two arrays, indices and composite elements, and in loops and branches of the
// function.
TEST(Ragged, OfRowsThatAFunctionMakesOfOtherThings) {
  const auto program = [](Vec<int> xs, Vec<float> ys) {
    const auto counted = fg::map(
        [](Exp<int> x, Exp<float> y) {
          return fg::Row(fg::generate(fg::max(x, 0), [=](Exp<i64> k) { return std::tuple{k * 2, y}; }));
        },
        xs, ys);
    const auto triangle = fg::generate(xs.size(), [&](Exp<i64> i) { return fg::Row(fg::take(xs, i)); });
    const auto halved = fg::map(
        [](Exp<int> x) {
          return fg::Row(fg::while_loop(
              [](Vec<int> v) { return v.size() > 3; }, [](Vec<int> v) { return fg::take(v, v.size() / 2); },
              fg::generate(fg::max(x, 0), [=](Exp<i64> k) { return fg::cast<int>(k) - x; })));
        },
        xs);
    return std::tuple{counted, triangle, halved};
  };
  on_every_engine(program, [](const auto& f) {
    for (const Ints& xs : {Ints{}, Ints{0}, Ints{-1, 2}, Ints{3, 0, 1000, -2, 5, 7, 0, 64, 63, 65}}) {
      std::vector<float> ys;
      std::vector<std::vector<std::tuple<i64, float>>> counted;
      Rows triangle, halved;
      for (std::size_t i = 0; i < xs.size(); ++i) {
        ys.push_back(static_cast<float>(i) / 2);
        counted.emplace_back();
        for (int k = 0; k < xs[i]; ++k) counted.back().emplace_back(2 * k, ys.back());
        triangle.emplace_back(xs.begin(), xs.begin() + static_cast<std::ptrdiff_t>(i));
        int n = std::max(xs[i], 0);
        while (n > 3) n /= 2;
        halved.emplace_back();
        for (int k = 0; k < n; ++k) halved.back().push_back(k - xs[i]);
      }
      const auto [a, b, c] = f(xs, ys);
      EXPECT_EQ(a.to_vectors(), counted);
      EXPECT_EQ(b.to_vectors(), triangle);
      EXPECT_EQ(c.to_vectors(), halved);
    }
  });
}

}  // namespace
