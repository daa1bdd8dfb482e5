#include "schedule/lanes/lane_arrays.h"

#include "schedule/lanes/kept_arrays.h"

namespace fulgurite::schedule {

LaneArrays lane_arrays_of(const Building& at, Expr otherwise) {
  const auto kept = kept_by_lanes(at.arena, at.op(), at.loops, at.lanes, at.around.is_known);
  if (!kept) return {};
  LaneArrays arrays{{}, kept->loops};
  Expr holds = kept->suit(at.op(), at.lanes.by);
  if (otherwise) holds = holds & logical_not(otherwise);
  if (!holds.is_constant(0)) arrays.holds = holds;
  return arrays;
}

void add_lane_arrays(Building& at, const LaneArrays& arrays) {
  if (!arrays.holds) return;
  const LaneLoops& loops = arrays.loops;
  Grid tiles = at.grid;
  tiles.columns_per_task = ceil_div(tiles.columns_per_task, at.i64(loops.lanes)) * loops.lanes;
  Nest nest = nest_of(at.arena, at.posting, loops, at.lanes, {&tiles});
  Phase& phase = at.add("arrays in lanes", at.posting, std::move(nest));
  phase.guard = select(arrays.holds, at.i64(1), 0);
  phase.why = reasons_of(at.arena, at.op(), loops, at.lanes);
  phase.why.emplace_back(why_lane_arrays);
}

}  // namespace fulgurite::schedule
