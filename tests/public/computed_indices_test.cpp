// Indices divided by sizes that are known when a program runs, reads at computed places, and reads in loops
// whose indices do not change, against sequential loops; and what fails of them.
#include "lines.h"
#include "operators.h"
#include "policies.h"

namespace {

using Ints = std::vector<int>;
using Longs = std::vector<fg::i64>;
using Index = Exp<fg::i64>;

const char* const policies[] = {"", "divided_row=1", "divided_row=1 cheap_tile=64 moderate_tile=64",
                                "divided_row=1048576"};
constexpr std::int64_t divisors[] = {1, 2, 3, 4, 7, 8, 16, 17, 31, 32, 33, 64, 67, 131, 1009};

Ints numbers(std::int64_t n) {
  Ints x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(static_cast<int>(i * 7919 % 1009) - 500);
  return x;
}
int at(const Ints& x, std::int64_t i) {
  return x[static_cast<std::size_t>(i)];
}

TEST(ComputedIndices, DividedByARunTimeNumberProperty) {
  const auto program = [](Vec<int> x, Index m, Vec<int> by_column, Vec<int> by_row) {
    const auto n = x.size(), rows = n / m;
    const auto scaled = fg::generate(n, [=](Index i) { return x[i] * by_column[i % m] + by_row[i / m]; });
    const auto doubled = fg::generate(
        n, [=](Index i) { return fg::cast<double>(x[i / (m * 2)]) + fg::cast<double>(i % (2 * m)) + 0.5; });
    const auto in_three = fg::generate(
        n, [=](Index i) { return fg::cast<int>(i / (m * rows) + i / m % rows * 100 + i % m * 10000); });
    const auto both = fg::unzip(fg::generate(n, [=](Index i) {
      return std::tuple{x[i / m * m + (m - 1 - i % m)], fg::cast<std::uint8_t>(i % m)};
    }));
    return std::tuple{scaled, doubled, in_three, std::get<0>(both), std::get<1>(both)};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t m : divisors)
      for (const std::int64_t rows : {1, 2, 3, 33})
        for (const std::int64_t more : {0, 1}) {
          const std::int64_t n = m * rows - more * std::min<std::int64_t>(m - 1, 3);
          SCOPED_TRACE(::testing::PrintToString(std::pair(n, m)));
          const Ints x = numbers(m * rows), by_column = numbers(m), by_row = numbers(rows + 1);
          if (n / m * m + m > n && n % m != 0) continue;  // the last row would be read after its end
          const Ints given(x.begin(), x.begin() + n);
          const auto [scaled, doubled, in_three, turned, bytes] = f(given, m, by_column, by_row);
          Ints wanted, in_three_wanted, turned_wanted;
          std::vector<double> doubled_wanted;
          std::vector<std::uint8_t> bytes_wanted;
          for (std::int64_t i = 0; i < n; ++i) {
            wanted.push_back(at(x, i) * at(by_column, i % m) + at(by_row, i / m));
            doubled_wanted.push_back(at(x, i / (2 * m)) + static_cast<double>(i % (2 * m)) + 0.5);
            in_three_wanted.push_back(
                static_cast<int>(i / (m * (n / m)) + i / m % (n / m) * 100 + i % m * 10000));
            turned_wanted.push_back(at(x, i / m * m + (m - 1 - i % m)));
            bytes_wanted.push_back(static_cast<std::uint8_t>(i % m));
          }
          EXPECT_EQ(scaled.to_vector(), wanted);
          EXPECT_EQ(doubled.to_vector(), doubled_wanted);
          EXPECT_EQ(in_three.to_vector(), in_three_wanted);
          EXPECT_EQ(turned.to_vector(), turned_wanted);
          EXPECT_EQ(bytes.to_vector(), bytes_wanted);
        }
  });
}

