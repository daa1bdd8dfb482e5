// Arrays of more than 2^31 elements: sizes and indices are 64 bits wide everywhere. About 7 GB of memory.
#include <gtest/gtest.h>

#include "engines.h"

namespace {

using fg::i64, fg::i8;

constexpr std::size_t n = 2'200'000'000;

i8 element(std::size_t i) {
  return static_cast<i8>((i * 2654435761u >> 13) & 0xff);
}

class Large : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    xs = new std::vector<i8>(n);
    for (std::size_t i = 0; i < n; ++i) (*xs)[i] = element(i);
  }
  static void TearDownTestSuite() {
    delete xs;
    xs = nullptr;
  }
  static inline std::vector<i8>* xs = nullptr;
};

TEST_F(Large, LargeSum) {
  const auto f =
      fg::compile([](Vec<i8> x) { return fg::sum(fg::cast<i64>(x)); }, {.engine = fg::Engine::cpu});
  i64 expected = 0;
  for (i8 x : *xs) expected += x;
  EXPECT_EQ(f(*xs), expected);
}

TEST_F(Large, LargeScan) {
  const auto f =
      fg::compile([](Vec<i8> x) { return fg::scan(fg::plus, i8{0}, x); }, {.engine = fg::Engine::cpu});
  const fg::Array<i8, 1> got = f(*xs);
  const std::span<const i8> values = got;
  ASSERT_EQ(values.size(), n);
  std::uint8_t running = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    running = static_cast<std::uint8_t>(running + static_cast<std::uint8_t>((*xs)[i]));
    wrong += values[i] != static_cast<i8>(running);
  }
  EXPECT_EQ(wrong, 0u);
}

TEST_F(Large, LargeFilter) {
  const auto f = fg::compile([](Vec<i8> x) { return fg::filter([](Exp<i8> v) { return v >= i8{0}; }, x); },
                             {.engine = fg::Engine::cpu});
  const fg::Array<i8, 1> got = f(*xs);
  const std::span<const i8> kept = got;
  std::size_t at = 0, wrong = 0;
  for (i8 x : *xs) {
    if (x < 0) continue;
    wrong += at >= kept.size() || kept[at] != x;
    ++at;
  }
  EXPECT_EQ(kept.size(), at);
  EXPECT_EQ(wrong, 0u);
}

// Backwards: the places run beyond 2^31, and nothing but the elements and the result is in memory.
TEST_F(Large, LargeScatter) {
  const auto f = fg::compile(
      [](Vec<i8> x) {
        auto size = x.size();
        auto places = fg::generate(size, [&](Exp<i64> i) { return size - 1 - i; });
        return fg::scatter(fg::replicate(size, i8{0}), places, x);
      },
      {.engine = fg::Engine::cpu});
  const fg::Array<i8, 1> got = f(*xs);
  const std::span<const i8> values = got;
  ASSERT_EQ(values.size(), n);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += values[n - 1 - i] != (*xs)[i];
  EXPECT_EQ(wrong, 0u);
}

TEST_F(Large, LargeHistogram) {
  const auto f = fg::compile(
      [](Vec<i8> x) {
        return fg::histogram(fg::plus, i64{0}, 256, fg::cast<int>(x) + 128, fg::replicate(x.size(), i64{1}));
      },
      {.engine = fg::Engine::cpu});
  std::vector<i64> expected(256);
  for (i8 x : *xs) ++expected[static_cast<std::size_t>(x + 128)];
  EXPECT_EQ(f(*xs).to_vector(), expected);
}

}  // namespace
