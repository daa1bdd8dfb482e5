// Points that choose what they read by quotients and remainders of their index by small constants, against
// sequential loops.
#include "lines.h"
#include "operators.h"
#include "policies.h"

namespace {

using Index = Exp<fg::i64>;

const char* const policies[] = {"", "interleave_points=1",
                                "interleave_points=64 cheap_tile=64 moderate_tile=64",
                                "interleave_points=4 short_vectors=1"};
// Around vectors, and the groups of one.
constexpr std::int64_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 31, 33, 64, 127, 128, 129, 1000, 20'011};

template <class T>
T at(const std::vector<T>& x, std::int64_t i) {
  return x.at(static_cast<std::size_t>(i));
}
// As numbers that wrap around.
template <class T>
std::uint64_t wide(const std::vector<T>& x, std::int64_t i) {
  return static_cast<std::uint64_t>(at(x, i));
}
template <class T>
std::vector<T> made(std::int64_t n, auto element) {
  std::vector<T> all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(static_cast<T>(element(i)));
  return all;
}

template <class T, std::int64_t c>
void chosen_by_remainders() {
  const auto program = [](Vec<T> x, Vec<T> y, Vec<T> few) {
    const Index n = x.size();
    const auto interleaved = fg::generate(c * n, [=](Index i) {
      return fg::cond(i % c == c - 1, [&] { return x[i / c]; }, [&] { return y[i / c]; });
    });
    const auto twice = fg::generate(n * (2 * c), [=](Index i) {
      return fg::select((i / c) % 2 == 0, x[i / (2 * c)] + few[i % c], x[i / (2 * c)]);
    });
    const auto scaled = fg::generate(n, [=](Index i) { return x[i] * few[i % c] + x[i / c]; });
    const auto whole = n / c * c;
    const auto firsts = fg::unzip(fg::generate(whole, [=](Index i) {
      return std::tuple{x[i / c * c], fg::cast<fg::i64>(x[i / c * c + (c - 1 - i % c)])};
    }));
    return std::tuple{interleaved, twice, scaled, std::get<0>(firsts), std::get<1>(firsts)};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t n : sizes) {
      if (n > 1000 && f.options().engine != fg::Engine::cpu) continue;
      SCOPED_TRACE(::testing::PrintToString(std::pair(n, c)));
      const auto x = values<T>(n, 1), y = values<T>(n, 2), few = values<T>(c, 3);
      const auto [interleaved, twice, scaled, firsts, turned] = f(x, y, few);
      EXPECT_EQ(interleaved.to_vector(),
                made<T>(c * n, [&](auto i) { return i % c == c - 1 ? at(x, i / c) : at(y, i / c); }));
      EXPECT_EQ(twice.to_vector(), made<T>(2 * c * n, [&](auto i) {
                  return wide(x, i / (2 * c)) + (i / c % 2 == 0 ? wide(few, i % c) : 0);
                }));
      EXPECT_EQ(scaled.to_vector(),
                made<T>(n, [&](auto i) { return wide(x, i) * wide(few, i % c) + wide(x, i / c); }));
      EXPECT_EQ(firsts.to_vector(), made<T>(n / c * c, [&](auto i) { return at(x, i / c * c); }));
      EXPECT_EQ(turned.to_vector(), made<fg::i64>(n / c * c, [&](auto i) {
                  return static_cast<fg::i64>(at(x, i / c * c + (c - 1 - i % c)));
                }));
    }
  });
}

TEST(Interleaved, ChosenByRemaindersProperty) {
  chosen_by_remainders<int, 2>();
  chosen_by_remainders<std::uint8_t, 3>();
  chosen_by_remainders<std::int16_t, 4>();
  chosen_by_remainders<fg::i64, 5>();
  chosen_by_remainders<std::uint8_t, 8>();
  chosen_by_remainders<int, 7>();
}

