// Ragged arrays and expansion against sequential loops over the rows: none, empty ones first and last,
// one, many; elements that are tuples; and what is wrong about offsets, sizes and rows.
#include "rows_of_unequal_lengths.h"

#include <cmath>
#include <limits>

namespace {

TEST(Ragged, IsMadeReadAndReturned) {
  const auto program = [](Ragged<int> r) {
    return std::tuple{fg::segments(r.offsets(), r.values()),
                      fg::segments(fg::lengths(r.lengths()), r.values()), r.size(), r.lengths(),
                      r.row_numbers()};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    const RaggedArray<int> given(rows);
    const auto [by_offsets, by_lengths, n, lengths, numbers] = f(given);
    EXPECT_EQ(by_offsets.to_vectors(), rows);
    EXPECT_EQ(by_lengths.to_vectors(), rows);
    EXPECT_EQ(n, static_cast<i64>(rows.size()));
    std::vector<i64> each_length, each_number;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      each_length.push_back(static_cast<i64>(rows[i].size()));
      each_number.insert(each_number.end(), rows[i].size(), static_cast<i64>(i));
    }
    EXPECT_EQ(lengths.to_vector(), each_length);
    EXPECT_EQ(numbers.to_vector(), each_number);
  });
}

TEST(Ragged, FoldsAndScansOfRows) {
  const auto program = [](Ragged<int> r) {
    const auto last = [](Exp<int>, Exp<int> b) { return b; };
    return std::tuple{fg::sum(r, fg::axis(1)),  fg::min(r, fg::axis(-1)),
                      fg::max(r, fg::axis(1)),  fg::fold(last, 77, r, fg::axis(1)),
                      fg::scan(fg::plus, 0, r), fg::exclusive_scan(fg::plus, 5, r)};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    const auto [sums, least, greatest, lasts, scans, exclusive] = f(RaggedArray<int>(rows));
    static constexpr int high = std::numeric_limits<int>::max(), low = std::numeric_limits<int>::min();
    EXPECT_EQ(sums.to_vector(), of_rows(rows, sum_of));
    EXPECT_EQ(least.to_vector(), of_rows(rows, [](const Ints& row) {
                return row.empty() ? high : *std::ranges::min_element(row);
              }));
    EXPECT_EQ(greatest.to_vector(), of_rows(rows, [](const Ints& row) {
                return row.empty() ? low : *std::ranges::max_element(row);
              }));
    EXPECT_EQ(lasts.to_vector(),
              of_rows(rows, [](const Ints& row) { return row.empty() ? 77 : row.back(); }));
    EXPECT_EQ(scans.to_vectors(), each_row(rows, scanned));
    EXPECT_EQ(exclusive.to_vectors(), each_row(rows, [](Ints row) {
                std::exclusive_scan(row.begin(), row.end(), row.begin(), 5);
                return row;
              }));
  });
}

// The neutral element is part of every fold and prefix, wherever tiles and rows begin.
TEST(Ragged, NeutralElementIsCombinedWithRowsThatItDoesNotEqual) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                  low = -std::numeric_limits<float>::infinity();
  const auto program = [](Ragged<float> r) {
    const auto more = [](Exp<float> a, Exp<float> b) { return fg::max(a, b); };
    const auto [before, totals] = fg::segmented_scan_with_totals(more, low, r.segments(), r.values());
    return std::tuple{
        fg::reduce(more, low, r, fg::axis(1)),
        fg::map([](Vec<float> row) { return fg::max(row); }, fg::rows(r)),
        fg::scan(more, low, r).values(),
        fg::segmented_scan_right(more, low, r.segments(), r.values()),
        before,
        totals,
        1.0f / fg::scan(fg::plus, 0.0f, fg::map([](Exp<float>) { return Exp<float>(-0.0f); }, r)).values()};
  };
  on_every_engine(program, [&](const auto& f) {
    std::vector<std::vector<float>> rows{{nan}, {nan, nan}, {}, {nan, 1, nan}};
    for (const std::size_t length : {0u, 5u, 20000u, 300u}) rows.emplace_back(length, nan);
    std::vector<float> folded, prefixes, suffixes, before;
    for (const std::vector<float>& row : rows) {
      folded.push_back(low);
      for (const float x : row) {
        before.push_back(folded.back());
        folded.back() = std::fmax(folded.back(), x);
        prefixes.push_back(folded.back());
      }
      float suffix = low;
      const std::size_t first = suffixes.size();
      for (std::size_t k = row.size(); k-- > 0;)
        suffixes.insert(suffixes.begin() + static_cast<i64>(first), suffix = std::fmax(suffix, row[k]));
    }
    const auto [reduced, mapped, scanned, from_right, exclusive, totals, zeros] = f(RaggedArray<float>(rows));
    EXPECT_EQ(reduced.to_vector(), folded);
    EXPECT_EQ(mapped.to_vector(), folded);
    EXPECT_EQ(scanned.to_vector(), prefixes);
    EXPECT_EQ(from_right.to_vector(), suffixes);
    EXPECT_EQ(exclusive.to_vector(), before);
    EXPECT_EQ(totals.to_vector(), folded);
    EXPECT_EQ(zeros.to_vector(), std::vector<float>(prefixes.size(), -low));
  });
}

