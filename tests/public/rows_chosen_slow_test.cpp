// Rows, and what has one index on another axis, kept by a mask or by what a function says of them; lines
// sorted along each axis, and rows sorted by a key: against sequential loops.
#include "lines.h"
#include "operators.h"

#include <numeric>

namespace {

using lines::Shape;
using Ints = std::vector<int>;

Ints few(std::size_t n, int different) {
  return integers<int>(n, -different / 2, different / 2, 3);
}

/// The elements of each line that the mask holds for.
Ints kept_of(const Ints& x, const Shape<3>& shape, std::size_t axis, const std::vector<bool>& mask) {
  const auto n = static_cast<std::size_t>(std::count(mask.begin(), mask.end(), true));
  return lines::mapped<int>(x, shape, axis, n, [&](const Ints& line) {
    Ints kept;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (mask[i]) kept.push_back(line[i]);
    return kept;
  });
}

TEST(RowsChosen, ByAMaskProperty) {
  const auto program = [](fg::Acc<int, 3> x, Vec<bool> a, Vec<bool> b, Vec<bool> c) {
    return std::tuple{fg::filter(a, x), fg::filter(b, x, fg::axis(1)), fg::filter(c, x, fg::axis(-1)),
                      fg::filter(a, fg::sum(fg::sum(x, fg::axis(-1)), fg::axis(-1))) + 1};
  };
  on_every_engine(program, [](const auto& f) {
    for (const Shape<3>& shape : lines::shapes)
      for (int rule : {0, 1, 2, 3}) {  // none, all, some
        SCOPED_TRACE(::testing::PrintToString(shape) + " rule " + std::to_string(rule));
        const Ints x = few(lines::count(shape), 100);
        std::array<std::vector<bool>, 3> masks;
        for (std::size_t k = 0; k < 3; ++k)
          for (std::int64_t i = 0; i < shape[k]; ++i)
            masks[k].push_back(rule == 1 || (rule > 1 && i % rule == 0));
        const auto [a, b, c, sums] = f(fg::Array<int, 3>(x, shape), masks[0], masks[1], masks[2]);
        const auto n_kept = [&](std::size_t k) { return std::count(masks[k].begin(), masks[k].end(), true); };
        EXPECT_EQ(a.shape(), (Shape<3>{n_kept(0), shape[1], shape[2]}));
        EXPECT_EQ(b.shape(), (Shape<3>{shape[0], n_kept(1), shape[2]}));
        EXPECT_EQ(a.to_vector(), kept_of(x, shape, 0, masks[0]));
        EXPECT_EQ(b.to_vector(), kept_of(x, shape, 1, masks[1]));
        EXPECT_EQ(c.to_vector(), kept_of(x, shape, 2, masks[2]));
        const std::size_t inner = lines::count(shape, 1);
        Ints expected;
        for (std::size_t i = 0; i < masks[0].size(); ++i) {
          const auto row = x.begin() + static_cast<std::ptrdiff_t>(i * inner);
          if (masks[0][i])
            expected.push_back(std::accumulate(row, row + static_cast<std::ptrdiff_t>(inner), 1));
        }
        EXPECT_EQ(vector_of(sums), expected);
      }
    EXPECT_NE(message_of<fg::ShapeError>([&] {
                (void)f(fg::Array<int, 3>(Ints(6), {1, 2, 3}), std::vector<bool>(1), std::vector<bool>(3),
                        std::vector<bool>(3));
              })
                  .find("filter needs a vector as long as the axis: the vector has 3 elements (argument 3), "
                        "axis 1 has 2 (argument 1)"),
              std::string::npos);
  });
}

TEST(RowsChosen, ByAFunctionOfThemProperty) {
  using Pair = std::tuple<int, float>;
  const auto program = [](Mat<Pair> m, Exp<int> least) {
    const auto is_large = [&](Vec<Pair> row) { return fg::sum(std::get<0>(fg::unzip(row))) >= least; };
    const auto [ints, floats] = fg::unzip(fg::filter(is_large, fg::rows(m)));
    const auto columns = fg::filter(is_large, fg::columns(m));
    const auto slices = fg::filter(is_large, fg::slices(m, fg::axis(1)));
    return std::tuple{ints, floats, ints.size(0), std::get<0>(fg::unzip(columns)),
                      std::get<1>(fg::unzip(slices))};
  };
  on_every_engine(program, [](const auto& f) {
    for (const Shape<2>& shape : {Shape<2>{0, 3}, {3, 0}, {1, 1}, {5, 7}, {130, 3}, {3, 130}}) {
      SCOPED_TRACE(::testing::PrintToString(shape));
      const Ints x = few(lines::count(shape), 50);
      std::vector<Pair> pairs;
      for (int v : x) pairs.emplace_back(v, 0.5f * static_cast<float>(v));
      const auto [r, c] = shape;
      const auto sum = [&](std::int64_t first, std::int64_t stride, std::int64_t n) {
        int total = 0;
        for (std::int64_t k = 0; k < n; ++k) total += x[static_cast<std::size_t>(first + k * stride)];
        return total;
      };
      Ints rows, columns;
      for (std::int64_t i = 0; i < r; ++i)
        if (sum(i * c, 1, c) >= 0) rows.insert(rows.end(), x.begin() + i * c, x.begin() + (i + 1) * c);
      for (std::int64_t i = 0; i < r; ++i)
        for (std::int64_t j = 0; j < c; ++j)
          if (sum(j, c, r) >= 0) columns.push_back(x[static_cast<std::size_t>(i * c + j)]);
      const auto halves = [](const Ints& of) {
        std::vector<float> result;
        for (int v : of) result.push_back(0.5f * static_cast<float>(v));
        return result;
      };
      const auto [ints, floats, n, by_column, by_slice] = f(fg::Array<Pair, 2>(pairs, shape), 0);
      EXPECT_EQ(ints.to_vector(), rows);
      EXPECT_EQ(floats.to_vector(), halves(rows));
      EXPECT_EQ(ints.size(0), n);
      EXPECT_EQ(ints.size(1), c);
      EXPECT_EQ(by_column.to_vector(), columns);
      EXPECT_EQ(by_column.size(0), r);
      EXPECT_EQ(by_slice.to_vector(), halves(columns));
    }
  });
}

/// The indices of a line's elements in order.
template <class Less>
std::vector<fg::i64> order_of(const Ints& line, Less less) {
  std::vector<fg::i64> order(line.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](fg::i64 a, fg::i64 b) {
    return less(line[static_cast<std::size_t>(a)], line[static_cast<std::size_t>(b)]);
  });
  return order;
}