TEST(Interleaved, BitsOfIndices) {
  const auto program = [](Vec<std::uint8_t> bytes, Vec<int> x) {
    const auto bits = fg::generate(8 * bytes.size(), [=](Index i) {
      return (bytes[i >> 3] >> fg::cast<std::uint8_t>(i & 7)) & std::uint8_t(1);
    });
    const auto truths = fg::generate(8 * bytes.size(), [=](Index i) {
      return ((bytes[i / 8] >> fg::cast<std::uint8_t>(i % 8)) & std::uint8_t(1)) != std::uint8_t(0);
    });
    const auto larger =
        fg::generate(3 * x.size(), [=](Index i) { return fg::cast<fg::i64>(x[i / 3]) > i % 3; });
    const auto codes = fg::generate(bytes.size() / 3 * 4, [=](Index i) {
      const auto byte = [&](Index k) { return fg::cast<std::uint32_t>(bytes[i / 4 * 3 + k]); };
      const auto three = (byte(0) << 16u) | (byte(1) << 8u) | byte(2);
      return fg::cast<std::uint8_t>((three >> fg::cast<std::uint32_t>(18 - 6 * (i % 4))) & 63u);
    });
    const auto partners = fg::generate(x.size() / 4 * 4, [=](Index i) { return x[i ^ 1] - x[i ^ 3]; });
    return std::tuple{bits, truths, larger, codes, partners};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t n : sizes) {
      if (n > 1000 && f.options().engine != fg::Engine::cpu) continue;
      SCOPED_TRACE(n);
      const auto bytes = values<std::uint8_t>(n);
      const auto x = values<int>(n);
      const auto [bits, truths, larger, codes, partners] = f(bytes, x);
      EXPECT_EQ(bits.to_vector(),
                made<std::uint8_t>(8 * n, [&](auto i) { return at(bytes, i >> 3) >> (i & 7) & 1; }));
      EXPECT_EQ(truths.to_vector(),
                made<bool>(8 * n, [&](auto i) { return (at(bytes, i >> 3) >> (i & 7) & 1) != 0; }));
      EXPECT_EQ(larger.to_vector(), made<bool>(3 * n, [&](auto i) { return at(x, i / 3) > i % 3; }));
      EXPECT_EQ(codes.to_vector(), made<std::uint8_t>(n / 3 * 4, [&](auto i) {
                  const auto first = i / 4 * 3;
                  const int three = at(bytes, first) << 16 | at(bytes, first + 1) << 8 | at(bytes, first + 2);
                  return three >> (18 - 6 * (i % 4)) & 63;
                }));
      EXPECT_EQ(partners.to_vector(),
                made<int>(n / 4 * 4, [&](auto i) { return wide(x, i ^ 1) - wide(x, i ^ 3); }));
    }
  });
}

// Rows, of which each may end within a group.
TEST(Interleaved, RowsProperty) {
  const auto program = [](Mat<float> x, Mat<float> angles) {
    const auto larger =
        fg::generate({2 * x.size(0), 3 * x.size(1)}, [=](Index i, Index j) { return x(i / 2, j / 3); });
    const auto turned = fg::map(
        [=](Vec<float> row, Vec<float> by) {
          return fg::generate(row.size() / 2 * 2, [=](Index j) {
            return fg::cond(
                j % 2 == 0, [&] { return row[j] - by[j / 2] * row[j + 1]; },
                [&] { return row[j] + by[j / 2] * row[j - 1]; });
          });
        },
        fg::rows(x), fg::rows(angles));
    return std::tuple{larger, turned};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : {1, 3, 20})
      for (const std::int64_t columns : {1, 2, 7, 16, 33, 65, 130}) {
        SCOPED_TRACE(::testing::PrintToString(std::pair(rows, columns)));
        const auto x = made<float>(rows * columns, [](auto i) { return i * 7919 % 101; });
        const std::int64_t half = columns / 2;
        const auto angles = made<float>(rows * half, [](auto i) { return i * 31 % 17; });
        const auto [larger, turned] =
            f(fg::view(x.data(), {rows, columns}), fg::view(angles.data(), {rows, half}));
        EXPECT_EQ(larger.to_vector(), made<float>(6 * rows * columns, [&](auto k) {
                    const std::int64_t i = k / (3 * columns), j = k % (3 * columns);
                    return at(x, i / 2 * columns + j / 3);
                  }));
        EXPECT_EQ(turned.to_vector(), made<float>(rows * half * 2, [&](auto k) {
                    const std::int64_t i = k / (2 * half), j = k % (2 * half), own = i * columns + j;
                    const float by = at(angles, i * half + j / 2);
                    return j % 2 == 0 ? at(x, own) - by * at(x, own + 1) : at(x, own) + by * at(x, own - 1);
                  }));
      }
  });
}