TEST(Ragged, MapsOfElementsAndOfRows) {
  const auto program = [](Ragged<int> r, Vec<int> weights) {
    const auto doubled = fg::map([](Exp<int> x) { return 2 * x; }, r);
    const auto products = fg::map([](Exp<int> x, Exp<int> y) { return x * y; }, r, doubled);
    const auto weighed = fg::map(
        [](Vec<int> row, Exp<int> weight) { return weight * fg::sum(row * row) + fg::cast<int>(row.size()); },
        fg::rows(r), weights);
    const auto ends = fg::map(  // a loop over the row's own length
        [](Vec<int> row) {
          return fg::iterate(row.size(), [&](Exp<i64> k, Exp<int> h) { return 31 * h + row[k]; }, 7);
        },
        fg::rows(r));
    const auto two_rows = fg::map([](Vec<int> a, Vec<int> b) { return fg::sum(a) - fg::max(b); }, fg::rows(r),
                                  fg::rows(doubled));
    return std::tuple{products, weighed, ends, two_rows};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    Ints weights(rows.size());
    std::iota(weights.begin(), weights.end(), 1);
    const auto [products, weighed, ends, two_rows] = f(RaggedArray<int>(rows), weights);
    EXPECT_EQ(products.to_vectors(), each_row(rows, [](Ints row) {
                for (int& x : row) x = 2 * x * x;
                return row;
              }));
    Ints expected = of_rows(
        rows, [](const Ints& row) { return std::inner_product(row.begin(), row.end(), row.begin(), 0); });
    for (std::size_t i = 0; i < rows.size(); ++i)
      expected[i] = weights[i] * expected[i] + static_cast<int>(rows[i].size());
    EXPECT_EQ(weighed.to_vector(), expected);
    EXPECT_EQ(ends.to_vector(), of_rows(rows, [](const Ints& row) {
                unsigned h = 7;
                for (int x : row) h = 31 * h + static_cast<unsigned>(x);
                return static_cast<int>(h);
              }));
    EXPECT_EQ(two_rows.to_vector(), of_rows(rows, [](const Ints& row) {
                const unsigned most = row.empty() ? static_cast<unsigned>(std::numeric_limits<int>::min())
                                                  : static_cast<unsigned>(2 * *std::ranges::max_element(row));
                return static_cast<int>(static_cast<unsigned>(sum_of(row)) - most);
              }));
  });
}

