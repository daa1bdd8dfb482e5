// Operators and functions of the elements of ragged arrays, and what is done to each of their rows, against
// sequential loops.
#include "rows_of_unequal_lengths.h"

#include <cmath>
#include <limits>

namespace {

using Longs = std::vector<i64>;

template <class R, class F>
std::vector<std::vector<R>> each_element(const Rows& rows, F f) {
  std::vector<std::vector<R>> results;
  for (const Ints& row : rows) {
    results.emplace_back();
    for (int x : row) results.back().push_back(f(x));
  }
  return results;
}
Longs in_order(const Ints& row) {
  Longs indices(row.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::ranges::stable_sort(indices, {}, [&](i64 i) { return row[static_cast<std::size_t>(i)]; });
  return indices;
}

TEST(Ragged, OperatorsWorkOnElements) {
  const auto program = [](Ragged<int> r, Exp<int> k) {
    auto changed = r * 3 + r - k;
    changed += r;
    changed -= 1;
    changed *= k;
    changed /= 2;
    changed %= 1000;
    const auto small = (changed < 40 && !(r == 7)) || r >= 9;
    return std::tuple{changed,       small, -r,     ~r,         (r & 3) | (r ^ k),
                      (r << 2) >> 1, 5 - r, k <= r, r != r + 1, r > changed};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    constexpr int k = 3;
    const auto changed = [&](int x) { return (x * 3 + x - k + x - 1) * k / 2 % 1000; };
    const auto [given, small, negative, flipped, bits, shifted, from_five, least, differ, more] =
        f(RaggedArray<int>(rows), k);
    EXPECT_EQ(given.to_vectors(), each_element<int>(rows, changed));
    EXPECT_EQ(small.to_vectors(),
              each_element<bool>(rows, [&](int x) { return (changed(x) < 40 && x != 7) || x >= 9; }));
    EXPECT_EQ(negative.to_vectors(), each_element<int>(rows, [](int x) { return -x; }));
    EXPECT_EQ(flipped.to_vectors(), each_element<int>(rows, [](int x) { return ~x; }));
    EXPECT_EQ(bits.to_vectors(), each_element<int>(rows, [&](int x) { return (x & 3) | (x ^ k); }));
    EXPECT_EQ(shifted.to_vectors(), each_element<int>(rows, [](int x) { return (x * 4) >> 1; }));
    EXPECT_EQ(from_five.to_vectors(), each_element<int>(rows, [](int x) { return 5 - x; }));
    EXPECT_EQ(least.to_vectors(), each_element<bool>(rows, [&](int x) { return k <= x; }));
    EXPECT_EQ(differ.to_vectors(), each_element<bool>(rows, [](int) { return true; }));
    EXPECT_EQ(more.to_vectors(), each_element<bool>(rows, [&](int x) { return x > changed(x); }));
  });
}

TEST(Ragged, FunctionsWorkOnElements) {
  const auto program = [](Ragged<int> r) {
    const auto x = fg::cast<float>(r);
    return std::tuple{fg::sqrt(fg::abs(x)),        fg::fma(x, x, 1.0f), fg::min(r, 2), fg::clamp(r, -3, 4),
                      fg::select(r > 0, x, -1.0f), fg::ceil_div(r, 4),  fg::isnan(x)};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    const auto [roots, squares, least, clamped, chosen, quarters, none] = f(RaggedArray<int>(rows));
    const auto real = [](int x) { return static_cast<float>(x); };
    EXPECT_EQ(roots.to_vectors(),
              each_element<float>(rows, [&](int x) { return std::sqrt(std::abs(real(x))); }));
    EXPECT_EQ(squares.to_vectors(), each_element<float>(rows, [&](int x) { return real(x * x + 1); }));
    EXPECT_EQ(least.to_vectors(), each_element<int>(rows, [](int x) { return std::min(x, 2); }));
    EXPECT_EQ(clamped.to_vectors(), each_element<int>(rows, [](int x) { return std::clamp(x, -3, 4); }));
    EXPECT_EQ(chosen.to_vectors(), each_element<float>(rows, [&](int x) { return x > 0 ? real(x) : -1; }));
    EXPECT_EQ(quarters.to_vectors(),
              each_element<int>(rows, [](int x) { return x > 0 ? (x + 3) / 4 : x / 4; }));
    EXPECT_EQ(none.to_vectors(), each_element<bool>(rows, [](int) { return false; }));
  });
}