// Rows are not full, and the divisor is negative.
TEST(ComputedIndices, OtherDivisors) {
  const auto program = [](Index n, Index m) {
    return fg::generate(n, [=](Index i) { return i / m * 1000 + i % m; });
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t m : {-7, -1, 1, 5, 64, 5000, 1000003})
      for (const std::int64_t n : {0, 1, 63, 128, 1000}) {
        Longs wanted;
        for (std::int64_t i = 0; i < n; ++i) wanted.push_back(i / m * 1000 + i % m);
        EXPECT_EQ(f(n, m).to_vector(), wanted) << n << " " << m;
      }
    EXPECT_THROW(f(10, 0), fg::ArithmeticError);
    EXPECT_TRUE(f(0, 0).to_vector().empty());
  });
}

// What is divided is linear in the index; elements of several sizes, reductions, matrices and other axes.
TEST(ComputedIndices, DividedLinearlyProperty) {
  const auto program = [](Vec<int> x, Mat<double> w, Index n, Index m, Index first) {
    const auto rows = w.size(0);
    const auto strided =
        fg::generate(n, [=](Index i) { return x[(3 * i + first) % m] + fg::cast<int>((3 * i + first) / m); });
    const auto doubles = fg::generate(n, [=](Index i) { return w[i / m % rows][i % m]; });
    const auto thirds =
        fg::sum(fg::generate(n, [=](Index i) { return x[i % 3] * fg::cast<int>(i / 3 + i % 7); }));
    const auto most = fg::argmax(fg::generate(n, [=](Index i) { return x[i % m]; }));
    const auto of_rows = fg::flatten(
        fg::generate({4, n}, [=](Index i, Index j) { return x[(j + i * 2) % m] - x[j / m % m]; }));
    return std::tuple{strided, doubles, thirds, most, of_rows};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t m : {3, 5, 16, 40})
      for (const std::int64_t n : {1, 31, 64, 700})
        for (const std::int64_t first : {0, 5}) {
          SCOPED_TRACE(::testing::PrintToString(std::tuple(n, m, first)));
          const Ints x = numbers(m);
          std::vector<double> w;
          for (std::int64_t k = 0; k < 3 * m; ++k) w.push_back(static_cast<double>(k) * 0.5);
          const auto [strided, doubles, thirds, most, of_rows] =
              f(x, fg::view(w.data(), {3, m}), n, m, first);
          Ints strided_wanted, of_rows_wanted;
          std::vector<double> doubles_wanted;
          int thirds_wanted = 0;
          std::int64_t most_wanted = 0;
          for (std::int64_t i = 0; i < n; ++i) {
            strided_wanted.push_back(at(x, (3 * i + first) % m) + static_cast<int>((3 * i + first) / m));
            doubles_wanted.push_back(w[static_cast<std::size_t>(i / m % 3 * m + i % m)]);
            thirds_wanted += at(x, i % 3) * static_cast<int>(i / 3 + i % 7);
            if (at(x, i % m) > at(x, most_wanted % m)) most_wanted = i;
          }
          for (std::int64_t i = 0; i < 4; ++i)
            for (std::int64_t j = 0; j < n; ++j)
              of_rows_wanted.push_back(at(x, (j + i * 2) % m) - at(x, j / m % m));
          EXPECT_EQ(strided.to_vector(), strided_wanted);
          EXPECT_EQ(doubles.to_vector(), doubles_wanted);
          EXPECT_EQ(thirds, thirds_wanted);
          EXPECT_EQ(most, most_wanted);
          EXPECT_EQ(of_rows.to_vector(), of_rows_wanted);
        }
  });
}