TEST(Ragged, ChosenSortedAndJoined) {
  const auto program = [](Ragged<int> r) {
    const auto is_odd = [](Exp<int> x) { return x % 2 != 0; };
    const auto later = [](Exp<int> a, Exp<int> b) { return a > b; };
    const auto numbers = fg::iota<int>(r.size());
    return std::tuple{fg::filter(is_odd, r),
                      fg::sort(r),
                      fg::sort(later, r),
                      fg::concat(r, fg::sort(r)),
                      fg::gather(r, fg::reverse(numbers)),
                      fg::take(r, r.size() / 2),
                      fg::filter([](Vec<int> row) { return fg::sum(row) > 0; }, fg::rows(r))};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    const auto [chosen, in_order, descending, joined, reversed, half, positive] = f(RaggedArray<int>(rows));
    EXPECT_EQ(chosen.to_vectors(), each_row(rows, odd));
    const Rows ascending = each_row(rows, sorted);
    EXPECT_EQ(in_order.to_vectors(), ascending);
    EXPECT_EQ(descending.to_vectors(), each_row(ascending, [](Ints row) {
                std::ranges::reverse(row);
                return row;
              }));
    Rows both = rows;
    both.insert(both.end(), ascending.begin(), ascending.end());
    EXPECT_EQ(joined.to_vectors(), both);
    EXPECT_EQ(reversed.to_vectors(), Rows(rows.rbegin(), rows.rend()));
    EXPECT_EQ(half.to_vectors(), Rows(rows.begin(), rows.begin() + static_cast<i64>(rows.size() / 2)));
    Rows some = rows;
    std::erase_if(some, [](const Ints& row) { return sum_of(row) <= 0; });
    EXPECT_EQ(positive.to_vectors(), some);
  });
}

TEST(Ragged, Expands) {
  const auto program = [](Ragged<int> r) {
    const auto size_of = [](Exp<int> n) { return n; };
    const auto element_of = [](Exp<int> n, Exp<i64> k) { return 100 * n + fg::cast<int>(k); };
    const auto lengths = fg::cast<int>(r.lengths());
    const auto first = [](Exp<int> a, Exp<int> b) { return fg::select(a == -1, b, a); };
    return std::tuple{fg::expand_rows(size_of, element_of, lengths),
                      fg::expand(size_of, element_of, lengths),
                      fg::expand_reduce(size_of, element_of, first, -1, lengths),
                      fg::replicate(fg::lengths(lengths), fg::iota<int>(r.size())),
                      fg::replicate(fg::offsets(r.offsets()), fg::iota<int>(r.size())),
                      fg::replicate(fg::regular(2), lengths)};
  };
  on_all_rows(program, [](const auto& f, const Rows& rows) {
    const auto [expanded, elements, firsts, replicated, by_offsets, twice] = f(RaggedArray<int>(rows));
    const Rows expected = each_row(rows, [](Ints row) {
      std::iota(row.begin(), row.end(), 100 * static_cast<int>(row.size()));
      return row;
    });
    EXPECT_EQ(expanded.to_vectors(), expected);
    EXPECT_EQ(elements.to_vector(), flat(expected));
    EXPECT_EQ(firsts.to_vector(),
              of_rows(expected, [](const Ints& row) { return row.empty() ? -1 : row.front(); }));
    Ints numbers, pairs;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      numbers.insert(numbers.end(), rows[i].size(), static_cast<int>(i));
      pairs.insert(pairs.end(), 2, static_cast<int>(rows[i].size()));
    }
    EXPECT_EQ(replicated.to_vector(), numbers);
    EXPECT_EQ(by_offsets.to_vector(), numbers);
    EXPECT_EQ(twice.to_vector(), pairs);
  });
}

TEST(Ragged, ReplicatesByFlags) {
  const auto program = [](Vec<bool> flags, Vec<int> xs) { return fg::replicate(fg::flags(flags), xs); };
  on_every_engine(program, [](const auto& f) {
    EXPECT_EQ(f(std::vector<bool>{false, true, false, false, true}, Ints{4, 5, 6}).to_vector(),
              (Ints{4, 5, 5, 5, 6}));
    EXPECT_EQ(f(std::vector<bool>{}, Ints{}).to_vector(), Ints{});
    EXPECT_THROW(f(std::vector<bool>{true, true}, Ints{1}), fg::ShapeError);
  });
}

TEST(Ragged, GroupsStably) {
  const auto program = [](Vec<int> xs) {
    const auto numbered = fg::zip(xs, fg::iota<int>(xs.size()));
    const auto groups =
        fg::group_by(3, [](const Exp<std::tuple<int, int>>& x) { return fg::get<0>(x) % 4; }, numbered);
    return fg::map([](const Exp<std::tuple<int, int>>& x) { return fg::get<1>(x); }, groups);
  };
  on_every_engine(program, [](const auto& f) {
    EXPECT_EQ(f(Ints{6, 3, 4, 1, 2, 0, 8}).to_vectors(), (Rows{{2, 5, 6}, {3}, {0, 4}}));
    EXPECT_EQ(f(Ints{}).to_vectors(), (Rows{{}, {}, {}}));
  });
}

