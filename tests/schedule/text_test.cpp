#include <fulgurite/error.h>

#include "schedule/parse.h"
#include "schedule/print.h"
#include "small_launch.h"

namespace fulgurite::schedule {
namespace {

using testing_schedule::SmallLaunch, testing_schedule::sum_of_squares;

TEST(ScheduleText, SaysEveryDecisionOnALineOfItsOwn) {
  const SmallLaunch small = sum_of_squares();
  EXPECT_EQ(print(*small.program.arena, small.launch), R"(launch reduce
# s: f32 = redomap (i < n) { x[i] * x[i] } reduce add comm neutral 0f
touched n * 4
memory total: f32[(n + 16383) / 16384]
result s = total
phase "main"
  # s: f32 = redomap (i < n) { x[i] * x[i] } reduce add comm neutral 0f
  axis fold 0 1 extent n
  cut 0 by 16384 grid mask
  cut 0 by 2048 sequence mask
  cut 0 by 64 lane apart 16
  combine reduction 0 lane chain 32, grid partials (total)
  traffic streaming 33554432
  why "16384 elements make a task worth starting"
phase "last"
  # s: f32 = redomap (t < (n + 16383) / 16384) { total[t] } reduce add comm neutral 0f
  skeleton "join neighbours" tasks 1
)");
}

TEST(ScheduleText, IsReadBackAsTheSameLaunch) {
  const SmallLaunch small = sum_of_squares();
  scalar::Arena& arena = *small.program.arena;
  const Launch again = parse(arena, print(arena, small.launch), small.launch);
  EXPECT_EQ(again, small.launch);
  EXPECT_EQ(print(arena, again), print(arena, small.launch));
}

TEST(ScheduleText, IsReadBackWithWhatFewLaunchesHave) {
  SmallLaunch small = sum_of_squares();
  scalar::Arena& arena = *small.program.arena;
  Launch& launch = small.launch;
  const Var x = small.program.params[0];
  auto& nest = std::get<Nest>(launch.phases[0].walk);
  nest.axes[0].by_number = true;
  nest.stages = {{x, 1, kernel::Space::shared, 4096, nest.axes[0].extent, {{-1, 2}, {0, 3}}},
                 {x, 0, kernel::Space::thread, 8}};
  nest.stages[1].crosswise = nest.stages[1].computed = true;
  nest.combines[0].ends = {{0, x, arena.i64(1)}};
  nest.classes = {{x, x, {0, 2}}};
  launch.residents = {{x, 256}};
  launch.given = {{x, x, arena.i64(2)}};
  nest.splits = {{nest.axes[0].extent < 3}};
  nest.traffic = {1, true, 512, 64};
  nest.inner = {{3, Nest(), 0, true}};
  nest.inner[0].nest.axes = {{Axis::Role::free, 0, 1, nest.axes[0].extent}};
  nest.inner[0].nest.inner = {{0, Nest()}};
  launch.phases[0].guard = arena.i64(1);
  launch.phases[0].at_least_one = true;
  std::get<Skeleton>(launch.phases[1].walk).numbers = {{"range bits", 8}, {"tile", 65536}};
  launch.in_place = {{launch.memory[0], x}};
  launch.copies = {{launch.memory[0], x, arena.fresh({Kind::i64}, "fresh")}};
  EXPECT_EQ(parse(arena, print(arena, launch), launch), launch) << print(arena, launch);
}

void expect_refused(const std::string& from, const std::string& to, const std::string& message) {
  const SmallLaunch small = sum_of_squares();
  scalar::Arena& arena = *small.program.arena;
  std::string text = print(arena, small.launch);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, text.npos);
  text.replace(at, from.size(), to);
  try {
    parse(arena, text, small.launch, "edited.schedule");
    FAIL() << "read " << to;
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(ScheduleText, RefusesWhatItDoesNotKnow) {
  expect_refused("lane apart", "lane alone", "expected what happens to the last piece: exact, mask, apart");
  expect_refused("phase \"last\"", "phase \"first\"", "the launch has no phase 'first'");
  expect_refused("result s = total", "result s = totals", "a name that the launch does not have");
  expect_refused("by 64 lane", "by 64 lanes", "expected who takes the pieces");
}

}  // namespace
}  // namespace fulgurite::schedule
