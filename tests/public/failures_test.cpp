// The numbers that messages of failures quote, wherever the failure happens: bounds, indices, extents and
// positions are the user's, the same on every engine.
#include "engines.h"

namespace {

using fg::i64, fg::u64;
using Ints = std::vector<int>;

const Ints table{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
const Ints places{1, 2, 7, 3, 9, 1, 20, 2};

/// f fails with E and says so.
template <class E, class F, class... Arguments>
void expect_message(const std::string& part, F f, const Arguments&... arguments) {
  on_every_engine(f, [&](const auto& compiled) {
    const std::string text = message_of<E>([&] { compiled(arguments...); });
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_NE(text.find("failures_test.cpp:"), std::string::npos) << text;
  });
}

TEST(Failures, BoundsOfSlicesInsideMaps) {
  using E = fg::ShapeError;
  expect_message<E>(
      "slice(7, 11) of an array of 10 needs",
      [](Vec<int> x, Vec<int> at) {
        return fg::map([&](Exp<int> i) { return fg::sum(x.slice(i, i + 4)); }, at);
      },
      table, places);
  expect_message<E>(
      "slice(0, 1, -1) of an array of 10 needs",
      [](Vec<int> x, Vec<int> at) {
        return fg::map([&](Exp<int> i) { return fg::sum(x.slice(0, i, i - 2)); }, at);
      },
      table, places);
  expect_message<E>(
      "slice(0, 5, 0) of an array of 10 needs",
      [](Vec<int> x, Vec<int> at) {
        return fg::map([&](Exp<int> i) { return fg::sum(x.slice(0, 5, 7 - i)); }, at);
      },
      table, Ints{2, 5, 7, 1});
  expect_message<E>(
      "slice(1, 7) of 4 along axis 1 needs",
      [](Mat<int> m, Vec<int> at) {
        return fg::map([&](Exp<int> i) { return fg::sum(m.slice({0, 2}, {1, i})); }, at);
      },
      fg::Array<int, 2>(Ints(12), {3, 4}), places);
  expect_message<E>(
      "slice(9, 3, 5) of 4 along axis 1 needs",
      [](Mat<int> m, Vec<int> at) {
        return fg::map([&](Exp<int> i) { return fg::sum(m.slice({0, 2, i}, {i + 4, 3, i})); }, at);
      },
      fg::Array<int, 2>(Ints(12), {3, 4}), Ints{5});
  expect_message<E>(
      "take(20) of 10 elements",
      [](Vec<int> x, Vec<int> at) {
        return fg::map([&](Exp<int> i) { return fg::sum(fg::take(x, i)); }, at);
      },
      table, places);
}

TEST(Failures, ShapesInsideMaps) {
  expect_message<fg::ShapeError>(
      "left is i64[2, 3], right is i64[2, 4]",
      [](Vec<int> at) {
        return fg::map(
            [&](Exp<int> i) {
              const auto sum_of = [](Exp<i64> r, Exp<i64> c) { return r + c; };
              return fg::sum(fg::generate({2, i}, sum_of) + fg::generate({2, 4}, sum_of));
            },
            at);
      },
      Ints{4, 4, 3});
  expect_message<fg::ShapeError>(
      "left is i64[1, 2, 3], right is i64[1, 2, 5]",
      [](Vec<int> at) {
        return fg::map(
            [&](Exp<int> i) {
              const auto sum_of = [](Exp<i64> a, Exp<i64> b, Exp<i64> c) { return a + b + c; };
              return fg::sum(fg::generate({1, 2, 3}, sum_of) + fg::generate({1, 2, i}, sum_of));
            },
            at);
      },
      Ints{3, 5});
}

TEST(Failures, PositionsInNestedMapsAreThoseOfTheOutermost) {
  using E = fg::IndexError;
  expect_message<E>(
      "index 10 at position 2 is outside 0..9",
      [](Vec<int> x) {
        return fg::generate(
            5, [&](Exp<i64> i) { return fg::generate(4, [&](Exp<i64> j) { return x[i * 4 + j]; }); });
      },
      table);
  expect_message<E>(
      "index 10 at position 2 is outside 0..9",
      [](Vec<int> x) {
        return fg::generate(5, [&](Exp<i64> i) {
          return fg::sum(fg::generate(4, [&](Exp<i64> j) { return x[i * 4 + j]; }));
        });
      },
      table);
  const fg::Array<int, 2> m(Ints(12), {3, 4});
  expect_message<E>(
      "index 7 at position 0 is outside 0..3",
      [](Mat<int> matrix, Vec<int> at) {
        return fg::map([&](Vec<int> r) { return fg::map([&](Exp<int> i) { return r[i]; }, at); },
                       fg::rows(matrix));
      },
      m, places);
  // Three maps inside each other; the middle one's rows are 2 by 2.
  expect_message<E>(
      "index 10 at position 2 is outside 0..9",
      [](Vec<int> x) {
        return fg::generate(4, [&](Exp<i64> i) {
          return fg::generate({2, 2}, [&](Exp<i64> j, Exp<i64> k) { return x[i * 4 + j * 2 + k]; });
        });
      },
      table);
  // Two axes are one space, and stay one.
  expect_message<E>(
      "index 10 at position 10 is outside 0..9",
      [](Vec<int> x) { return fg::generate({3, 5}, [&](Exp<i64> i, Exp<i64> j) { return x[i * 5 + j]; }); },
      table);
  // Beside a map that fails by its own numbers.
  expect_message<E>(
      "index 12 at position 3 is outside 0..9",
      [](Vec<int> x) {
        const auto flat = fg::generate({4, 4}, [&](Exp<i64> i, Exp<i64> j) { return x[(i * 4 + j) % 10]; });
        const auto nested = fg::generate(
            4, [&](Exp<i64> i) { return fg::generate(4, [&](Exp<i64> j) { return x[i * 4 + j * 0]; }); });
        return std::tuple{flat, nested};
      },
      table);
}

// The function is computed where its value is read, and there with an element that is not there.
TEST(Failures, OutsideOfAnArrayWhoseFunctionDivides) {
  using E = fg::IndexError;
  const auto inverted = [](Vec<int> x) { return fg::map([](Exp<int> e) { return 100 / e; }, x); };
  expect_message<E>(
      "index 8 at position 7 is outside 0..7",
      [&](Vec<int> x) {
        const Vec<int> w = inverted(x);
        return fg::generate(8, [&](Exp<i64> i) { return w[i + 1]; });
      },
      places);
  expect_message<E>(
      "index -2 at position 0 is outside 0..7",
      [&](Vec<int> x, Exp<i64> n) {
        const Vec<int> w = inverted(x);
        return fg::sum(fg::generate(8, [&](Exp<i64> i) { return w[i - n]; }));
      },
      places, i64{2});
  expect_message<E>(
      "index 20 at position 6 is outside 0..7",
      [&](Vec<int> x) {
        const Vec<int> w = inverted(x);
        return fg::map([&](Exp<int> i) { return fg::select(i > 9, w[i], w[i % 8]); }, x);
      },
      Ints{1, 2, 7, 3, 7, 1, 20, 2});
}

// That a number is the size of an array in a branch that is not taken says nothing of it.
TEST(Failures, IndicesBesideABranchThatIsNotTaken) {
  expect_message<fg::IndexError>(
      "index -3 at position 0 is outside 0..9",
      [](Vec<int> x, Exp<i64> w) {
        const auto total = fg::cond(w > 0, [&] { return fg::sum(fg::iota(w)); }, [] { return Exp<i64>(0); });
        return fg::generate(x.size() - w, [&](Exp<i64> i) { return fg::cast<i64>(x[i + w]) + total; });
      },
      table, i64{-3});
}

TEST(Failures, PositionsInLoopsAndScans) {
  using E = fg::IndexError;
  expect_message<E>(
      "index 10 at position 2 is outside 0..9",
      [](Vec<int> x) {
        return fg::generate(5, [&](Exp<i64> i) {
          return fg::iterate(4, [&](Exp<i64> k, Exp<int> s) { return s + x[i * 4 + k]; }, Exp<int>(0));
        });
      },
      table);
  expect_message<E>(
      "index 10 at position 2 is outside 0..9",
      [](Vec<int> x) {
        return fg::generate(5, [&](Exp<i64> i) {
          return fg::scan(fg::plus, 0, fg::generate(4, [&](Exp<i64> j) { return x[i * 4 + j]; }));
        });
      },
      table);
  expect_message<E>(
      "index 20 at position 6 is outside 0..9",
      [](Vec<int> x, Vec<int> at) { return fg::filter([&](Exp<int> i) { return x[i] == 0; }, at); }, table,
      places);
}

TEST(Failures, UnsignedIndices) {
  using E = fg::IndexError;
  const std::vector<u64> at{1, (u64{1} << 63) + 5};
  const auto read = [](Vec<int> x, Vec<u64> indices) {
    return fg::map([&](Exp<u64> i) { return x[i]; }, indices);
  };
  const auto gather = [](Vec<int> x, Vec<u64> indices) { return fg::gather(x, indices); };
  expect_message<E>("index 9223372036854775813 at position 1 is outside 0..9", read, table, at);
  expect_message<E>("index 9223372036854775813 at position 1 is outside 0..9", gather, table, at);
  expect_message<E>(
      "index 18446744073709551615 at position 0 is outside 0..9", [](Vec<int> x, Exp<u64> i) { return x[i]; },
      table, ~u64{0});
  expect_message<E>(
      "index 18446744073709551615 at position 0 is outside 0..2",
      [](Mat<int> m, Exp<u64> i) { return m(i, 1); }, fg::Array<int, 2>(Ints(12), {3, 4}), ~u64{0});
  expect_message<E>(
      "with: index 18446744073709551615 is outside an array of 10",
      [](Vec<int> x, Exp<u64> i) { return fg::with(x, i, 1); }, table, ~u64{0});
  expect_message<E>(
      "index 4000000000 at position 1 is outside 0..9",
      [](Vec<int> x, Vec<fg::u32> indices) { return fg::map([&](Exp<fg::u32> i) { return x[i]; }, indices); },
      table, std::vector<fg::u32>{1, 4000000000U});
  expect_message<E>(
      "index 250 at position 1 is outside 0..9",
      [](Vec<int> x, Vec<fg::u8> indices) { return fg::gather(x, indices); }, table,
      std::vector<fg::u8>{1, 250});
  expect_message<E>(
      "index -5 at position 1 is outside 0..9",
      [](Vec<int> x, Vec<fg::i8> indices) { return fg::gather(x, indices); }, table,
      std::vector<fg::i8>{1, -5});
}

TEST(Failures, UnsignedSizesAndBounds) {
  using E = fg::ShapeError;
  expect_message<E>(
      "iota: a size is from 0 to 2^47 elements, not 18446744073709551615",
      [](Exp<u64> n) { return fg::iota(n); }, ~u64{0});
  expect_message<E>(
      "take(9223372036854775808) of 10 elements", [](Vec<int> x, Exp<u64> n) { return fg::take(x, n); },
      table, u64{1} << 63);
  expect_message<E>(
      "slice(0, 18446744073709551615) of an array of 10",
      [](Vec<int> x, Exp<u64> stop) { return x.slice(0, stop); }, table, ~u64{0});
}

// Where the size or bound has a name, because it is computed or read.
TEST(Failures, UnsignedSizesAndBoundsThatAreComputed) {
  using E = fg::ShapeError;
  expect_message<E>(
      "take(18446744073709551615) of 10 elements",
      [](Vec<int> x, Vec<u64> at) {
        return fg::map([&](Exp<u64> n) { return fg::sum(fg::take(x, n)); }, at);
      },
      table, std::vector<u64>{1, ~u64{0}});
  expect_message<E>(
      "slice(9223372036854775808, 9223372036854775809) of an array of 10",
      [](Vec<int> x, Vec<u64> at) {
        return fg::map([&](Exp<u64> i) { return fg::sum(x.slice(i, i + u64{1})); }, at);
      },
      table, std::vector<u64>{1, u64{1} << 63});
  expect_message<E>(
      "iota: a size is from 0 to 2^47 elements, not 18446744073709551615",
      [](Exp<u64> n, Exp<u64> k) { return fg::iota(n / k); }, ~u64{0}, u64{1});
  expect_message<E>(
      "take(18446744073709551615) of 10 elements", [](Vec<int> x, Vec<u64> n) { return fg::take(x, n[1]); },
      table, std::vector<u64>{1, ~u64{0}});
}

// If some of several indices are unsigned, the message gives both readings.
TEST(Failures, UnsignedIndicesBesideSignedOnes) {
  using E = fg::IndexError;
  const auto read = [](Mat<int> m, Vec<u64> rows, Vec<i64> columns) {
    return fg::map([&](Exp<u64> i, Exp<i64> j) { return m(i, j); }, rows, columns);
  };
  const fg::Array<int, 2> m(Ints(12), {3, 4});
  const std::vector<u64> huge{1, ~u64{0}};
  const std::vector<i64> inside{1, 2}, negative{1, -3};
  expect_message<E>("index 18446744073709551615 (or -1 if it is signed) at position 1 is outside 0..2", read,
                    m, huge, inside);
  expect_message<E>("index 18446744073709551613 (or -3 if it is signed) at position 1 is outside 0..3", read,
                    m, std::vector<u64>{1, 2}, negative);
  expect_message<E>("index 4 at position 1 is outside 0..3", read, m, std::vector<u64>{1, 2},
                    std::vector<i64>{1, 4});
}

TEST(Failures, EmptyArrays) {
  using E = fg::IndexError;
  expect_message<E>(
      "index 1 at position 0 is outside an empty array",
      [](Vec<int> x, Vec<int> at) { return fg::map([&](Exp<int> i) { return x[i]; }, at); }, Ints{}, places);
  expect_message<E>(
      "gather: index 1 at position 0 is outside an empty array",
      [](Vec<int> x, Vec<int> at) { return fg::gather(x, at); }, Ints{}, places);
  expect_message<E>(
      "backpermute: index 0 at position 0 is outside an empty array",
      [](Vec<int> x) { return fg::backpermute(4, [](Exp<i64> i) { return i; }, x); }, Ints{});
  expect_message<E>(
      "index 2 at position 0 is outside an empty array", [](Mat<int> m, Exp<int> i) { return m[i]; },
      fg::Array<int, 2>(Ints{}, {0, 4}), 2);
  using Longs = std::vector<i64>;
  for (const Longs& sizes : {Longs{1, i64{1} << 62, 3}, Longs{1, (i64{1} << 47) + 1}, Longs{1, -1}}) {
    expect_message<fg::ShapeError>(
        "expand: the size of item 1 is negative, or above 2^47",
        [](Vec<i64> n) {
          return fg::expand([](Exp<i64> s) { return s; }, [](Exp<i64>, Exp<i64> k) { return k; }, n);
        },
        sizes);
    expect_message<fg::ShapeError>(
        "replicate: the size of item 1 is negative, or above 2^47",
        [](Vec<i64> n) { return fg::replicate(fg::lengths(n), n); }, sizes);
  }
  const std::string text = message_of<E>([] { fg::Array<int>().at(0); });
  EXPECT_EQ(text.find("failures_test.cpp:"), 0u) << text;
  EXPECT_NE(text.find("index 0 is outside an empty array"), std::string::npos) << text;
}

}  // namespace