TEST(Ragged, ElementsAreTuples) {
  const auto program = [](Ragged<Pair> r) {
    const auto larger = [](Exp<Pair> x) { return fg::get<0>(x) > 1; };
    const auto totals = fg::map(
        [](Vec<Pair> row) {
          auto [whole, real] = fg::unzip(row);
          return fg::cast<float>(fg::sum(whole)) + fg::sum(real);
        },
        fg::rows(r));
    return std::tuple{fg::sort(r), fg::filter(larger, r), fg::gather(r, fg::iota(r.size())), totals};
  };
  on_every_engine(program, [](const auto& f) {
    const std::vector<std::vector<Pair>> rows{{}, {{2, 1.5f}, {1, 2.0f}, {2, 0.5f}}, {}, {{7, 7.0f}}};
    const auto [in_order, chosen, same, totals] = f(RaggedArray<Pair>(rows));
    EXPECT_EQ(in_order.to_vectors(),
              (std::vector<std::vector<Pair>>{{}, {{1, 2.0f}, {2, 0.5f}, {2, 1.5f}}, {}, {{7, 7.0f}}}));
    EXPECT_EQ(chosen.to_vectors(),
              (std::vector<std::vector<Pair>>{{}, {{2, 1.5f}, {2, 0.5f}}, {}, {{7, 7.0f}}}));
    EXPECT_EQ(same.to_vectors(), rows);
    EXPECT_EQ(totals.to_vector(), (std::vector<float>{0, 9, 0, 14}));
  });
}

TEST(Ragged, IsTheStateOfLoopsAndBranches) {
  const auto program = [](Ragged<int> r, Exp<bool> sorts) {
    const auto shrunk = fg::while_loop([](Ragged<int> x) { return fg::max(x.lengths()) > 2; },
                                       [](Ragged<int> x) {
                                         return fg::filter([](Exp<int> v) { return v % 2 == 0; },
                                                           fg::map([](Exp<int> v) { return v / 2; }, x));
                                       },
                                       r);
    return std::tuple{shrunk, fg::cond(sorts, [&] { return fg::sort(r); }, [&] { return r; })};
  };
  on_every_engine(program, [](const auto& f) {
    const Rows rows{{}, {5, 4, 9, 2}, {1}, {16, 3, 20, 8, 0}};
    const auto [shrunk, same] = f(RaggedArray<int>(rows), false);
    const auto [again, in_order] = f(RaggedArray<int>(rows), true);
    Rows expected = rows;
    const auto longest = [&] {
      return std::ranges::max_element(expected, {}, [](const Ints& row) { return row.size(); })->size();
    };
    while (longest() > 2)
      for (Ints& row : expected) {
        for (int& x : row) x /= 2;
        std::erase_if(row, [](int x) { return x % 2 != 0; });
      }
    EXPECT_EQ(shrunk.to_vectors(), expected);
    EXPECT_EQ(same.to_vectors(), rows);
    EXPECT_EQ(in_order.to_vectors(), each_row(rows, sorted));
  });
}

// A breadth-first search, one frontier after the other.
Vec<int> next_frontier(Vec<int> frontier, Ragged<int> graph, Vec<bool> seen) {
  auto reached = fg::expand([&](Exp<int> v) { return graph.row(v).size(); },
                            [&](Exp<int> v, Exp<i64> k) { return graph.row(v)[k]; }, frontier);
  return fg::unique(fg::filter([&](Exp<int> v) { return !seen[v]; }, reached));
}
Vec<int> distances(Ragged<int> graph, Exp<int> from) {
  const auto n = graph.size();
  const auto found = fg::while_loop(
      [](Vec<int> frontier, Vec<int>, Exp<int>) { return frontier.size() > 0; },
      [&](Vec<int> frontier, Vec<int> distance, Exp<int> level) {
        const auto now = fg::scatter(distance, frontier, fg::replicate(frontier.size(), level));
        return std::tuple{next_frontier(frontier, graph, now >= 0), now, level + 1};
      },
      fg::replicate(1, from), fg::replicate(n, -1), 0);
  return std::get<1>(found);
}