/// By the order of the type, by one that is a sort by a key, and by one that merges.
template <class Less>
void check_sorted(Less less, bool by_type) {
  const auto compare = [=](Exp<int> a, Exp<int> b) { return less(a, b); };
  for (int axis : {0, 1, -1}) {
    const auto program = [=](fg::Acc<int, 3> x, fg::Acc<float, 3> y) {
      const auto along = fg::axis(axis);
      if (by_type) {
        const auto [keys, values] = fg::sort_by_key(x, y, along);
        return std::tuple{fg::sort(x, along), fg::argsort(x, along), keys, values};
      }
      const auto [keys, values] = fg::sort_by_key(compare, x, y, along);
      return std::tuple{fg::sort(compare, x, along), fg::argsort(compare, x, along), keys, values};
    };
    on_every_engine(program, [&](const auto& f) {
      for (const Shape<3>& shape : lines::shapes) {
        SCOPED_TRACE(::testing::PrintToString(shape) + " along " + std::to_string(axis));
        const std::size_t k = axis < 0 ? 2 : static_cast<std::size_t>(axis);
        const auto n = static_cast<std::size_t>(shape[k]);
        const Ints x = few(lines::count(shape), 9);
        std::vector<float> y(x.size());
        std::iota(y.begin(), y.end(), 0.0f);
        const auto less_plain = [&](int a, int b) { return static_cast<bool>(less(a, b)); };
        const Ints sorted = lines::mapped<int>(x, shape, k, n, [&](Ints line) {
          std::stable_sort(line.begin(), line.end(), less_plain);
          return line;
        });
        const auto order = lines::mapped<fg::i64>(
            x, shape, k, n, [&](const Ints& line) { return order_of(line, less_plain); });
        std::vector<float> values(y.size());
        const std::size_t inner = lines::count(shape, k + 1);
        for (std::size_t i = 0; i < y.size(); ++i) {
          const std::size_t place = i / inner % n;
          values[i] = y[i - place * inner + static_cast<std::size_t>(order[i]) * inner];
        }
        const auto [all, places, keys, with_keys] =
            f(fg::Array<int, 3>(x, shape), fg::Array<float, 3>(y, shape));
        EXPECT_EQ(all.to_vector(), sorted);
        EXPECT_EQ(places.to_vector(), order);
        EXPECT_EQ(keys.to_vector(), sorted);
        EXPECT_EQ(with_keys.to_vector(), values);
      }
    });
  }
}
TEST(RowsSorted, AlongEachAxisProperty) {
  check_sorted([](auto a, auto b) { return a < b; }, true);
}
TEST(RowsSorted, AlongEachAxisByAKeyProperty) {
  check_sorted([](auto a, auto b) { return a * a > b * b; }, false);
}
TEST(RowsSorted, AlongEachAxisByMergingProperty) {
  const auto even_ones_first = [](auto a, auto b) {
    return ((a & 1) < (b & 1)) || ((a & 1) == (b & 1) && a < b);
  };
  check_sorted(even_ones_first, false);
}