// Constant extents tell which version runs: its guard is a number.
TEST(ComputedIndices, DividedInConstantExtents) {
  const auto program = [](Mat<int> x, Mat<int> y, Index m) {
    const auto products = fg::generate({64, 64}, [=](Index i, Index j) {
      return fg::sum(fg::generate(64, [=](Index l) { return x(i, l) * y(l, j % m); }));
    });
    const auto few = fg::generate({2, 200}, [=](Index i, Index j) {
      return fg::sum(fg::generate(3, [=](Index l) { return x(i + l, j / m); }));
    });
    return std::tuple{products, few};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    const Ints x = numbers(64 * 64), y = numbers(64 * 64 + 1);
    const Ints by(y.begin() + 1, y.end());
    for (const std::int64_t m : {4, 5, 32, 64}) {
      const auto [products, few] = f(fg::view(x.data(), {64, 64}), fg::view(by.data(), {64, 64}), m);
      Ints wanted, few_wanted;
      for (std::int64_t i = 0; i < 64; ++i)
        for (std::int64_t j = 0; j < 64; ++j) {
          int sum = 0;
          for (std::int64_t l = 0; l < 64; ++l) sum += at(x, i * 64 + l) * at(by, l * 64 + j % m);
          wanted.push_back(sum);
        }
      for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t j = 0; j < 200; ++j)
          few_wanted.push_back(at(x, i * 64 + j / m) + at(x, (i + 1) * 64 + j / m) +
                               at(x, (i + 2) * 64 + j / m));
      EXPECT_EQ(products.to_vector(), wanted);
      EXPECT_EQ(few.to_vector(), few_wanted);
    }
  });
}

TEST(ComputedIndices, QuotientsOutside) {
  const auto program = [](Vec<int> x, Index n, Index m, Index more) {
    return fg::generate(n, [=](Index i) { return x[i / m + more] + x[i % m]; });
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    const Ints x = numbers(100);
    Ints wanted;
    for (std::int64_t i = 0; i < 300; ++i) wanted.push_back(at(x, i / 3) + at(x, i % 3));
    EXPECT_EQ(f(x, 300, 3, 0).to_vector(), wanted);
    EXPECT_THROW(f(x, 301, 3, 0), fg::IndexError);
    EXPECT_THROW(f(x, 300, 3, 1), fg::IndexError);
    EXPECT_THROW(f(x, 300, 3, -1), fg::IndexError);
    EXPECT_THROW(f(x, 300, 101, 0), fg::IndexError);
  });
}

TEST(ComputedIndices, FlatTransposeAndWindowProperty) {
  const auto program = [](Vec<int> x, Index columns) {
    const auto n = x.size(), rows = n / columns;
    const auto transposed = fg::generate(n, [=](Index i) { return x[i / rows + i % rows * columns]; });
    const auto around = fg::generate(n, [=](Index i) {
      const Index row = i / columns, column = i % columns;
      Exp<int> sum = 0;
      for (const int down : {-1, 0, 1})
        for (const int right : {-1, 1})
          sum = sum * 3 + x[fg::min(fg::max(row + down, 0), rows - 1) * columns +
                            fg::min(fg::max(column + right, 0), columns - 1)];
      return sum;
    });
    return std::tuple{transposed, around};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t columns : {1, 2, 3, 8, 17, 33, 67})
      for (const std::int64_t rows : {1, 2, 5, 16, 67}) {
        SCOPED_TRACE(::testing::PrintToString(std::pair(rows, columns)));
        const Ints x = numbers(rows * columns);
        Ints transposed_wanted, around_wanted;
        for (std::int64_t i = 0; i < rows * columns; ++i) {
          transposed_wanted.push_back(at(x, i / rows + i % rows * columns));
          int sum = 0;
          for (const int down : {-1, 0, 1})
            for (const int right : {-1, 1})
              sum = sum * 3 + at(x, std::clamp<std::int64_t>(i / columns + down, 0, rows - 1) * columns +
                                        std::clamp<std::int64_t>(i % columns + right, 0, columns - 1));
          around_wanted.push_back(sum);
        }
        const auto [transposed, around] = f(x, columns);
        EXPECT_EQ(transposed.to_vector(), transposed_wanted);
        EXPECT_EQ(around.to_vector(), around_wanted);
      }
  });
}

