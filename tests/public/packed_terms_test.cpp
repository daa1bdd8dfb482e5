// Sums of products of small integers, of which one operation takes several terms, against sequential loops:
// of all kinds that have few bits, at extents around words, tiles and panels, with the values whose products
// are largest.
#include "operators.h"
#include "policies.h"

namespace {

using Index = std::int64_t;

struct Extents {
  Index n, m, k;
};
constexpr Extents all_extents[] = {{0, 8, 8},    {8, 0, 8},    {8, 8, 0},     {1, 1, 1},
                                   {4, 8, 4},    {5, 9, 5},    {3, 17, 6},    {6, 16, 7},
                                   {7, 15, 17},  {13, 31, 33}, {9, 67, 257},  {131, 5, 29},
                                   {8, 521, 11}, {64, 64, 64}, {37, 41, 515}, {11, 23, 1025}};

constexpr char small_tasks[] =
    "tile_least_rows=1 tile_least_depth=1 tile_rows=3 tile_task_rows=5 tile_task_columns=64 tile_depth=7";
constexpr char single_vectors[] =
    "tile_least_rows=1 tile_least_depth=1 tile_vectors=1 tile_vectors_16_registers=1 tile_rows=1 "
    "tile_depth=1";
const char* const policies[] = {"", "tile_terms=1", small_tasks, single_vectors};

// Any value, and more often the least and the greatest.
template <class T>
fg::Array<T, 2> matrix(Index rows, Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> x(static_cast<std::size_t>(rows * columns));
  for (auto&& value : x) {
    const unsigned draw = random();
    value = draw % 4 == 0   ? std::numeric_limits<T>::min()
            : draw % 4 == 1 ? std::numeric_limits<T>::max()
                            : static_cast<T>(draw >> 8);
  }
  return {std::move(x), {rows, columns}};
}

std::int32_t wrapped(std::int64_t x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x));
}

// result[i, j] = sum over l of f(i, l, j), which wraps
std::vector<std::int32_t> sums(const Extents& e, auto f) {
  std::vector<std::int32_t> results;
  for (Index i = 0; i < e.n; ++i)
    for (Index j = 0; j < e.m; ++j) {
      std::int64_t sum = 0;
      for (Index l = 0; l < e.k; ++l) sum = wrapped(sum + f(i, l, j));
      results.push_back(wrapped(sum));
    }
  return results;
}

template <class F, class Test>
void for_all_extents(F f, Test test) {
  on_every_engine_and_policy(policies, f, [&](const auto& compiled) {
    for (const Extents& e : all_extents) {
      SCOPED_TRACE(::testing::PrintToString(std::array{e.n, e.m, e.k}));
      test(compiled, e);
    }
  });
}

template <class A, class B>
void expect_products() {
  const auto program = [](Mat<A> a, Mat<B> b) {
    return fg::generate({a.size(0), b.size(1)}, [&](Exp<Index> i, Exp<Index> j) {
      return fg::sum(fg::generate(
          a.size(1), [&](Exp<Index> l) { return fg::cast<int>(a(i, l)) * fg::cast<int>(b(l, j)); }));
    });
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    const auto a = matrix<A>(e.n, e.k, 1);
    const auto b = matrix<B>(e.k, e.m, 2);
    const auto expected = sums(e, [&](Index i, Index l, Index j) { return std::int64_t{a(i, l)} * b(l, j); });
    EXPECT_EQ(f(a, b).to_vector(), expected);
  });
}

TEST(PackedTerms, OfUnsignedAndSignedBytesProperty) {
  expect_products<std::uint8_t, std::int8_t>();
}
TEST(PackedTerms, OfSignedAndUnsignedBytesProperty) {
  expect_products<std::int8_t, std::uint8_t>();
}
TEST(PackedTerms, OfSignedBytesProperty) {
  expect_products<std::int8_t, std::int8_t>();
}
TEST(PackedTerms, OfUnsignedBytesProperty) {
  expect_products<std::uint8_t, std::uint8_t>();
}
TEST(PackedTerms, OfShortIntegersProperty) {
  expect_products<std::int16_t, std::int16_t>();
}
TEST(PackedTerms, OfTruthsAndShortIntegersProperty) {
  expect_products<bool, std::int16_t>();
}
// They have no operation that adds several of them.
TEST(PackedTerms, OfUnsignedShortIntegersProperty) {
  expect_products<std::uint16_t, std::int8_t>();
}