// Two rows that read what one of them reads: the rows are one point. Their number may be odd, they may be no
// full rows, and the roots may be too few.
TEST(Interleaved, ButterfliesProperty) {
  const auto program = [](Vec<int> x, Vec<int> roots, Index m) {
    const Index n = x.size();
    const auto flat = fg::unzip(fg::generate(n, [=](Index i) {
      const Index k = i % m, low = i / (2 * m) * m + k;
      const auto product = x[low + n / 2] * roots[k * ((n / 2) / m)];
      const auto is_first = i / m % 2 == 0;
      return std::tuple{fg::select(is_first, x[low] + product, x[low] - product),
                        fg::cast<std::uint8_t>(fg::select(is_first, x[low], product))};
    }));
    const auto in_rows = fg::generate({n / m, m}, [=](Index i, Index j) {
      return fg::cond(i % 3 == 2, [&] { return x[i / 3 * m + j] * 5; }, [&] { return x[i / 3 * m + j]; });
    });
    return std::tuple{std::get<0>(flat), std::get<1>(flat), in_rows};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t m : {1, 2, 3, 4, 8, 16, 17, 33, 64, 129})
      for (const std::int64_t n : {2 * m, 3 * m, 4 * m, 6 * m, 12 * m, 66 * m}) {
        SCOPED_TRACE(::testing::PrintToString(std::pair(n, m)));
        const auto x = values<int>(n + n % 2 * m, 1), roots = values<int>(n, 2);
        const std::vector<int> given(x.begin(), x.begin() + n);
        const auto low = [&](auto i) { return i / (2 * m) * m + i % m; };
        const auto product = [&](auto i) {
          return wide(given, low(i) + n / 2) * wide(roots, i % m * ((n / 2) / m));
        };
        if (low(n - 1) + n / 2 >= n) {
          EXPECT_THROW(f(given, roots, m), fg::IndexError);
          continue;
        }
        const auto [flat, bytes, in_rows] = f(given, roots, m);
        EXPECT_EQ(flat.to_vector(), made<int>(n, [&](auto i) {
                    return i / m % 2 == 0 ? wide(given, low(i)) + product(i)
                                          : wide(given, low(i)) - product(i);
                  }));
        EXPECT_EQ(bytes.to_vector(), made<std::uint8_t>(n, [&](auto i) {
                    return i / m % 2 == 0 ? wide(given, low(i)) : product(i);
                  }));
        EXPECT_EQ(in_rows.to_vector(), made<int>(n, [&](auto i) {
                    return wide(given, i / m / 3 * m + i % m) * (i / m % 3 == 2 ? 5U : 1U);
                  }));
        const std::vector<int> few(roots.begin(), roots.begin() + (m - 1) * ((n / 2) / m));
        EXPECT_THROW(f(given, few, m), fg::IndexError);
      }
    EXPECT_THROW(f(values<int>(4, 1), values<int>(4, 2), 0), fg::ArithmeticError);
  });
}

// A message names the point, not the group that it is in.
TEST(Interleaved, TheFirstPointThatFails) {
  const auto program = [](Vec<int> x, Vec<int> few, Index n) {
    return fg::generate(n, [=](Index i) { return x[i / 2] * few[i % 4]; });
  };
  const auto of_rows = [](Mat<int> x, Index n) {
    return fg::map(
        [=](Vec<int> row) { return fg::generate(n, [=](Index i) { return row[i / 2] + row[i / 2 + 1]; }); },
        fg::rows(x));
  };
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const fg::IndexError& error) {
      return error.what();
    }
    return "nothing failed";
  };
  const auto wants = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), text.npos) << text;
  };
  on_every_engine_and_policy(policies, program, [&](const auto& f) {
    const auto x = values<int>(100), few = values<int>(4);
    EXPECT_EQ(f(x, few, 200).to_vector(),
              made<int>(200, [&](auto i) { return wide(x, i / 2) * wide(few, i % 4); }));
    wants(message([&] { f(x, few, 204); }), "position 200 ");
    wants(message([&] { f(x, values<int>(3), 200); }), "position 3 ");
    wants(message([&] { f(values<int>(0), few, 4); }), "position 0 ");
  });
  on_every_engine_and_policy(policies, of_rows, [&](const auto& f) {
    const auto x = values<int>(60);
    EXPECT_EQ(f(fg::view(x.data(), {3, 20}), 38).to_vector(), made<int>(3 * 38, [&](auto k) {
                const std::int64_t i = k / 38 * 20 + k % 38 / 2;
                return wide(x, i) + wide(x, i + 1);
              }));
    wants(message([&] { f(fg::view(x.data(), {3, 20}), 40); }), "position 0 ");
  });
}

}  // namespace