// Reads at places that are linear in the index: all inside, the last one outside, none inside.
TEST(ComputedIndices, LinearPlaces) {
  const auto program = [](Vec<int> x, Index n, Index first, Index by) {
    const auto y = fg::generate(n, [=](Index i) { return x[first + i * by] + 2 * x[first + i * by + 1]; });
    return std::tuple{y, fg::sum(y)};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    const Ints x = numbers(5000);
    const std::int64_t cases[][3] = {{4999, 0, 1}, {100, 0, 50}, {100, 4998, -50}, {1, 4998, 77},
                                     {70, 3, 0},   {0, -5, 1},   {0, 6000, 3},     {2500, 0, 2}};
    for (const auto& [n, first, by] : cases) {
      Ints wanted;
      int sum = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        wanted.push_back(at(x, first + i * by) + 2 * at(x, first + i * by + 1));
        sum += wanted.back();
      }
      const auto [y, total] = f(x, n, first, by);
      EXPECT_EQ(y.to_vector(), wanted) << n << " " << first << " " << by;
      EXPECT_EQ(total, sum);
    }
    constexpr std::int64_t huge = std::int64_t{1} << 62;
    const std::int64_t failing[][3] = {{5000, 0, 1},    {100, -1, 50},   {100, 4999, -50}, {1, 4999, 1},
                                       {70, 5000, 0},   {5, 0, huge},    {9, 0, huge / 2}, {5, 1, -huge},
                                       {1, huge, huge}, {3, -huge, huge}};
    for (const auto& [n, first, by] : failing)
      EXPECT_THROW(f(x, n, first, by), fg::IndexError) << n << " " << first << " " << by;
  });
}

// What a position says of a failing element does not depend on how it was found.
TEST(ComputedIndices, TheFirstFailingElement) {
  const auto program = [](Vec<int> x, Index n, Index m) {
    return fg::generate(n, [=](Index i) { return x[i % m + i / m * 3]; });
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    try {
      f(numbers(100), 1024, 64);
      ADD_FAILURE() << "nothing failed";
    } catch (const fg::IndexError& error) {
      EXPECT_NE(std::string(error.what()).find("100"), std::string::npos) << error.what();
    }
  });
}

Ints gathered(const Longs& places, Ints x, int steps) {
  for (int step = 0; step < steps; ++step) {
    Ints next = x;
    for (std::size_t i = 0; i < places.size(); ++i) next[i % next.size()] += at(x, places[i]);
    x = next;
  }
  return x;
}

TEST(ChecksInLoops, OfPlacesThatDoNotChange) {
  const auto counted = [](Vec<fg::i64> places, Vec<int> x, Exp<int> steps) {
    return fg::iterate(steps, [&](Vec<int> now) { return now + fg::gather(now, places); }, x);
  };
  const auto decided = [](Vec<fg::i64> places, Vec<int> x, Exp<int> steps) {
    const auto [n_steps, y] = fg::while_loop(
        [&](Exp<int> k, Vec<int>) { return k < steps; },
        [&](Exp<int> k, Vec<int> now) { return std::tuple{k + 1, now + fg::gather(now, places)}; }, 0, x);
    return y;
  };
  const auto test = [](const auto& f) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{17}, std::size_t{1000}}) {
      Longs places;
      for (std::size_t i = 0; i < n; ++i) places.push_back(static_cast<fg::i64>(i * 7919 % n));
      const Ints x = numbers(static_cast<std::int64_t>(n));
      for (const int steps : {-1, 0, 1, 2, 5})
        EXPECT_EQ(f(places, x, steps).to_vector(), gathered(places, x, steps));
      Longs wrong = places;
      wrong[n / 2] = static_cast<fg::i64>(n);
      EXPECT_EQ(f(wrong, x, 0).to_vector(), x);
      for (const int steps : {1, 3}) {
        try {
          f(wrong, x, steps);
          ADD_FAILURE() << "nothing failed";
        } catch (const fg::IndexError& error) {
          const std::string what = error.what();
          EXPECT_NE(what.find("index " + std::to_string(n) + " "), what.npos) << what;
          EXPECT_NE(what.find("position " + std::to_string(n / 2) + " "), what.npos) << what;
          EXPECT_NE(what.find("0.." + std::to_string(n - 1)), what.npos) << what;
        }
      }
    }
    EXPECT_TRUE(f(Longs(), Ints(), 3).to_vector().empty());
  };
  on_every_engine_and_policy(policies, counted, test);
  on_every_engine_and_policy(policies, decided, test);
}