TEST(Ragged, BreadthFirstSearch) {
  on_every_engine(distances, [](const auto& f) {
    std::mt19937 random(9);
    Rows graph(60);
    for (int edge = 0; edge < 100; ++edge) graph[random() % 60].push_back(static_cast<int>(random() % 60));
    Ints expected(graph.size(), -1), frontier{3};
    expected[3] = 0;
    for (int level = 1; !frontier.empty(); ++level) {
      Ints next;
      for (int v : frontier)
        for (int w : graph[static_cast<std::size_t>(v)])
          if (expected[static_cast<std::size_t>(w)] < 0) {
            expected[static_cast<std::size_t>(w)] = level;
            next.push_back(w);
          }
      frontier = next;
    }
    EXPECT_EQ(f(RaggedArray<int>(graph), 3).to_vector(), expected);
  });
}

// One long row among short ones.
TEST(Ragged, OneLongRow) {
  const auto program = [](Ragged<int> r) {
    const auto size_of = [](Exp<i64> n) { return n; };
    const auto element_of = [](Exp<i64> n, Exp<i64> k) { return n ^ k; };
    return std::tuple{fg::sum(r, fg::axis(1)), fg::scan(fg::plus, 0, r),
                      fg::expand_reduce(size_of, element_of, fg::plus, i64{0}, r.lengths()),
                      fg::expand_rows(size_of, element_of, r.lengths())};
  };
  on_every_engine(program, [](const auto& f) {
    const bool is_fast = f.options().engine == fg::Engine::cpu;
    Ints lengths(is_fast ? 100000 : 300, 3);
    lengths[lengths.size() / 3] = is_fast ? 1000000 : 5000;
    lengths.back() = 1025;
    const Rows rows = rows_of(lengths, 11);
    const auto [sums, scans, folds, expanded] = f(RaggedArray<int>(rows));
    EXPECT_EQ(sums.to_vector(), of_rows(rows, sum_of));
    EXPECT_TRUE(scans.to_vectors() == each_row(rows, scanned));
    std::vector<i64> expected;
    std::vector<std::vector<i64>> elements;
    for (i64 n : lengths) {
      elements.emplace_back();
      for (i64 k = 0; k < n; ++k) elements.back().push_back(n ^ k);
      expected.push_back(std::accumulate(elements.back().begin(), elements.back().end(), i64{0}));
    }
    EXPECT_EQ(folds.to_vector(), expected);
    EXPECT_TRUE(expanded.to_vectors() == elements);
  });
}

TEST(Ragged, OnTheHostIsARangeOfSpans) {
  const Rows rows{{1, 2}, {}, {3}};
  const RaggedArray<int> array(rows);
  EXPECT_EQ(array.size(), 3);
  int sum = 0;
  for (std::span<const int> row : array)
    for (int x : row) sum += x;
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(array[2][0], 3);
  EXPECT_EQ(RaggedArray<int>().size(), 0);
  EXPECT_EQ(RaggedArray<int>().to_vectors(), Rows());
}

TEST(Unique, IsSortedAndDistinct) {
  on_every_engine(
      [](Vec<float> xs) { return fg::unique(xs); },
      [](const auto& f) {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> result = f(std::vector<float>{2, nan, -1, 2, nan, 0, -1}).to_vector();
        ASSERT_EQ(result.size(), 4u);
        EXPECT_EQ(std::vector<float>(result.begin(), result.begin() + 3), (std::vector<float>{-1, 0, 2}));
        EXPECT_NE(result[3], result[3]);
        EXPECT_EQ(f(std::vector<float>{}).size(), 0);
      });
  on_every_engine([](Vec<Pair> xs) { return fg::unique(xs); },
                  [](const auto& f) {
                    const std::vector<Pair> xs{{2, 1}, {1, 5}, {2, 1}, {2, 0}};
                    EXPECT_EQ(f(xs).to_vector(), (std::vector<Pair>{{1, 5}, {2, 0}, {2, 1}}));
                  });
}

