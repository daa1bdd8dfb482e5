#include "schedule/check.h"

#include <fulgurite/error.h>

#include <functional>

#include "decided.h"
#include "small_launch.h"

namespace fulgurite::schedule {
namespace {

using testing_schedule::SmallLaunch, testing_schedule::sum_of_squares;

TEST(ScheduleCheck, FindsNothingWrongWithASum) {
  const SmallLaunch small = sum_of_squares();
  EXPECT_EQ(faults_of(small.program, small.launch), std::vector<std::string>());
}

void expect_fault(const std::string& message,
                  const std::function<void(scalar::Arena&, Launch&, Nest&)>& harm) {
  SmallLaunch small = sum_of_squares();
  harm(*small.program.arena, small.launch, std::get<Nest>(small.launch.phases[0].walk));
  const std::vector<std::string> faults = faults_of(small.program, small.launch);
  ASSERT_FALSE(faults.empty()) << message;
  EXPECT_NE(faults[0].find(message), std::string::npos) << faults[0];
}

TEST(ScheduleCheck, FindsAxesThatAreNotWalkedOnce) {
  const char* message = "phase 'main' does not walk each axis of its space once";
  expect_fault(message, [](scalar::Arena&, Launch&, Nest& nest) { nest.axes.push_back(nest.axes[0]); });
  expect_fault(message, [](scalar::Arena&, Launch&, Nest& nest) { nest.axes.clear(), nest.cuts.clear(); });
  expect_fault(message, [](scalar::Arena&, Launch&, Nest& nest) { nest.axes[0].count = 2; });
}

TEST(ScheduleCheck, FindsMirrorsOfWhatIsNotSymmetric) {
  expect_fault("mirrors results that are not symmetric",
               [](scalar::Arena&, Launch&, Nest& nest) { nest.axes[0].mirrored = true; });
}

TEST(ScheduleCheck, FindsAxesOfWhatIsNotInside) {
  expect_fault("has an axis of a Soac that the body does not have", [](scalar::Arena&, Launch&, Nest& nest) {
    nest.axes.push_back(nest.axes[0]), nest.axes[1].of = 1;
  });
}

TEST(ScheduleCheck, FindsSegmentsThatNoPointAsksFor) {
  expect_fault("walks segments whose numbers no point asks for",
               [](scalar::Arena& arena, Launch&, Nest& nest) {
                 nest.axes[0].segments = arena.fresh_array(scalar::Kind::i64, {arena.i64(3)}, "offsets");
               });
}

TEST(ScheduleCheck, FindsCutsThatDoNotDivide) {
  expect_fault("pieces larger than those of the cut around it",
               [](scalar::Arena& arena, Launch&, Nest& nest) { nest.cuts[1].size = arena.i64(32768); });
  expect_fault("says that pieces are full which are not", [](scalar::Arena& arena, Launch&, Nest& nest) {
    nest.cuts[1] = {0, arena.i64(3000), Unit::sequence, Tail::exact};
  });
  expect_fault("no power of two",
               [](scalar::Arena& arena, Launch&, Nest& nest) { nest.cuts[2].size = arena.i64(48); });
  expect_fault("remainder in pieces larger than the cut's own",
               [](scalar::Arena&, Launch&, Nest& nest) { nest.cuts[2].rest = 128; });
  expect_fault("pieces of no points",
               [](scalar::Arena& arena, Launch&, Nest& nest) { nest.cuts[0].size = arena.i64(0); });
  expect_fault("tasks of the pieces of a loop",
               [](scalar::Arena&, Launch&, Nest& nest) { std::swap(nest.cuts[0].unit, nest.cuts[1].unit); });
  expect_fault("cuts an axis that it does not have",
               [](scalar::Arena&, Launch&, Nest& nest) { nest.cuts[2].axis = 1; });
}

TEST(ScheduleCheck, FindsRowsTogetherThatAreReduced) {
  testing_schedule::Decided sum = testing_schedule::decided_lanes(R"(program (x: f32[m, n]) {
  s: f32 = redomap (i < n, j < m) { x[j, i] } reduce add comm neutral 0f
  return s
})");
  Nest& nest = std::get<Nest>(sum.launch.phases[0].walk);
  ASSERT_EQ(nest.axes.size(), 2U);
  nest.cuts.push_back({0, sum.program.arena->i64(16), Unit::registers, Tail::apart, 1});
  const std::vector<std::string> faults = faults_of(sum.program, sum.launch);
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(faults[0].find("takes rows together whose points are combined"), std::string::npos) << faults[0];
}

TEST(ScheduleCheck, FindsTilesThatThreadsDoNotTake) {
  const auto faults = [](const std::function<void(scalar::Arena&, Nest&)>& harm) {
    testing_schedule::Decided made = testing_schedule::decided(R"(program (x: f32[n, k], y: f32[k1, m]) {
      z: f32[n, m] = map (i < n, j < m) {
        s: f32 = redomap (l < k) { x[i, l] * y[l, j] } reduce add comm neutral 0f
        return s
      }
      return z
    })");
    for (Phase& phase : made.launch.phases)
      if (phase.name == "tiles") harm(*made.program.arena, std::get<Nest>(phase.walk));
    std::string all;
    for (const std::string& fault : faults_of(made.program, made.launch)) all += fault + '\n';
    return all;
  };
  EXPECT_EQ(faults([](scalar::Arena&, Nest&) {}), "");
  const std::string tile = "phase 'tiles' has a tile that is not what its threads take\n";
  EXPECT_EQ(faults([](scalar::Arena& arena, Nest& nest) { nest.cuts[1].size = arena.i64(128); }), tile);
  EXPECT_EQ(faults([](scalar::Arena& arena, Nest& nest) { nest.cuts[8].size = arena.i64(2); }), tile);
  EXPECT_EQ(faults([](scalar::Arena&, Nest& nest) { nest.stages[0].size = 512; }),
            "phase 'tiles' has no room for what it stages\n");
  EXPECT_EQ(faults([](scalar::Arena&, Nest& nest) { nest.combines[0].levels[1].n = 100; }),
            "phase 'tiles' has chains that end within a slice\n");
  EXPECT_EQ(faults([](scalar::Arena&, Nest& nest) {
              nest.cuts[3].unit = Unit::registers;
            }).find("phase 'tiles' has a block that does not fold a part of its rows in slices\n") ==
                std::string::npos,
            false);
}

