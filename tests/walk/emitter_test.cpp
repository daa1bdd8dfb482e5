// Handles to one kernel: what each says of the code that it appends, and what they share.
#include "walk/emitter.h"

#include <gtest/gtest.h>

namespace fulgurite::walk {
namespace {

struct Emitting {
  scalar::Arena arena;
  std::vector<bool> in_lanes;  // of the Soacs that were met
  Emitter e{arena,
            true,
            {[](Expr) { return false; },
             [this](const Emitter& at, const soac::Stm&) { in_lanes.push_back(at.context().in_lanes); }}};
};

TEST(Emitter, AHandleOfAnotherContextLeavesTheFirstAsItWas) {
  Emitting k;
  const Expr one = k.arena.i64(1), two = k.arena.i64(2);
  const Emitter lane = k.e.in_lanes(), of_task = lane.of_task(one, two, true);
  EXPECT_FALSE(k.e.context().in_lanes);
  EXPECT_TRUE(lane.context().in_lanes);
  EXPECT_FALSE(lane.context().task);
  EXPECT_TRUE(of_task.context().in_lanes);
  EXPECT_EQ(of_task.context().task, one);
  EXPECT_TRUE(of_task.context().interleaved);
}

TEST(Emitter, FailuresAreReportedByTheElementOfTheOutermostSpace) {
  Emitting k;
  const Expr outer = k.arena.i64(3), inner = k.arena.i64(4);
  EXPECT_EQ(k.e.at_element(outer).at_element(inner).context().element, outer);
  EXPECT_EQ(k.e.failing_element(), k.arena.i64(0));
}

TEST(Emitter, HandlesShareWhereArraysAre) {
  Emitting k;
  const Var array = k.arena.fresh_array(Kind::i64, {k.arena.i64(4)}, "xs").var();
  k.e.in_lanes().set_destination(array, {array, k.arena.i64(7)});
  EXPECT_TRUE(k.e.has_destination(array));
  EXPECT_EQ(k.e.destination(array).base, k.arena.i64(7));
}

TEST(Emitter, CombinatorsAreLoweredInTheContextOfTheirHandle) {
  Emitting k;
  const soac::Stm s{{}, soac::Soac{}, {}, "map"};
  k.e.in_lanes().lower_soac(s);
  k.e.lower_soac(s);
  EXPECT_EQ(k.in_lanes, (std::vector{true, false}));
}

TEST(Emitter, WhatSeldomRunsIsNotNoted) {
  Emitting k;
  const soac::Stm s{{}, soac::Soac{}, {"a.cpp", 5}, "reduce"};
  k.e.rarely().note_sequential(s, "is one");
  EXPECT_TRUE(k.e.sequential().empty());
  k.e.note_sequential(s, "is one");
  k.e.in_lanes().note_sequential(s, "is one");  // said once
  ASSERT_EQ(k.e.sequential().size(), 1u);
  EXPECT_EQ(k.e.sequential()[0], "a.cpp:5: reduce runs as a sequential loop: it is one");
}

TEST(Emitter, ReadsOfItsOwnArraysGoToTheirDestinations) {
  Emitting k;
  const Var array = k.arena.fresh_array(Kind::i64, {k.arena.i64(4)}, "xs").var();
  const kernel::Block made = k.e.block([&] {
    k.e.par(kernel::Level::grid, k.arena.i64(1), "task", [&](Expr task) {
      const Var memory = k.e.allocate_shared(Kind::i64, 9);
      k.e.set_destination(array, {memory, k.arena.i64(5)});
      k.e.made(array);
      k.e.lower(k.arena.index(k.arena.name(array), std::span(&task, 1)));
      const kernel::Block& code = k.e.open_statements();
      const auto* load = std::get_if<kernel::Load>(&code.back().op);
      ASSERT_NE(load, nullptr);
      EXPECT_EQ(load->from.buffer, memory);
    });
  });
  EXPECT_TRUE(k.e.free_buffers().empty());
  EXPECT_EQ(made.size(), 1u);
}

}  // namespace
}  // namespace fulgurite::walk