// Two products of the least numbers, -32768 * -32768 * 2, are one more than the greatest sum.
TEST(PackedTerms, SumsWrap) {
  const auto f = fg::compile([](Mat<std::int16_t> a, Mat<std::int16_t> b) {
    return fg::matmul(fg::cast<int>(a), fg::cast<int>(b));
  });
  const fg::Array<std::int16_t, 2> a(std::vector<std::int16_t>(8 * 4, -32768), {8, 4});
  const fg::Array<std::int16_t, 2> b(std::vector<std::int16_t>(4 * 16, -32768), {4, 16});
  EXPECT_EQ(f(a, b).to_vector(), std::vector<int>(8 * 16, 0));
  const fg::Array<std::int16_t, 2> one(std::vector<std::int16_t>(8 * 2, -32768), {8, 2});
  const fg::Array<std::int16_t, 2> two(std::vector<std::int16_t>(2 * 16, -32768), {2, 16});
  const auto g = fg::compile(
      [](Mat<std::int16_t> x, Mat<std::int16_t> y) { return fg::matmul(fg::cast<int>(x), fg::cast<int>(y)); },
      {.policy = "tile_least_depth=1"});
  EXPECT_EQ(g(one, two).to_vector(), std::vector<int>(8 * 16, std::numeric_limits<int>::min()));
}

// Operands whose values follow from what they are computed of, transposed, with offsets that are known at run
// time; sums of unsigned numbers; what is computed of the sum.
TEST(PackedTerms, ComputedOperandsProperty) {
  const auto program = [](Mat<std::uint8_t> a, Mat<std::int8_t> b, Exp<std::uint8_t> zero, Vec<int> bias) {
    const auto scaled = fg::generate({a.size(0), b.size(0)}, [&](Exp<Index> i, Exp<Index> j) {
      const auto sum = fg::sum(fg::generate(a.size(1), [&](Exp<Index> l) {
        return (fg::cast<int>(a(i, l)) - fg::cast<int>(zero)) * fg::min(fg::cast<int>(b(j, l)), 100);
      }));
      return fg::max(sum + bias[j], 0);
    });
    const auto counts = fg::generate({a.size(0), b.size(0)}, [&](Exp<Index> i, Exp<Index> j) {
      return fg::cast<int>(fg::sum(fg::generate(a.size(1), [&](Exp<Index> l) {
        return fg::cast<unsigned>(a(i, l)) * fg::cast<unsigned>(b(j, l) > std::int8_t{3});
      })));
    });
    return std::tuple{scaled, counts};
  };
  for_all_extents(program, [](const auto& f, const Extents& e) {
    const auto a = matrix<std::uint8_t>(e.n, e.k, 1);
    const auto b = matrix<std::int8_t>(e.m, e.k, 2);
    std::vector<int> bias(static_cast<std::size_t>(e.m));
    for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = static_cast<int>(j % 7) - 3;
    auto expected = sums(e, [&](Index i, Index l, Index j) {
      return (std::int64_t{a(i, l)} - 131) * std::min<std::int64_t>(b(j, l), 100);
    });
    for (std::size_t p = 0; p < expected.size(); ++p)
      expected[p] = std::max(wrapped(std::int64_t{expected[p]} + bias[p % bias.size()]), 0);
    const auto [scaled, counts] = f(a, b, std::uint8_t{131}, bias);
    EXPECT_EQ(scaled.to_vector(), expected);
    EXPECT_EQ(counts.to_vector(),
              sums(e, [&](Index i, Index l, Index j) { return b(j, l) > 3 ? std::int64_t{a(i, l)} : 0; }));
  });
}

// A batch, and an index of an operand that is outside of its array for the last term of a word.
TEST(PackedTerms, ReadsOutsideOfArraysFail) {
  const auto program = [](Mat<std::int8_t> a, Mat<std::int8_t> table, Vec<int> at) {
    return fg::generate({a.size(0), table.size(1)}, [&](Exp<Index> i, Exp<Index> j) {
      return fg::sum(fg::generate(a.size(1), [&](Exp<Index> l) {
        return fg::cast<int>(a(i, l)) * fg::cast<int>(table(fg::cast<Index>(at[l]), j));
      }));
    });
  };
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE("engine " + name);
    const auto f = fg::compile(program, {.engine = engine});
    const fg::Array<std::int8_t, 2> a(std::vector<std::int8_t>(20 * 31, 2), {20, 31});
    const fg::Array<std::int8_t, 2> table(std::vector<std::int8_t>(5 * 40, 3), {5, 40});
    std::vector<int> at(31, 4);
    EXPECT_EQ(f(a, table, at).to_vector(), std::vector<int>(20 * 40, 31 * 6));
    at[30] = 5;
    EXPECT_NE(message_of<fg::IndexError>([&] { (void)f(a, table, at); }).find("index 5"), std::string::npos);
  }
}

}  // namespace
