// Schedules for blocks of threads of programs as text, decided for a device that is nobody's.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/match.h"
#include "schedule/blocks/decide.h"
#include "schedule/check.h"
#include "schedule/parse.h"
#include "schedule/print.h"
#include "soac/parse.h"

namespace fulgurite::testing_schedule {

struct Decided {
  soac::Program program;
  schedule::Launch launch;
  std::string text;
};

inline schedule::Device device_of_blocks(bool blocks_wait = true) {
  schedule::Device device;
  device.shared_memory = 48 << 10;
  device.blocks_wait = blocks_wait;
  return device;
}

/// Of the last Soac of the program outside of all others.
inline Decided decided(const std::string& text, const schedule::Device& device = device_of_blocks()) {
  Decided made{soac::parse(text, "test.soac"), {}, {}};
  const soac::EqualSizes sizes(made.program);
  const auto is_known = [](std::span<const schedule::Expr> all) {
    bool known = true;
    scalar::for_each_node(
        all, [&](schedule::Expr e) { known = known && e.op() != scalar::Op::index && e.site() == 0; });
    return known;
  };
  const auto in_memory = [](schedule::Var) { return true; };
  const schedule::Surroundings around{*made.program.arena, sizes, is_known, in_memory, device, {}};
  for (const soac::Stm& s : made.program.body)
    if (base::as<soac::Soac>(s.op)) made.launch = schedule::decide_blocks(around, s);
  made.text = schedule::print(*made.program.arena, made.launch);
  for (const std::string& fault : schedule::faults_of(made.program, made.launch)) ADD_FAILURE() << fault;
  const schedule::Launch again = schedule::parse(*made.program.arena, made.text, made.launch);
  EXPECT_EQ(again, made.launch) << made.text;
  EXPECT_EQ(schedule::print(*made.program.arena, again), made.text);
  return made;
}

}  // namespace fulgurite::testing_schedule