TEST(Ragged, MoreFoldsOfRows) {
  const auto program = [](Ragged<int> r) {
    const auto positive = r > 0;
    const auto x = fg::cast<double>(r);
    return std::tuple{fg::product(r, fg::axis(1)),     fg::all(positive, fg::axis(1)),
                      fg::any(positive, fg::axis(-1)), fg::count(positive, fg::axis(1)),
                      fg::mean(x, fg::axis(1)),        x - fg::broadcast(fg::sum(x, fg::axis(1)), x)};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    const auto [products, all, any, counts, means, differences] = f(RaggedArray<int>(rows));
    const auto positive = [](int x) { return x > 0; };
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Ints& row = rows[i];
      const auto at = static_cast<i64>(i);
      unsigned product = 1;
      for (int x : row) product *= static_cast<unsigned>(x);
      EXPECT_EQ(products[at], static_cast<int>(product)) << i;
      EXPECT_EQ(all[at], std::ranges::all_of(row, positive)) << i;
      EXPECT_EQ(any[at], std::ranges::any_of(row, positive)) << i;
      EXPECT_EQ(counts[at], std::ranges::count_if(row, positive)) << i;
      const double sum = sum_of(row), n = static_cast<double>(row.size());
      if (row.empty())
        EXPECT_TRUE(std::isnan(means[at])) << i;
      else
        EXPECT_EQ(means[at], sum / n) << i;
      for (std::size_t k = 0; k < row.size(); ++k)
        EXPECT_EQ(differences.row(at)[k], row[k] - sum) << i << ' ' << k;
    }
  });
}

TEST(Ragged, FoldsOfAllElements) {
  const auto program = [](Ragged<int> r) {
    const auto small = r < 5;
    return std::tuple{fg::sum(r),
                      fg::product(r % 3 + 1),
                      fg::min(r),
                      fg::max(r),
                      fg::all(small),
                      fg::any(small),
                      fg::count(small),
                      fg::fold(fg::plus, 7, r),
                      fg::reduce(fg::max, -100, r),
                      fg::mean(fg::cast<double>(r))};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    Ints all;
    for (const Ints& row : rows) all.insert(all.end(), row.begin(), row.end());
    if (all.empty()) return;
    const auto [sum, product, least, greatest, are_small, some, n, from_seven, most, mean] =
        f(RaggedArray<int>(rows));
    const auto is_small = [](int x) { return x < 5; };
    unsigned of_all = 1;
    for (int x : all) of_all *= static_cast<unsigned>(x % 3 + 1);
    EXPECT_EQ(sum, sum_of(all));
    EXPECT_EQ(product, static_cast<int>(of_all));
    EXPECT_EQ(least, std::ranges::min(all));
    EXPECT_EQ(greatest, std::ranges::max(all));
    EXPECT_EQ(are_small, std::ranges::all_of(all, is_small));
    EXPECT_EQ(some, std::ranges::any_of(all, is_small));
    EXPECT_EQ(n, std::ranges::count_if(all, is_small));
    EXPECT_EQ(from_seven, sum_of(all) + 7);
    EXPECT_EQ(most, std::max(std::ranges::max(all), -100));
    EXPECT_DOUBLE_EQ(mean, static_cast<double>(sum_of(all)) / static_cast<double>(all.size()));
  });
  on_every_engine([](Ragged<int> r) { return fg::reduce(fg::max, r); },
                  [](const auto& f) {
                    EXPECT_EQ(f(RaggedArray<int>(Rows{{}, {3, 9}, {4}})), 9);
                    EXPECT_THROW(f(RaggedArray<int>(Rows{{}, {}})), fg::ShapeError);
                  });
}

