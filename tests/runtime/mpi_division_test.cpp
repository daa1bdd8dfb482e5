// What is kept of a division for the launches after it does not show.
#include "runtime/mpi/division.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace fulgurite::runtime::mpi {
namespace {

using Op = Formula::Op;

constexpr int n_ranks = 3;
constexpr std::int64_t n_tasks = 40, most_kept = 8;

// As the last phase of a filter: task t reads most_kept elements of buffer 0, and stores to buffer 2 from the
// place on that the first half of buffer 1 says, as many as its second half says.
Footprints packing() {
  PhaseFootprint phase;
  phase.tasks_of = 0;
  phase.formulas = {{Op::task},
                    {Op::constant, -1, -1, -1, most_kept},
                    {Op::mul, 0, 1},
                    {Op::add, 2, 1},
                    {Op::constant, -1, -1, -1, 1},
                    {Op::range, 2, 3, 4},
                    {Op::constant, -1, -1, -1, n_tasks},
                    {Op::add, 0, 6},
                    {Op::element, 0, -1, -1, 1},
                    {Op::element, 7, -1, -1, 1},
                    {Op::add, 8, 9},
                    {Op::range, 8, 10, 4},
                    {Op::lt, 8, 10}};
  phase.touches = {{0, false, 5, -1, 0}, {1, false, 0, -1}, {1, false, 7, -1}, {2, true, 11, 12, 1}};
  phase.loops = {5, 11};
  Footprints all;
  all.element_bytes = {4, 8, 4};
  all.phases = {phase};
  return all;
}

void expect_same(const std::vector<Stored>& a, const std::vector<Stored>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const Stored& stored : a) {
    const auto other = std::ranges::find(b, stored.buffer, &Stored::buffer);
    ASSERT_NE(other, b.end());
    EXPECT_EQ(stored.of_rank, other->of_rank);
  }
}

TEST(Division, CountsOfEachLaunchSayWhatIsStored) {
  const Footprints footprints = packing();
  std::array<std::int64_t, 2 * n_tasks> counts{};
  Layout input(4 * most_kept * n_tasks, n_ranks), of_counts(sizeof counts, n_ranks),
      output(4 * most_kept * n_tasks, n_ranks);
  of_counts.computed_everywhere({0, sizeof counts});
  std::vector<void*> buffers{nullptr, counts.data(), nullptr};
  std::vector<Layout*> layouts{&input, &of_counts, &output};
  std::minstd_rand random(5);
  Divisions warm;
  for (int launch = 0; launch < 20; ++launch) {
    std::int64_t first = 0;
    for (std::size_t task = 0; task < n_tasks; ++task) {
      counts[task] = first;
      first += counts[n_tasks + task] = static_cast<std::int64_t>(random() % (most_kept + 1));
    }
    const Launched launched{footprints, 0,       nullptr, n_tasks, {},
                            buffers,    layouts, n_ranks, false,   launch % n_ranks};
    const auto division = warm.of(launched);
    ASSERT_TRUE(division->is_divided);
    const auto stored = std::ranges::find(division->stored, std::size_t{2}, &Stored::buffer);
    ASSERT_NE(stored, division->stored.end());
    for (std::size_t r = 0; r < n_ranks; ++r) {
      const auto begin = static_cast<std::size_t>(division->first_tasks[r]),
                 end = static_cast<std::size_t>(division->first_tasks[r + 1]);
      const std::int64_t to = end < n_tasks ? counts[end] : first;
      EXPECT_EQ(stored->of_rank[r], Intervals(4 * counts[begin], 4 * to));
    }
    const auto fresh = Divisions().of(launched);
    expect_same(division->read, fresh->read);
    expect_same(division->stored, fresh->stored);
    const std::size_t n_own =
        static_cast<std::size_t>(division->first_tasks[static_cast<std::size_t>(launched.rank) + 1] -
                                 division->first_tasks[static_cast<std::size_t>(launched.rank)]);
    EXPECT_EQ(division->of_tasks.size(), n_own);
    EXPECT_EQ(division->of_tasks.all().size(), fresh->of_tasks.all().size());
  }
}

// What arrives meanwhile would undo what a task stores before.
TEST(Division, TasksAreKnownByWhatTheyStoreToo) {
  PhaseFootprint phase;
  phase.tasks_of = 0;
  phase.formulas = {{Op::task}, {Op::constant, -1, -1, -1, n_tasks - 1}, {Op::sub, 1, 0}, {Op::unknown}};
  // Element t of both arrays is stored; of the first one any other element may be, and keeps its value else.
  phase.touches = {{0, true, 0, -1}, {0, true, 2, 3}, {1, true, 0, -1}};
  Footprints footprints;
  footprints.element_bytes = {4, 4};
  footprints.phases = {phase};
  Layout changed(4 * n_tasks, 1), made(4 * n_tasks, 1);
  std::vector<void*> buffers{nullptr, nullptr};
  std::vector<Layout*> layouts{&changed, &made};
  const auto division = Divisions().of({footprints, 0, nullptr, n_tasks, {}, buffers, layouts, 1, false, 0});
  ASSERT_TRUE(division->is_divided);
  ASSERT_EQ(division->of_tasks.size(), static_cast<std::size_t>(n_tasks));
  for (std::int64_t task = 0; task < n_tasks; ++task) {
    const auto bytes = division->of_tasks[static_cast<std::size_t>(task)];
    EXPECT_TRUE(std::ranges::any_of(bytes, [&](const TaskBytes& own) {
      return own.buffer == 0 && meet(Intervals(4 * task, 4 * task + 4), own.bytes);
    })) << task;
    EXPECT_TRUE(std::ranges::none_of(bytes, [](const TaskBytes& own) { return own.buffer == 1; })) << task;
  }
}

// A store at a place that only marks say may meet anything that arrives.
TEST(Division, TasksThatPostMayStoreAnywhere) {
  PhaseFootprint phase;
  phase.tasks_of = 0;
  phase.formulas = {{Op::task}, {Op::unknown}};
  phase.touches = {{0, false, 0, -1}, {0, true, 1, -1, -1, true}};
  Footprints footprints;
  footprints.element_bytes = {4};
  footprints.phases = {phase};
  Layout changed(4 * n_tasks, 1);
  std::vector<void*> buffers{nullptr};
  std::vector<Layout*> layouts{&changed};
  const auto division = Divisions().of({footprints, 0, nullptr, n_tasks, {}, buffers, layouts, 1, false, 0});
  ASSERT_TRUE(division->is_divided);
  ASSERT_EQ(division->posted, std::vector<std::size_t>{0});
  for (std::size_t task = 0; task < division->of_tasks.size(); ++task)
    EXPECT_TRUE(std::ranges::any_of(division->of_tasks[task], [](const TaskBytes& own) {
      return meet(Intervals(0, 4), own.bytes) && meet(Intervals(4 * n_tasks - 4, 4 * n_tasks), own.bytes);
    })) << task;
}

}  // namespace
}  // namespace fulgurite::runtime::mpi
