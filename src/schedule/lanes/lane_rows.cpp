#include "schedule/lanes/lane_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "schedule/lanes/in_lane.h"
#include "schedule/nest.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rows.h"
#include "soac/count.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

// Whether all that is inside is loops over spaces that the host knows.
bool has_known_rows(const Surroundings& around, const soac::Lambda& f) {
  for (const soac::Stm& s : f.body) {
    if (base::as<soac::Sort>(s.op) || base::as<soac::Loop>(s.op)) return false;
    const auto* op = base::as<soac::Soac>(s.op);
    if (op && !around.is_known(op->dims)) return false;
    for (const auto& nested : soac::nested_in(s))
      if (nested.role != soac::Role::operation && !has_known_rows(around, *nested.lambda)) return false;
  }
  return true;
}

// Whether a loop is as long as the map (bodies that attract each other): where rows are few, they are short.
bool is_square(const soac::Soac& op) {
  return std::ranges::any_of(op.body.body, [&](const soac::Stm& s) {
    const auto* inner = base::as<soac::Soac>(s.op);
    return inner && std::ranges::any_of(inner->dims, [&](Expr extent) {
             return std::ranges::find(op.dims, extent) != op.dims.end();
           });
  });
}

}  // namespace

Expr lane_rows_of(Building& at, Expr otherwise) {
  const soac::Soac& op = at.op();
  if (!at.loops.rows || !soac::is_map(op) || at.in_order || makes_arrays(op) || has_scan(op.body)) return {};
  if (!has_known_rows(at.around, op.body) || is_square(op)) return {};
  Expr holds = longest_row(at.arena, op.body) <= most_in_lane(at.arena, op, at.lanes.by);
  if (otherwise) holds = holds & logical_not(otherwise);
  return holds.is_constant(0) ? Expr() : holds;
}

void add_lane_rows(Building& at, Expr holds, bool is_rare) {
  if (!holds) return;
  LaneLoops loops = at.loops;
  loops.rows = false;
  // Points that a lane takes together are transposed, which hides latency by itself, and is long code.
  const bool transposes = !in_lane(at.arena, at.op(), at.lanes).empty();
  const std::int64_t vectors = is_rare ? 1 : transposes ? at.lanes.by.medium_vectors : most_lanes;
  const bool has_fewer = vectors * loops.tail_lanes < loops.lanes;
  if (has_fewer) loops.lanes = static_cast<int>(vectors * loops.tail_lanes);
  const Grid tiles = tiles_grid(at.around, at.op(), loops);
  Nest nest = nest_of(at.arena, at.posting, loops, at.lanes, {&tiles});
  if (!is_rare) nest.traffic.streaming = loops.streaming;
  Phase& phase = at.add("short rows", at.posting, std::move(nest));
  phase.guard = select(holds, at.i64(1), 0);
  phase.why = reasons_of(at.arena, at.op(), loops, at.lanes);
  for (std::string& why : phase.why)
    if (has_fewer && why.starts_with("lanes: "))
      why = fmt::format(
          "lanes: {} in vectors of {}, as {}", loops.lanes, loops.tail_lanes,
          is_rare ? "another version takes most sizes" : "transposes hide latency (medium_vectors)");
  phase.why.emplace_back(why_lane_rows);
}

}  // namespace fulgurite::schedule