TEST(Ragged, ReversesAndRotates) {
  const auto program = [](Ragged<int> r, Exp<i64> k) {
    return std::tuple{fg::reverse(r), fg::reverse(r, fg::axis(1)), fg::rotate(r, k),
                      fg::rotate(r, k, fg::axis(-1))};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    constexpr i64 greatest = std::numeric_limits<i64>::max();
    for (const i64 k : {i64{0}, i64{1}, i64{5}, i64{-2}, i64{-100}, greatest, -greatest}) {
      const auto [rows_reversed, reversed, rows_rotated, rotated] = f(RaggedArray<int>(rows), k);
      const auto rotate = [&](auto list) {
        const auto n = static_cast<i64>(list.size());
        if (n > 0) std::ranges::rotate(list, list.begin() + (k % n + n) % n);
        return list;
      };
      EXPECT_EQ(rows_reversed.to_vectors(), Rows(rows.rbegin(), rows.rend()));
      EXPECT_EQ(reversed.to_vectors(),
                each_row(rows, [](const Ints& row) { return Ints(row.rbegin(), row.rend()); }));
      EXPECT_EQ(rows_rotated.to_vectors(), rotate(rows)) << k;
      EXPECT_EQ(rotated.to_vectors(), each_row(rows, rotate)) << k;
    }
  });
  on_every_engine([](Ragged<int> r) { return fg::reverse(r, fg::axis(0)); },
                  [](const auto& f) { EXPECT_EQ(f(RaggedArray<int>(Rows{})).size(), 0); });
  const auto across = [](Ragged<int> r) { return fg::rotate(r, 1, fg::axis(2)); };
  EXPECT_THROW(fg::compile(across, {.engine = fg::Engine::interpreter})(RaggedArray<int>(Rows{{1}})),
               fg::ShapeError);
}

TEST(Ragged, IndicesOfTheLeastAndTheGreatest) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto program = [](Ragged<float> r) {
    return std::tuple{fg::argmin(r, fg::axis(1)), fg::argmax(r, fg::axis(1))};
  };
  on_every_engine(program, [&](const auto& f) {
    std::vector<std::vector<float>> rows{{3, 1, 1, 3}, {nan, nan}, {nan, 2, nan, 5, 5}, {7}};
    rows.emplace_back(10000, 2.0f);
    rows.back()[7777] = 1, rows.back()[8888] = 3;
    const auto [least, greatest] = f(RaggedArray<float>(rows));
    EXPECT_EQ(least.to_vector(), (Longs{1, 0, 1, 0, 7777}));
    EXPECT_EQ(greatest.to_vector(), (Longs{0, 0, 3, 0, 8888}));
    EXPECT_THROW(f(RaggedArray<float>(std::vector<std::vector<float>>{{1}, {}})), fg::ShapeError);
  });
}

TEST(Ragged, ScansWithoutNeutralAndFromTheRight) {
  const auto program = [](Ragged<int> r) {
    return std::tuple{fg::scan(fg::plus, r), fg::scan_right(fg::plus, 0, r), fg::scan_right(fg::plus, r),
                      fg::exclusive_scan_right(fg::plus, 5, r)};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    const auto [scans, right, right_of_some, exclusive] = f(RaggedArray<int>(rows));
    const auto from_right = [](Ints row) {
      std::partial_sum(row.rbegin(), row.rend(), row.rbegin());
      return row;
    };
    EXPECT_EQ(scans.to_vectors(), each_row(rows, scanned));
    EXPECT_EQ(right.to_vectors(), each_row(rows, from_right));
    EXPECT_EQ(right_of_some.to_vectors(), each_row(rows, from_right));
    EXPECT_EQ(exclusive.to_vectors(), each_row(rows, [](Ints row) {
                std::exclusive_scan(row.rbegin(), row.rend(), row.rbegin(), 5);
                return row;
              }));
  });
}

