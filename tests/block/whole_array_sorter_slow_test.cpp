// examples/large_sorter.h on every engine (the interpreter proves kernels on the emulator).
#include <fulgurite/kernel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "../../examples/large_sorter.h"
#include "../runtime/pocl.h"
#include "refusals.h"

namespace fulgurite {
namespace {

using test::expect_says, test::refusal;

Options on(Engine engine) {
  if (engine == Engine::opencl) runtime::test::prepare_pocl();
  return {.engine = engine};
}

// What a sorter may meet.
std::vector<std::pair<const char*, std::vector<int>>> arrays_to_sort(std::size_t n) {
  std::mt19937 random(3);
  std::vector<int> uniform(n), few(n), ascending(n), descending(n);
  for (std::size_t i = 0; i < n; ++i) {
    uniform[i] = static_cast<int>(random());
    few[i] = static_cast<int>(random() % 3);
    ascending[i] = static_cast<int>(i);
    descending[i] = static_cast<int>(n - i);
  }
  return {{"uniform", uniform},
          {"few distinct", few},
          {"sorted", ascending},
          {"reversed", descending},
          {"equal", std::vector<int>(n, 7)}};
}
void expect_sorts(Engine engine, large_sorter::Widths widths, std::size_t n) {
  const auto f = compile([widths](Vec<int> xs) { return large_sorter::sorted(xs, widths); }, on(engine));
  for (auto& [what, xs] : arrays_to_sort(n)) {
    const auto sorted = f(xs);
    std::sort(xs.begin(), xs.end());
    EXPECT_TRUE(std::ranges::equal(sorted.to_vector(), xs)) << what << " " << n;
  }
}

TEST(WholeArraySorter, OnTheEmulator) {
  for (std::size_t n : {64u, 128u, 256u, 512u, 1024u})
    expect_sorts(Engine::interpreter, {.block_bits = 6, .stages = 2, .columns = 16}, n);
}
TEST(WholeArraySorter, OnTheCpu) {
  for (int stages : {1, 2, 3, 4})
    expect_sorts(Engine::cpu, {.block_bits = 9, .stages = stages, .columns = 64}, 1 << 14);
  expect_sorts(Engine::cpu, {.block_bits = 12, .stages = 4, .columns = 256}, 1 << 12);
}
TEST(WholeArraySorter, SlowOnTheCpu) {
  expect_sorts(Engine::cpu, {.block_bits = 12, .stages = 4, .columns = 256}, 1 << 20);
}
TEST(WholeArraySorter, SlowOnOpenCl) {
  expect_sorts(Engine::opencl, {}, 1 << 20);
}
TEST(WholeArraySorter, SizesThatAreNone) {
  const auto f = compile([](Vec<int> xs) { return large_sorter::sorted(xs); });
  EXPECT_EQ(f(std::vector<int>()).size(), 0);
  expect_says(refusal([&] { f(std::vector<int>(100)); }), "has 100 elements, which are no blocks of 512");
  expect_says(refusal([&] { f(std::vector<int>(3 * 512)); }), "an array of 1536 elements is no tiles of");
}
TEST(WholeArraySorter, OtherElements) {
  const auto f = compile([](Vec<double> xs) { return large_sorter::sorted(xs); });
  std::vector<double> xs(4096);
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = static_cast<double>((i * 7919) % 4096) * 0.5;
  const auto sorted = f(xs);
  for (int i = 0; i < 4096; ++i) EXPECT_EQ(sorted[i], i * 0.5);
}

TEST(WholeArraySorter, LargeArrays) {
  for (int bits = 20; bits <= 24; ++bits)
    for (const Engine engine : {Engine::cpu, Engine::opencl})
      expect_sorts(engine, {}, std::size_t{1} << bits);
}

}  // namespace
}  // namespace fulgurite
