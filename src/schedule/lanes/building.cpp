#include "schedule/lanes/building.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/explain.h"

namespace fulgurite::schedule {

Var Building::memory(Kind kind, Expr size, std::string name) {
  launch.memory.push_back(arena.fresh_array(kind, {size}, std::move(name)).var());
  return launch.memory.back();
}

Phase& Building::add(std::string name, soac::Stm computes, std::variant<Nest, Skeleton> walk) {
  const std::string first = name;
  const auto is_taken = [&] {
    return std::ranges::find(launch.phases, name, &Phase::name) != launch.phases.end();
  };
  for (int number = 2; is_taken(); ++number) name = fmt::format("{} {}", first, number);
  launch.phases.push_back({std::move(name), std::move(computes), std::move(walk), {}});
  return launch.phases.back();
}

std::int64_t Building::streaming(const LaneLoops& of, const Grid& tiles) const {
  return tiles.rows_in_line > 0 ? lanes.device.last_level_cache : of.streaming;
}

Phase& Building::add_map(std::string name, soac::Stm map, Expr guard) {
  const auto& op = std::get<soac::Soac>(map.op);
  const LaneLoops of_map = fitted(choose(arena, op, lanes), op);
  const Grid tiles = tiles_grid(around, op, of_map);
  Nest nest = nest_of(arena, map, of_map, lanes, {&tiles});
  nest.traffic.streaming = streaming(of_map, tiles);
  Phase& phase = add(std::move(name), std::move(map), std::move(nest));
  phase.why = reasons_of(arena, std::get<soac::Soac>(phase.computes.op), of_map, lanes);
  phase.guard = guard;
  tell_across(tiles, phase);
  if (guard) phase.why.emplace_back(why_filled);
  return phase;
}

}  // namespace fulgurite::schedule