TEST(Ragged, SortedByKeysAndWithoutRepetitions) {
  const auto program = [](Ragged<int> r) {
    const auto greater = [](Exp<int> a, Exp<int> b) { return a > b; };
    const auto numbers = fg::segments(r.segments(), fg::iota(r.values().size()));
    const auto [keys, values] = fg::sort_by_key(r, numbers);
    const auto [last_keys, last_values] = fg::sort_by_key(greater, r, numbers);
    return std::tuple{fg::argsort(r), fg::argsort(greater, r),   keys, values, last_keys, last_values,
                      fg::unique(r),  fg::filter(r < 0, numbers)};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    const auto [order, last_first, keys, values, last_keys, last_values, different, of_negative] =
        f(RaggedArray<int>(rows));
    std::vector<Longs> each_order, each_last_first, numbers, last_numbers, negative;
    Rows descending;
    i64 begin = 0;
    for (const Ints& row : rows) {
      Ints opposite;
      for (int x : row) opposite.push_back(-x);
      each_order.push_back(in_order(row));
      each_last_first.push_back(in_order(opposite));
      const auto in_values = [&](Longs indices) {
        for (i64& i : indices) i += begin;
        return indices;
      };
      numbers.push_back(in_values(each_order.back()));
      last_numbers.push_back(in_values(each_last_first.back()));
      negative.emplace_back();
      for (std::size_t k = 0; k < row.size(); ++k)
        if (row[k] < 0) negative.back().push_back(begin + static_cast<i64>(k));
      descending.push_back(sorted(row));
      std::ranges::reverse(descending.back());
      begin += static_cast<i64>(row.size());
    }
    EXPECT_EQ(order.to_vectors(), each_order);
    EXPECT_EQ(last_first.to_vectors(), each_last_first);
    EXPECT_EQ(keys.to_vectors(), each_row(rows, sorted));
    EXPECT_EQ(values.to_vectors(), numbers);
    EXPECT_EQ(last_keys.to_vectors(), descending);
    EXPECT_EQ(last_values.to_vectors(), last_numbers);
    EXPECT_EQ(different.to_vectors(), each_row(rows, distinct));
    EXPECT_EQ(of_negative.to_vectors(), negative);
  });
}

TEST(Ragged, RowsJoinedAndShortened) {
  const auto program = [](Ragged<int> r, Exp<i64> n) {
    const auto odd = fg::filter([](Exp<int> x) { return x % 2 != 0; }, r);
    return std::tuple{fg::concat(r, odd, r), fg::concat(fg::axis(1), odd, r), fg::take(r, n, fg::axis(1)),
                      fg::drop(r, n, fg::axis(1)), fg::drop(r, fg::min(n, r.size()))};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    for (i64 n : {0, 1, 3, 100}) {
      const auto [one_after_the_other, side_by_side, first, last, others] = f(RaggedArray<int>(rows), n);
      Rows joined = rows, odds = each_row(rows, odd), beside = odds;
      joined.insert(joined.end(), odds.begin(), odds.end());
      joined.insert(joined.end(), rows.begin(), rows.end());
      for (std::size_t i = 0; i < rows.size(); ++i)
        beside[i].insert(beside[i].end(), rows[i].begin(), rows[i].end());
      EXPECT_EQ(one_after_the_other.to_vectors(), joined);
      EXPECT_EQ(side_by_side.to_vectors(), beside);
      EXPECT_EQ(first.to_vectors(), each_row(rows, [&](Ints row) {
                  row.resize(std::min(row.size(), static_cast<std::size_t>(n)));
                  return row;
                }));
      EXPECT_EQ(last.to_vectors(), each_row(rows, [&](const Ints& row) {
                  return Ints(row.begin() + std::min(n, std::ssize(row)), row.end());
                }));
      const auto begin = rows.begin() + std::min(static_cast<std::ptrdiff_t>(n), std::ssize(rows));
      EXPECT_EQ(others.to_vectors(), Rows(begin, rows.end()));
    }
  });
}

constexpr auto sum_of_all = [](auto... xs) { return (xs + ...); };

TEST(Ragged, MapsAndZipsOfSeveral) {
  const auto program = [](Ragged<int> r) {
    const auto halves = fg::cast<float>(r) * 0.5F;
    const auto zipped = fg::zip(r, halves, r > 0);
    const auto of_four = fg::zip(r, r + 1, r + 2, r + 3);
    const auto products = [](const Exp<std::tuple<int, int, int, int>>& x) {
      const auto [a, b, c, d] = x;
      return a * b - c * d;
    };
    const auto [same, halved, positive] = fg::unzip(zipped);
    return std::tuple{fg::map(sum_of_all, r, r * 10, r * 100),
                      fg::map(sum_of_all, r, r + 1, r + 2, r + 3),
                      fg::unzip(fg::zip(r, halves)),
                      same,
                      halved,
                      fg::select(positive, r, 0),
                      fg::map(products, of_four)};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    const auto of_each = [&](auto g) {
      return each_row(rows, [&](Ints row) {
        for (int& x : row) x = g(x);
        return row;
      });
    };
    const auto [of_three, of_four, of_two, same, halved, positive, products] = f(RaggedArray<int>(rows));
    EXPECT_EQ(of_three.to_vectors(), of_each([](int x) { return 111 * x; }));
    EXPECT_EQ(of_four.to_vectors(), of_each([](int x) { return 4 * x + 6; }));
    EXPECT_EQ(std::get<0>(of_two).to_vectors(), rows);
    EXPECT_EQ(same.to_vectors(), rows);
    for (const auto& halves : {halved, std::get<1>(of_two)}) {
      EXPECT_EQ(halves.offsets().to_vector(), same.offsets().to_vector());
      for (i64 k = 0; k < same.values().size(); ++k)
        EXPECT_EQ(halves.values()[k], static_cast<float>(same.values()[k]) * 0.5F);
    }
    EXPECT_EQ(positive.to_vectors(), of_each([](int x) { return std::max(x, 0); }));
    EXPECT_EQ(products.to_vectors(), of_each([](int x) { return x * (x + 1) - (x + 2) * (x + 3); }));
  });
}

