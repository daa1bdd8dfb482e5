// Schedules for lanes of programs as text, decided for a processor that is nobody's.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/match.h"
#include "schedule/check.h"
#include "schedule/lanes/decide.h"
#include "schedule/parse.h"
#include "schedule/print.h"
#include "soac/parse.h"

namespace fulgurite::testing_schedule {

struct DecidedLanes {
  soac::Program program;
  schedule::Launch launch;
  std::string text;
};

/// Of the last Soac of the program outside of all others. It has no faults, and is read back from its text.
inline DecidedLanes decided_lanes(const std::string& text) {
  DecidedLanes made{soac::parse(text, "test.soac"), {}, {}};
  const soac::EqualSizes sizes(made.program);
  const auto is_known = [](std::span<const schedule::Expr> all) {
    bool known = true;
    scalar::for_each_node(
        all, [&](schedule::Expr e) { known = known && e.op() != scalar::Op::index && e.site() == 0; });
    return known;
  };
  const auto in_memory = [&](schedule::Var array) {
    return std::ranges::find(made.program.params, array) != made.program.params.end();
  };
  const schedule::Device device{.vector_bytes = 64, .last_level_cache = 32 << 20};
  const schedule::Surroundings around{*made.program.arena, sizes, is_known, in_memory, device, {}};
  for (const soac::Stm& s : made.program.body)
    if (base::as<soac::Soac>(s.op)) made.launch = schedule::decide_lanes(around, s);
  made.text = schedule::print(*made.program.arena, made.launch);
  for (const std::string& fault : schedule::faults_of(made.program, made.launch)) ADD_FAILURE() << fault;
  const schedule::Launch again = schedule::parse(*made.program.arena, made.text, made.launch);
  EXPECT_EQ(again, made.launch) << made.text;
  EXPECT_EQ(schedule::print(*made.program.arena, again), made.text);
  return made;
}

}  // namespace fulgurite::testing_schedule