TEST(RowsSorted, WholeByAKeyProperty) {
  const auto program = [](Mat<int> m, Vec<float> keys) {
    const auto [sorted, rows] = fg::sort_by_key(keys, m);
    const auto [falling, columns] = fg::sort_by_key(
        [](Exp<int> a, Exp<int> b) { return a > b; },
        fg::map([](Vec<int> column) { return fg::sum(column); }, fg::columns(m)), m, fg::axis(1));
    return std::tuple{sorted, rows, falling, columns};
  };
  on_every_engine(program, [](const auto& f) {
    for (const Shape<2>& shape : {Shape<2>{0, 3}, {3, 0}, {1, 1}, {7, 5}, {130, 3}, {1025, 2}}) {
      SCOPED_TRACE(::testing::PrintToString(shape));
      const auto [r, c] = shape;
      const Ints m = few(lines::count(shape), 5), row_keys = few(static_cast<std::size_t>(r), 7);
      const std::vector<float> keys(row_keys.begin(), row_keys.end());
      const Ints column_keys = lines::mapped<int>(m, shape, 0, 1, [](const Ints& column) {
        return Ints{std::accumulate(column.begin(), column.end(), 0)};
      });
      const auto row_order = order_of(row_keys, std::less<>());
      const auto column_order = order_of(column_keys, std::greater<>());
      const auto taken = [](const Ints& line, const std::vector<fg::i64>& order) {
        Ints result;
        for (fg::i64 i : order) result.push_back(line[static_cast<std::size_t>(i)]);
        return result;
      };
      const auto [sorted, rows, falling, columns] = f(fg::Array<int, 2>(m, shape), keys);
      const Ints sorted_keys = taken(row_keys, row_order);
      EXPECT_EQ(vector_of(sorted), std::vector<float>(sorted_keys.begin(), sorted_keys.end()));
      EXPECT_EQ(vector_of(falling), taken(column_keys, column_order));
      EXPECT_EQ(rows.to_vector(),
                lines::mapped<int>(m, shape, 0, static_cast<std::size_t>(r),
                                   [&](const Ints& line) { return taken(line, row_order); }));
      EXPECT_EQ(columns.to_vector(),
                lines::mapped<int>(m, shape, 1, static_cast<std::size_t>(c),
                                   [&](const Ints& line) { return taken(line, column_order); }));
    }
    EXPECT_NE(
        message_of<fg::ShapeError>(
            [&] { (void)f(fg::Array<int, 2>(Ints(6), {3, 2}), std::vector<float>(2)); })
            .find("sort_by_key needs a vector as long as the axis: the vector has 2 elements (argument 2), "
                  "axis 0 has 3 (argument 1)"),
        std::string::npos);
  });
}

}  // namespace