TEST(Ragged, SaysWhichOfSeveralHasOtherRows) {
  const RaggedArray<int> a(Rows{{1, 2}, {3}}), b(Rows{{1}, {2, 3}}), c(Rows{{1, 2}, {}, {3}});
  const auto refusal = [](const auto& program, const auto&... arguments) -> std::string {
    try {
      fg::run(program, arguments...);
    } catch (const fg::ShapeError& error) {
      return error.message();
    }
    return "";
  };
  const auto sums = [](Ragged<int> x, Ragged<int> y, Ragged<int> z) { return fg::map(sum_of_all, x, y, z); };
  EXPECT_EQ(refusal(sums, a, a, c),
            "map needs as many rows everywhere: ragged array 1 has 2, ragged array 3 has 3");
  EXPECT_EQ(refusal(sums, a, a, b), "map needs rows of equal lengths: row 0 differs");
  const auto largest = [](Ragged<int> x, Ragged<int> y, Ragged<int> z) { return fg::clamp(x, y, z); };
  EXPECT_EQ(refusal(largest, a, a, c),
            "a function needs as many rows everywhere: ragged array 1 has 2, ragged array 3 has 3");
  const auto without_first = [](Ragged<int> x, Exp<int> n) { return fg::drop(x, n, fg::axis(1)); };
  EXPECT_EQ(refusal(without_first, a, -2), "drop(-2) of the elements of each row needs 0 <= n");
}

TEST(Ragged, OperandsHaveRowsOfEqualLengths) {
  const RaggedArray<int> a(Rows{{1, 2}, {3}}), b(Rows{{1}, {2, 3}}), c(Rows{{1, 2}, {}, {3}});
  const auto refused = [&](auto program, const auto&... arguments) {
    on_every_engine(program, [&](const auto& f) { EXPECT_THROW(f(arguments...), fg::ShapeError); });
  };
  const auto sum = [](Ragged<int> x, Ragged<int> y) { return x + y; };
  refused(sum, a, b);
  refused(sum, a, c);
  refused([](Ragged<int> x, Ragged<int> y) { return fg::min(x, y); }, a, b);
  refused([](Ragged<int> x, Ragged<int> y) { return fg::filter(y > 0, x); }, a, b);
  refused([](Ragged<int> x, Ragged<int> y) { return fg::sort_by_key(x, y); }, a, b);
  refused([](Ragged<int> x, Ragged<int> y) { return fg::concat(fg::axis(1), x, y); }, a, c);
  refused([](Ragged<int> x, Vec<int> y) { return fg::broadcast(y, x); }, a, Ints{1, 2, 3});
  refused([](Ragged<int> x, Ragged<int> y) { return fg::zip(x, x, y); }, a, b);
  refused([](Ragged<int> x, Ragged<int> y) { return fg::map(sum_of_all, x, x, x, y); }, a, c);
  refused([](Ragged<int> x, Exp<int> n) { return fg::take(x, n, fg::axis(1)); }, a, -1);
  refused([](Ragged<int> x, Exp<int> n) { return fg::drop(x, n, fg::axis(1)); }, a, -1);
  refused([](Ragged<int> x, Exp<int> n) { return fg::drop(x, n); }, a, 3);
  EXPECT_THROW(fg::compile([](Ragged<int> x) { return fg::product(x, fg::axis(0)); }), fg::ShapeError);
}

}  // namespace
