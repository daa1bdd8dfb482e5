#include "schedule/lanes/kept_arrays.h"

#include <algorithm>

#include "schedule/rewrites/by_order.h"
#include "schedule/rows.h"
#include "soac/count.h"

namespace fulgurite::schedule {

std::optional<KeptByLanes> kept_by_lanes(scalar::Arena& arena, const soac::Soac& op, const LaneLoops& loops,
                                         const Lanes& of, const KnownSizes& is_known) {
  if (!loops.rows || !lanes_keep_arrays(op) || op.dims.size() != 1) return {};
  const auto kept = soac::kept_arrays(arena, op, is_known);
  const Expr sum = longest_sum(arena, op.body);
  if (!kept || !kept->change_in_loops || !is_known({&sum, 1})) return {};
  std::int64_t lanes = std::min<std::int64_t>(of.device.vector_bytes / kept->widest, most_lanes);
  if (kept->loops_read_rows) lanes = std::min(lanes, of.by.lane_array_lines);
  LaneLoops of_lanes = loops;
  of_lanes.rows = false;
  of_lanes.lanes = of_lanes.tail_lanes = static_cast<int>(std::max<std::int64_t>(lanes, 1));
  return KeptByLanes{*kept, of_lanes, (kept->longest_step <= of.by.lane_row) & (sum <= of.by.fold_chain)};
}

InnerLaneArrays inner_lane_arrays(scalar::Arena& arena, const soac::Soac& op, const LaneLoops& loops,
                                  const Lanes& lanes) {
  if (soac::is_one_point(op)) return {};
  const KnownSizes is_outside = soac::same_for_all_points(op);
  const auto kept = kept_by_lanes(arena, op, loops, lanes, is_outside);
  const Expr most = longest_row(arena, op.body);
  if (!kept || !kept->are_short.is_constant(1) || !is_outside({&most, 1})) return {};
  return {kept->loops, lanes.by.lane_array_bytes / (kept->loops.lanes * kept->widest)};
}

}  // namespace fulgurite::schedule
