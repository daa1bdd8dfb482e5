#include "schedule/lanes/kept_arrays.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rows.h"
#include "soac/count.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

// Whether iterations of loops in a map's function are short: what one point takes together fills vectors by
// itself. But loops in a Soac that lanes do not take are scalar code, unless lanes take the points around it:
// for each of their iterations as many points together are short as of a loop without them.
class Iterations {
 public:
  Iterations(scalar::Arena& arena, std::int64_t lane_row, const KnownSizes& is_known)
      : arena_(arena), lane_row_(lane_row), is_known_(is_known), longest_(arena.i64(1)) {}

  Expr are_short(const soac::Lambda& function) {
    for (const soac::Stm& s : function.body) taken_by(s, false);
    const Expr are_short = longest_ <= lane_row_;
    return others_ ? are_short & others_ : are_short;
  }

 private:
  struct Taken {
    Expr together;  // the most points of a Soac; absent: there is none
    Expr in_turn;   // iterations of loops; absent: there are none
  };
  static Expr most(Expr a, Expr b) { return !a ? b : !b ? a : Expr(max(a, b)); }

  Taken taken_by(const soac::Stm& s, bool in_loop) {
    const auto* loop = base::as<soac::Loop>(s.op);
    const auto* op = base::as<soac::Soac>(s.op);
    Taken inside;
    for (const auto& nested : soac::nested_in(s))
      for (const soac::Stm& inner : nested.lambda->body) {
        const Taken more = taken_by(inner, in_loop || loop);
        inside = {most(inside.together, more.together), most(inside.in_turn, more.in_turn)};
      }
    if (loop) {
      judge(inside);
      const Expr trips = loop->trips && is_known_({&loop->trips, 1}) ? loop->trips : arena_.i64(1);
      return {{}, inside.in_turn ? trips * inside.in_turn : trips};
    }
    if (!op) return inside;
    const Expr points = product(arena_, op->dims);
    if (!inside.in_turn || (suits_lanes(*op) && !soac::is_one_point(*op)))
      return {most(points, inside.together), {}};
    if (in_loop) judge(inside);
    return {{}, points * inside.in_turn};
  }
  void judge(const Taken& iteration) {
    if (!iteration.together || Expr(iteration.together <= lane_row_).is_constant(1)) return;
    if (!iteration.in_turn) {
      longest_ = max(longest_, iteration.together);
      return;
    }
    const Expr is_short = iteration.together <= max(iteration.in_turn, arena_.i64(1)) * lane_row_;
    others_ = others_ ? others_ & is_short : is_short;
  }

  scalar::Arena& arena_;
  std::int64_t lane_row_;
  const KnownSizes& is_known_;
  Expr longest_, others_;
};

}  // namespace

std::optional<KeptByLanes> kept_by_lanes(scalar::Arena& arena, const soac::Soac& op, const LaneLoops& loops,
                                         const Lanes& of, const KnownSizes& is_known) {
  if (!loops.rows || !lanes_keep_arrays(op) || op.dims.size() != 1) return {};
  const auto kept = soac::kept_arrays(arena, op, is_known);
  const Expr sum = longest_sum(arena, op.body);
  if (!kept || !kept->change_in_loops || !is_known({&sum, 1})) return {};
  std::int64_t lanes = std::min<std::int64_t>(of.device.vector_bytes / kept->widest, most_lanes);
  std::int64_t side_by_side = std::min(lanes * of.by.lane_array_vectors, most_lanes);
  if (kept->loops_read_rows) side_by_side = std::min(side_by_side, of.by.lane_array_lines);
  lanes = std::min(lanes, side_by_side);
  LaneLoops of_lanes = loops;
  of_lanes.rows = false;
  of_lanes.lanes = static_cast<int>(std::max<std::int64_t>(side_by_side, 1));
  of_lanes.tail_lanes = static_cast<int>(std::max<std::int64_t>(lanes, 1));
  const Expr are_short = Iterations(arena, of.by.lane_row, is_known).are_short(op.body);
  return KeptByLanes{*kept, of_lanes, are_short & (sum <= of.by.fold_chain)};
}

Expr KeptByLanes::suit(const soac::Soac& map, const LanesPolicy& by) const {
  const std::int64_t lanes = loops.tail_lanes;
  const Expr fits = largest * lanes <= by.lane_array_bytes;
  const Expr are_enough = lanes * 2 <= map.dims[0];
  return fits & are_enough & are_short;
}

InnerLaneArrays inner_lane_arrays(scalar::Arena& arena, const soac::Soac& op, const LaneLoops& loops,
                                  const Lanes& lanes) {
  if (soac::is_one_point(op)) return {};
  const KnownSizes is_outside = soac::same_for_all_points(op);
  const auto kept = kept_by_lanes(arena, op, loops, lanes, is_outside);
  const Expr most = longest_row(arena, op.body);
  if (!kept || !kept->are_short.is_constant(1) || !is_outside({&most, 1})) return {};
  return {kept->loops, lanes.by.lane_array_bytes / (kept->loops.tail_lanes * kept->widest)};
}

}  // namespace fulgurite::schedule