TEST(ChecksInLoops, OfOffsetsThatDoNotChange) {
  const auto program = [](Vec<fg::i64> starts, Vec<fg::i64> columns, Vec<int> values, Vec<int> x,
                          Exp<int> steps) {
    return fg::iterate(
        steps,
        [&](Vec<int> now) {
          return fg::segmented_reduce(fg::plus, 0, fg::offsets(starts), values * fg::gather(now, columns));
        },
        x);
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    const Longs starts{0, 2, 2, 5}, columns{1, 2, 0, 0, 1};
    const Ints values{1, 2, 3, 4, 5}, x{1, 1, 2};
    EXPECT_EQ(f(starts, columns, values, x, 0).to_vector(), x);
    EXPECT_EQ(f(starts, columns, values, x, 1).to_vector(), (Ints{5, 0, 12}));
    EXPECT_EQ(f(starts, columns, values, x, 2).to_vector(), (Ints{24, 0, 35}));
    const Longs descends{0, 3, 2, 5}, ends_early{0, 2, 2, 4}, outside{1, 2, 3, 0, 1};
    EXPECT_EQ(f(descends, outside, values, x, 0).to_vector(), x);
    EXPECT_THROW(f(descends, columns, values, x, 1), fg::ShapeError);
    EXPECT_THROW(f(ends_early, columns, values, x, 2), fg::ShapeError);
    EXPECT_THROW(f(starts, outside, values, x, 2), fg::IndexError);
  });
}

/// Blocks whose elements and places are flattened are stored row by row.
TEST(ComputedIndices, PlacesOfBlocksProperty) {
  const auto program = [](Vec<int> x, fg::Acc<int, 3> blocks, Index apart) {
    const auto place = [&](Index k, Index i, Index j) { return k * apart + i * (blocks.size(2) + 1) + j; };
    const auto places = fg::flatten(fg::generate({blocks.size(0), blocks.size(1), blocks.size(2)}, place));
    const auto by_fours = fg::flatten(fg::generate(
        {blocks.size(0), 4, 4}, [&](Index k, Index i, Index j) { return k * apart + i * 5 + j; }));
    const Vec<int> elements = fg::flatten(blocks);
    return std::tuple{fg::scatter(x, places, elements, fg::any_of_equal), fg::scatter(x, places, elements),
                      fg::iterate(
                          2,
                          [&](Index step, Vec<int> u) {
                            const Vec<int> values =
                                fg::map([&](Index p) { return fg::cast<int>(p + step); }, by_fours);
                            return fg::scatter(u, by_fours, values, fg::any_of_equal);
                          },
                          x)};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const auto& [k, n, m] :
         {std::array<std::int64_t, 3>{1, 1, 1}, {3, 4, 5}, {0, 3, 2}, {2, 16, 64}, {5, 7, 33}}) {
      const std::int64_t apart = n * (m + 1) + 20;
      const Ints x = numbers(k * apart + 3), elements = numbers(k * n * m);
      Ints wanted = x, of_fours = x;
      for (std::int64_t b = 0; b < k; ++b)
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < m; ++j)
            wanted[static_cast<std::size_t>(b * apart + i * (m + 1) + j)] = at(elements, (b * n + i) * m + j);
      for (std::int64_t b = 0; b < k; ++b)
        for (std::int64_t i = 0; i < 4; ++i)
          for (std::int64_t j = 0; j < 4; ++j) {
            const std::int64_t p = b * apart + i * 5 + j;
            of_fours[static_cast<std::size_t>(p)] = static_cast<int>(p + 1);
          }
      const auto [any, ordered, fours] = f(x, fg::Array<int, 3>(elements, {k, n, m}), apart);
      EXPECT_EQ(any.to_vector(), wanted);
      EXPECT_EQ(ordered.to_vector(), wanted);
      EXPECT_EQ(fours.to_vector(), of_fours);
    }
  });
}

}  // namespace