TEST(Ragged, SaysWhatIsWrong) {
  on_every_engine([](Ragged<int> r) { return fg::sum(r, fg::axis(1)); },
                  [](const auto& f) {
                    for (const std::vector<i64>& offsets :
                         {std::vector<i64>{}, {0}, {0, 3, 2, 4}, {1, 4}, {0, 2}, {0, 5}, {-1, 4}})
                      EXPECT_THROW(f(RaggedArray<int>(offsets, Ints{1, 2, 3, 4})), fg::ShapeError);
                  });
  on_every_engine(
      [](Ragged<int> r, Vec<int> at) { return fg::map([&](Exp<int> i) { return r.row(i)[0]; }, at); },
      [](const auto& f) {
        const RaggedArray<int> rows(Rows{{1}, {}, {2, 3}});
        EXPECT_EQ(f(rows, Ints{2, 0}).to_vector(), (Ints{2, 1}));
        for (int bad : {-1, 3})
          EXPECT_NE(message_of<fg::IndexError>([&] {
                      f(rows, Ints{0, bad});
                    }).find("row " + std::to_string(bad) + " at position 1 is outside 0..2"),
                    std::string::npos);
        EXPECT_THROW(f(rows, Ints{1}), fg::IndexError);  // it has no element 0
      });
  on_every_engine(
      [](Vec<int> sizes) {
        return fg::expand([](Exp<int> n) { return n; }, [](Exp<int>, Exp<i64> k) { return k; }, sizes);
      },
      [](const auto& f) { EXPECT_THROW(f(Ints{1, -1}), fg::ShapeError); });
  on_every_engine(
      [](Vec<int> sizes) {
        return fg::expand_reduce([](Exp<int> n) { return n; }, [](Exp<int>, Exp<i64> k) { return k; },
                                 fg::plus, i64{0}, sizes);
      },
      [](const auto& f) { EXPECT_THROW(f(Ints{1, -1}), fg::ShapeError); });
  on_every_engine([](Ragged<int> a,
                     Ragged<int> b) { return fg::map([](Exp<int> x, Exp<int> y) { return x + y; }, a, b); },
                  [](const auto& f) {
                    EXPECT_THROW(f(RaggedArray<int>(Rows{{1}, {2, 3}}), RaggedArray<int>(Rows{{1, 2}, {3}})),
                                 fg::ShapeError);
                    EXPECT_THROW(f(RaggedArray<int>(Rows{{1}}), RaggedArray<int>(Rows{{1}, {}})),
                                 fg::ShapeError);
                  });
  EXPECT_THROW(fg::compile([](Ragged<int> r) { return fg::sum(r, fg::axis(0)); }), fg::ShapeError);
}

/// A point folds the elements of each of its items one item after the other: it needs no memory for pieces of
/// long ones, of which nothing bounds how many there are.
TEST(Expand, FoldsInsideOfPoints) {
  const auto program = [](Mat<int> m) {
    return fg::map(
        [](Vec<int> row) {
          return fg::expand_reduce([](Exp<int> x) { return x; },
                                   [](Exp<int> x, Exp<i64> k) { return 10 * x + fg::cast<int>(k); }, fg::max,
                                   -1, row);
        },
        fg::rows(m));
  };
  on_every_engine(program, [](const auto& f) {
    for (const auto& [rows, columns] : {std::pair<i64, i64>{1, 1}, {3, 100}, {17, 64}, {0, 5}, {5, 0}}) {
      std::vector<int> sizes(static_cast<std::size_t>(rows * columns)), wanted;
      for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = i == 70 ? 3000 : static_cast<int>(i * 7 % 5);
      for (const int n : sizes) wanted.push_back(n == 0 ? -1 : 10 * n + n - 1);
      EXPECT_EQ(f(fg::Array<int, 2>(sizes, {rows, columns})).to_vector(), wanted);
    }
    EXPECT_THROW(f(fg::Array<int, 2>(std::vector<int>{1, -1}, {1, 2})), fg::ShapeError);
  });
}

}  // namespace