TEST(ScheduleCheck, FindsJoinsThatTheOperatorForbids) {
  expect_fault("with an operator that is not known to commute",
               [](scalar::Arena&, Launch& launch, Nest& nest) {
                 std::get<soac::Soac>(launch.phases[0].computes.op).reductions[0].commutative = false;
                 nest.combines[0].levels[0].how = Join::accumulators;
               });
  expect_fault("combines an output that is not there",
               [](scalar::Arena&, Launch&, Nest& nest) { nest.combines[0].which = 1; });
  expect_fault("combines by thread without such a cut",
               [](scalar::Arena&, Launch&, Nest& nest) { nest.combines[0].levels[0].unit = Unit::thread; });
}

TEST(ScheduleCheck, FindsJoinsOfOtherOutputs) {
  const auto join = [](Join how, Unit unit = Unit::grid) {
    return [how, unit](scalar::Arena&, Launch&, Nest& nest) { nest.combines[0].levels[0] = {unit, how}; };
  };
  expect_fault("combines a reduction by packed, which is for other outputs", join(Join::packed));
  expect_fault("combines a reduction by carried, which is for other outputs", join(Join::carried));
  expect_fault("combines a reduction by atomic, which is for other outputs", join(Join::atomic));
  expect_fault("combines by partials without memory",
               [](scalar::Arena&, Launch&, Nest& nest) { nest.combines[0].memory.clear(); });
}

// The faults of a histogram, or of a scatter without an operator, whose innermost join is another one.
std::string faults_of_scatter(const std::string& combine, Join how) {
  testing_schedule::Decided made = testing_schedule::decided_lanes(R"(program (x: i32[n]) {
    y: i32[100] = redomap (i < n) { i64(x[i]), x[i] } scatter (100) (j: i64) { 0i32 } )" +
                                                                   combine + R"(
    return y
  })");
  for (Phase& phase : made.launch.phases)
    if (auto* nest = std::get_if<Nest>(&phase.walk))
      for (Combine& each : nest->combines)
        if (each.part == Combine::Part::scatter && !each.levels.empty()) each.levels.front().how = how;
  std::string all;
  for (const std::string& fault : faults_of(made.program, made.launch)) all += fault + '\n';
  return all;
}

TEST(ScheduleCheck, FindsJoinsThatTheOperatorOfAScatterForbids) {
  const std::string sum = "combine add comm neutral 0i32";
  const std::string difference = "combine (a: i32, b: i32) { a - b } neutral 0i32",
                    taken = "combine (a: i32, b: i32) { select(a < b, b, a) } neutral -2147483648i32";
  EXPECT_EQ(faults_of_scatter(sum, Join::copies), "");
  EXPECT_EQ(faults_of_scatter(sum, Join::atomic), "");
  EXPECT_NE(faults_of_scatter(difference, Join::copies).find("by copies with an operator that is not known"),
            std::string::npos);
  EXPECT_NE(
      faults_of_scatter(difference, Join::atomic).find("by atomic with an operator that is no operation"),
      std::string::npos);
  EXPECT_NE(faults_of_scatter(difference, Join::taken).find("by taken with an operator that does not choose"),
            std::string::npos);
  EXPECT_EQ(faults_of_scatter(taken, Join::taken), "");
  EXPECT_NE(
      faults_of_scatter(sum, Join::exchange).find("by exchange where one of several values has to stay"),
      std::string::npos);
  EXPECT_NE(faults_of_scatter(sum, Join::ranked).find("by ranked with an operator"), std::string::npos);
}

