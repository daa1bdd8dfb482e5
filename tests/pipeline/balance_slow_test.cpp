// On GPUs one long row among short ones leaves no more lanes idle than the same elements in equal rows, and
// is shared by blocks: none computes much of the whole while the others wait.
#include <fulgurite/fulgurite.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engines/emulator_device.h"

namespace fulgurite {
namespace {

constexpr int n_rows = 10000;
constexpr double bar = 1.3;
constexpr double most_of_a_block = 0.2;

// Rows of 3 elements and a long row, which brings the mean to 13; or, if even, rows of 13 elements each.
std::vector<int> lengths_of(bool even) {
  std::vector<int> all(n_rows, even ? 13 : 3);
  if (!even) all[n_rows / 2] = 10 * n_rows + 3;
  return all;
}

RaggedArray<float> rows(bool even) {
  std::vector<i64> offsets{0};
  for (int length : lengths_of(even)) offsets.push_back(offsets.back() + length);
  std::vector<float> values(static_cast<std::size_t>(offsets.back()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 1009) / 8;
  return {std::move(offsets), std::move(values)};
}

struct Lanes {
  double all = 0, idle = 0, of_busiest_block = 0;
  double for_each_busy() const { return all / (all - idle); }
};
template <class F, class Argument>
Lanes lanes_of(const F& f, const Argument& argument) {
  EmulatorDevice::shared().begin_recording();
  f(argument);
  Lanes lanes;
  for (const EmulatorDevice::Recorded& launch : EmulatorDevice::shared().end_recording()) {
    const kernel::PhaseCounts& counts = launch.counts.total;
    lanes.all += static_cast<double>(counts.lane_slots);
    lanes.idle += static_cast<double>(counts.idle_lanes);
    lanes.of_busiest_block = std::max(lanes.of_busiest_block, static_cast<double>(counts.most_lane_slots));
  }
  return lanes;
}

template <class F, class Argument>
void expect_balance(const char* name, F program, const Argument& uneven, const Argument& even) {
  const auto f = compile(program, {.engine = Engine::emulator});
  const Lanes of_uneven = lanes_of(f, uneven), of_even = lanes_of(f, even);
  EXPECT_LE(of_uneven.for_each_busy(), bar * of_even.for_each_busy()) << name;
  EXPECT_LE(of_uneven.of_busiest_block, most_of_a_block * of_uneven.all) << name;
}

// Sorts of rows are sorts of all elements (schedule/rewrites/segments.h).
TEST(Balance, OfConsumersOfRows) {
  const RaggedArray<float> uneven = rows(false), even = rows(true);
  expect_balance("sum", [](Ragged<float> r) { return sum(r, axis(1)); }, uneven, even);
  expect_balance(
      "map", [](Ragged<float> r) { return map([](Vec<float> x) { return sum(x * x); }, fulgurite::rows(r)); },
      uneven, even);
  expect_balance("scan", [](Ragged<float> r) { return scan(plus, 0.0f, r).values(); }, uneven, even);
  expect_balance(
      "filter", [](Ragged<float> r) { return filter([](Exp<float> x) { return x > 50.0f; }, r).values(); },
      uneven, even);
}

TEST(Balance, OfProducersOfRows) {
  const Array<int> uneven(lengths_of(false)), even(lengths_of(true));
  const auto size_of = [](Exp<int> n) { return n; };
  const auto element_of = [](Exp<int>, Exp<i64> k) { return 1.0f / cast<float>(k + 1); };
  expect_balance("expand", [&](Vec<int> n) { return expand(size_of, element_of, n); }, uneven, even);
  expect_balance(
      "expand_reduce", [&](Vec<int> n) { return expand_reduce(size_of, element_of, plus, 0.0f, n); }, uneven,
      even);
  expect_balance("replicate", [](Vec<int> n) { return replicate(lengths(n), n); }, uneven, even);
}

}  // namespace
}  // namespace fulgurite
