// Runs of bytes against std::set, and of neighbouring tasks as few as they are.
#include "runtime/mpi/runs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>

namespace fulgurite::runtime::mpi {
namespace {

using Set = std::set<std::int64_t>;

void add(Set& to, const Runs& runs) {
  for (std::int64_t k = 0; k < runs.n; ++k)
    for (std::int64_t at = 0; at < runs.bytes; ++at) to.insert(runs.begin + k * runs.distance + at);
}

Set set_of(const Intervals& all) {
  Set to;
  for (const Bytes& b : all.all()) add(to, {b.begin, b.end - b.begin});
  return to;
}

// In their order, none empty, none beside another.
bool is_in_order(const Intervals& all) {
  for (std::size_t k = 0; k < all.all().size(); ++k)
    if (all.all()[k].begin >= all.all()[k].end || (k > 0 && all.all()[k - 1].end >= all.all()[k].begin))
      return false;
  return true;
}

Runs drawn(std::minstd_rand& random) {
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  if (below(3) == 0) return {below(60), 1 + below(9)};
  const std::int64_t bytes = 1 + below(4);
  return {below(40), bytes, 2 + below(4), 4 * (1 + bytes / 4) + 4 * below(2)};
}

TEST(Runs, TogetherAreSets) {
  std::minstd_rand random(1);
  for (int round = 0; round < 3000; ++round) {
    CollectedRuns all;
    Set expected;
    for (std::uint64_t n = random() % 8; n > 0; --n) {
      const Runs runs = drawn(random);
      all.add(runs);
      add(expected, runs);
    }
    EXPECT_EQ(all.empty(), expected.empty());
    const Intervals together = all.take();
    EXPECT_TRUE(is_in_order(together));
    ASSERT_EQ(set_of(together), expected);
    EXPECT_TRUE(all.empty());
    EXPECT_TRUE(all.take().empty());
  }
}

TEST(Runs, MeetASetWhereOneOfThemDoes) {
  std::minstd_rand random(2);
  for (int round = 0; round < 20000; ++round) {
    CollectedRuns some;
    some.add(drawn(random));
    if (round % 2 == 0) some.add(drawn(random));
    const Intervals set = some.take();
    const Runs runs = drawn(random);
    Set of_runs, common;
    add(of_runs, runs);
    for (const std::int64_t at : set_of(set))
      if (of_runs.contains(at)) common.insert(at);
    ASSERT_EQ(meet(set, runs), !common.empty());
  }
}

// Rows of 40 bytes, in tasks of 4 rows and 8 bytes of each, one column of tasks after another: all is one
// run. More runs than are kept one by one.
TEST(Runs, OfNeighbouringTasksAreJoined) {
  constexpr std::int64_t row = 40, rows = std::int64_t{1} << 18, of_task = rows / 4,
                         many = std::int64_t{1} << 20;
  CollectedRuns all;
  for (std::int64_t column = 0; column < row; column += 8)
    for (std::int64_t first = 0; first < rows; first += of_task)
      all.add({first * row + column, 8, of_task, row});
  EXPECT_EQ(all.take(), Intervals(0, rows * row));

  CollectedRuns apart;
  for (std::int64_t k = 0; k < many + 5; ++k) apart.add({(many + 5 - k) * (k % 2 == 0 ? 100 : 10000), 1});
  const Intervals all_apart = apart.take();
  EXPECT_GT(all_apart.all().size(), std::size_t{many / 2});
}

}  // namespace
}  // namespace fulgurite::runtime::mpi
