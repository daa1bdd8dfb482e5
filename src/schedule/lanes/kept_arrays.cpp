#include "schedule/lanes/kept_arrays.h"

#include <algorithm>

#include "schedule/rewrites/by_order.h"
#include "schedule/rows.h"
#include "soac/count.h"

namespace fulgurite::schedule {

std::optional<soac::KeptArrays> kept_by_lanes(scalar::Arena& arena, const soac::Soac& op,
                                              const LaneLoops& loops,
                                              const std::function<bool(std::span<const Expr>)>& is_known) {
  if (!loops.rows || !lanes_keep_arrays(op) || op.dims.size() != 1 || has_rounding(op.body)) return {};
  auto kept = soac::kept_arrays(arena, op, is_known);
  return kept && kept->change_in_loops ? std::move(kept) : std::nullopt;
}

LaneLoops loops_of_lanes(const soac::KeptArrays& kept, LaneLoops loops, const Lanes& of) {
  loops.rows = false;
  std::int64_t lanes = std::min<std::int64_t>(of.device.vector_bytes / kept.widest, most_lanes);
  if (kept.loops_read_rows) lanes = std::min(lanes, of.by.lane_array_lines);
  loops.lanes = loops.tail_lanes = static_cast<int>(std::max<std::int64_t>(lanes, 1));
  return loops;
}

InnerLaneArrays inner_lane_arrays(scalar::Arena& arena, const soac::Soac& op, const LaneLoops& loops,
                                  const Lanes& lanes) {
  if (soac::is_one_point(op)) return {};
  const auto is_outside = soac::same_for_all_points(op);
  const auto kept = kept_by_lanes(arena, op, loops, is_outside);
  if (!kept) return {};
  const Expr is_short = kept->longest_step <= lanes.by.lane_row, most = longest_row(arena, op.body);
  if (!is_short.is_constant(1) || !is_outside({&most, 1})) return {};
  const LaneLoops of_lanes = loops_of_lanes(*kept, loops, lanes);
  return {of_lanes, lanes.by.lane_array_bytes / (of_lanes.lanes * kept->widest)};
}

}  // namespace fulgurite::schedule
