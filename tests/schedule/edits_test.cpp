// Each edit of a printed launch: the line that changes, before and after.
#include "schedule/edits.h"

#include <fulgurite/error.h>

#include <algorithm>
#include <sstream>

#include "schedule/print.h"
#include "small_launch.h"

namespace fulgurite::schedule {
namespace {

using testing_schedule::SmallLaunch, testing_schedule::sum_of_squares;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line.substr(line.find_first_not_of(' ')));
  return lines;
}

// The lines that one text has and the other one lacks.
std::vector<std::string> less(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<std::string> left;
  std::ranges::set_difference(a, b, std::back_inserter(left));
  return left;
}

SmallLaunch with_all_kinds() {
  SmallLaunch small = sum_of_squares();
  auto& nest = std::get<Nest>(small.launch.phases[0].walk);
  nest.splits = {{nest.axes[0].extent < 3}};
  nest.stages = {{small.program.params[0], 1, kernel::Space::shared, 4096}};
  return small;
}

void expect_edit(const Edit& edit, std::size_t number, std::int64_t value, const std::string& before,
                 const std::string& after) {
  const SmallLaunch small = with_all_kinds();
  scalar::Arena& arena = *small.program.arena;
  const Launch edited = edit.apply(arena, small.launch, {"main", number}, value);
  const auto was = lines_of(print(arena, small.launch)), is = lines_of(print(arena, edited));
  EXPECT_EQ(less(was, is), std::vector{before}) << edit.name;
  EXPECT_EQ(less(is, was), after.empty() ? std::vector<std::string>() : std::vector{after}) << edit.name;
}

TEST(ScheduleEdits, ChangeOneDecision) {
  expect_edit(resize, 0, 4096, "cut 0 by 16384 grid mask", "cut 0 by 4096 grid mask");
  expect_edit(rest, 2, 8, "cut 0 by 64 lane apart 16", "cut 0 by 64 lane apart 8");
  expect_edit(unsplit, 0, 0, "split n < 3", "");
  expect_edit(unstage, 0, 0, "stage x at 1 shared 4096", "");
  expect_edit(recombine, 0, 16, "combine reduction 0 lane chain 32, grid partials (total)",
              "combine reduction 0 lane chain 16, grid partials (total)");
  expect_edit(stream, 0, 1024, "traffic streaming 33554432", "traffic streaming 1024");
  expect_edit(look_ahead, 0, 256, "traffic streaming 33554432", "traffic streaming 33554432 ahead 256");
  expect_edit(portion, 0, 128, "traffic streaming 33554432", "traffic streaming 33554432 portion 128");
}

TEST(ScheduleEdits, HaveNamesOfTheirOwnInOrder) {
  const auto all = edits();
  EXPECT_EQ(all.size(), 8u);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, [](const Edit* edit) { return edit->name; }));
  EXPECT_EQ(std::ranges::adjacent_find(all, {}, [](const Edit* edit) { return edit->name; }), all.end());
}

TEST(ScheduleEdits, RefuseTargetsThatAreNotThere) {
  const SmallLaunch small = sum_of_squares();
  scalar::Arena& arena = *small.program.arena;
  EXPECT_THROW(resize.apply(arena, small.launch, {"middle", 0}, 1), InternalError);
  EXPECT_THROW(resize.apply(arena, small.launch, {"main", 3}, 1), InternalError);
  EXPECT_THROW(unsplit.apply(arena, small.launch, {"main", 0}, 0), InternalError);
  EXPECT_THROW(stream.apply(arena, small.launch, {"last", 0}, 0), InternalError);
}

}  // namespace
}  // namespace fulgurite::schedule