TEST(ScheduleCheck, FindsStagesOfWhatIsNotRead) {
  const char* message = "phase 'main' stages what its points do not read";
  expect_fault(message, [](scalar::Arena& arena, Launch&, Nest& nest) {
    Stage stage{arena.fresh_array(Kind::f32, {arena.i64(8)}, "y").var(), 2};
    stage.size = 8;
    const Expr zero = arena.i64(0);
    stage.read = arena.index(arena.name(stage.array), std::span(&zero, 1));
    nest.stages.push_back(stage);
  });
}

// The faults of a stencil of an array that the map before it makes in windows alone.
std::string faults_of_windows(const std::function<void(scalar::Arena&, Launch&, Nest&)>& harm) {
  testing_schedule::Decided made = testing_schedule::decided(R"(program (x: f32[n]) {
    y: f32[n - 2] = map (i < n - 2) { x[i] + x[i + 1] + x[i + 2] }
    return y
  })");
  std::string all;
  for (Phase& phase : made.launch.phases)
    if (auto* nest = std::get_if<Nest>(&phase.walk); nest && !nest->stages.empty())
      harm(*made.program.arena, made.launch, *nest);
  for (const std::string& fault : faults_of(made.program, made.launch)) all += fault + '\n';
  return all;
}

/// The stage's array is nowhere in memory: its elements are these.
void compute(scalar::Arena& arena, Launch& launch, Stage& stage, const std::function<Expr(Expr)>& element) {
  const Expr i = arena.fresh({Kind::i64}, "i");
  stage.computed = true;
  launch.computed.push_back({stage.array, {{i.var()}, {}, {element(i)}}});
}

TEST(ScheduleCheck, FindsWindowsThatDoNotServeWhatIsRead) {
  EXPECT_EQ(faults_of_windows([](scalar::Arena& arena, Launch& launch, Nest& nest) {
              compute(arena, launch, nest.stages[0], [&](Expr i) { return cast(i, Kind::f32); });
            }),
            "");
  EXPECT_NE(faults_of_windows([](scalar::Arena& arena, Launch& launch, Nest& nest) {
              nest.stages[0].around[0].high = 1;
              compute(arena, launch, nest.stages[0], [&](Expr i) { return cast(i, Kind::f32); });
            }).find("reads an array that is nowhere in memory outside of its stage"),
            std::string::npos);
  EXPECT_NE(faults_of_windows([](scalar::Arena&, Launch&, Nest& nest) {
              nest.stages[0].size = 2;
            }).find("has no room for what it stages"),
            std::string::npos);
}

TEST(ScheduleCheck, FindsElementsThatMayFailBeforeTheyAreRead) {
  EXPECT_NE(faults_of_windows([](scalar::Arena& arena, Launch& launch, Nest& nest) {
              compute(arena, launch, nest.stages[0], [&](Expr i) {
                return cast(arena.apply(scalar::Op::div, {arena.i64(7), i}, 1), Kind::f32);
              });
            }).find("computes elements that may fail before they are read"),
            std::string::npos);
}

TEST(ScheduleCheck, FindsMemoryThatIsNotTheLaunchs) {
  expect_fault("combines in an array that is not the launch's memory",
               [](scalar::Arena&, Launch& launch, Nest&) { launch.memory.clear(); });
}

TEST(ScheduleCheck, FindsSplitsByConditionsThatAreNotThere) {
  expect_fault("splits by what is no comparison of an index",
               [](scalar::Arena&, Launch&, Nest& nest) { nest.splits.push_back({nest.axes[0].extent < 3}); });
}

TEST(ScheduleCheck, FindsInnerNestsOfNoSoac) {
  expect_fault("inner nest 3, is of a Soac that the body does not have",
               [](scalar::Arena&, Launch&, Nest& nest) { nest.inner.push_back({3, {}}); });
}

TEST(ScheduleCheck, FindsStatementsThatAreNotLegal) {
  expect_fault("computes what is no legal statement", [](scalar::Arena&, Launch& launch, Nest&) {
    std::get<soac::Soac>(launch.phases[0].computes.op).body.results.clear();
  });
}

TEST(ScheduleCheck, NamesTheEditThatDidIt) {
  SmallLaunch small = sum_of_squares();
  small.launch.phases[1].name = "main";
  try {
    check(small.program, small.launch, "my edit");
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("after my edit: schedule of 'reduce': phase 'main' has the name of "
                        "an earlier phase"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fulgurite::schedule
