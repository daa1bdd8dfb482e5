// Schedules of programs as text, decided for a processor and for a device that are nobody's.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>

#include "base/match.h"
#include "reasons.h"
#include "schedule/blocks/decide.h"
#include "schedule/check.h"
#include "schedule/lanes/decide.h"
#include "schedule/parse.h"
#include "schedule/print.h"
#include "soac/parse.h"

namespace fulgurite::testing_schedule {

struct Decided {
  soac::Program program;
  schedule::Launch launch;
  std::string text;
};

using Decide = std::function<schedule::Launch(const schedule::Surroundings&, const soac::Stm&)>;

/// The schedule of the last Soac of the program outside of all others. It has no faults, gives a reason for
/// each decision, and is read back from its text.
inline Decided decided_by(const Decide& decide, const std::string& text, const schedule::Device& device,
                          const std::function<bool(const soac::Program&, schedule::Var)>& in_memory) {
  Decided made{soac::parse(text, "test.soac"), {}, {}};
  const soac::EqualSizes sizes(made.program);
  const auto is_known = [](std::span<const schedule::Expr> all) {
    bool known = true;
    scalar::for_each_node(
        all, [&](schedule::Expr e) { known = known && e.op() != scalar::Op::index && e.site() == 0; });
    return known;
  };
  const auto is_in_memory = [&](schedule::Var array) { return in_memory(made.program, array); };
  const schedule::Surroundings around{*made.program.arena, sizes, is_known, is_in_memory, device, {}};
  for (const soac::Stm& s : made.program.body)
    if (base::as<soac::Soac>(s.op)) made.launch = decide(around, s);
  made.text = schedule::print(*made.program.arena, made.launch);
  for (const std::string& fault : schedule::faults_of(made.program, made.launch)) ADD_FAILURE() << fault;
  for (const std::string& fault : faults_of_reasons(*made.program.arena, made.launch))
    ADD_FAILURE() << fault << '\n' << made.text;
  const schedule::Launch again = schedule::parse(*made.program.arena, made.text, made.launch);
  EXPECT_EQ(again, made.launch) << made.text;
  EXPECT_EQ(schedule::print(*made.program.arena, again), made.text);
  return made;
}

inline schedule::Device device_of_blocks(bool blocks_wait = true) {
  schedule::Device device;
  device.shared_memory = 48 << 10;
  device.blocks_wait = blocks_wait;
  return device;
}

/// For blocks of threads; all arrays are in memory.
inline Decided decided(const std::string& text, const schedule::Device& device = device_of_blocks()) {
  return decided_by(schedule::decide_blocks, text, device,
                    [](const soac::Program&, schedule::Var) { return true; });
}

/// For lanes; the arguments are in memory.
inline Decided decided_lanes(const std::string& text, int vector_bytes = 64) {
  return decided_by(schedule::decide_lanes, text,
                    {.vector_bytes = vector_bytes, .last_level_cache = 32 << 20},
                    [](const soac::Program& program, schedule::Var array) {
                      return std::ranges::find(program.params, array) != program.params.end();
                    });
}

/// The lines of a phase without those that are comments or reasons.
inline std::string phase(const Decided& made, const std::string& name) {
  std::istringstream lines(made.text);
  std::string all, line;
  bool is_here = false;
  while (std::getline(lines, line)) {
    if (!line.starts_with(' ')) is_here = line == "phase \"" + name + "\"";
    const std::size_t at = line.find_first_not_of(' ');
    if (is_here && line[at] != '#' && !line.substr(at).starts_with("why ")) all += line + '\n';
  }
  return all;
}

inline std::string names_of_phases(const Decided& made) {
  std::string all;
  for (const schedule::Phase& each : made.launch.phases) all += (all.empty() ? "" : ", ") + each.name;
  return all;
}

}  // namespace fulgurite::testing_schedule
