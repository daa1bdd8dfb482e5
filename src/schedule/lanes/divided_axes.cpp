#include "schedule/lanes/divided_axes.h"

#include "schedule/rewrites/divided.h"
#include "schedule/rewrites/interleaved.h"

namespace fulgurite::schedule {

namespace {

constexpr const char* why_divided =
    "version: points divide their index by what is the same for all of them, so that quotients and "
    "remainders are axes where rows are long enough (divided_row)";

constexpr const char* why_interleaved =
    "version: points read by quotients and remainders of their index by constants, so that neighbours "
    "are one point, which knows the remainders (interleave_points, interleave_nodes)";

// When a phase with this guard runs; absent: always.
Expr condition_of(scalar::Arena& arena, Expr guard) {
  if (!guard) return {};
  if (guard.is_constant()) return arena.boolean(!guard.is_constant(0));
  if (guard.op() == scalar::Op::sub) return logical_not(condition_of(arena, guard.arg(1)));
  if (guard.op() != scalar::Op::select) return differs(guard, 0);
  return guard.arg(1).is_constant(1) ? guard.arg(0) : logical_not(guard.arg(0));
}

// The launch takes the map, which makes the statement's arrays in another shape, where `holds`: phases from
// number `from` on then do not run.
void add_version(Building& at, std::string name, const soac::Stm& map, Expr holds, const char* why,
                 std::size_t from = 0) {
  if (holds.is_constant(1)) {
    at.launch.phases.clear();
    at.launch.memory.clear();
  }
  for (Phase& phase : std::span(at.launch.phases).subspan(from)) {
    const Expr before = condition_of(at.arena, phase.guard);
    if (before)
      phase.guard = select(before & logical_not(holds), at.i64(1), 0);
    else
      phase.guard = 1 - select(holds, at.i64(1), 0);
    phase.why.emplace_back(why);
  }
  const auto& names = at.lifted.names;
  for (std::size_t k = 0; k < names.size(); ++k) at.launch.reshaped.push_back({map.names[k], names[k]});
  Phase& phase = at.add_map(std::move(name), map);
  if (!holds.is_constant(1)) phase.guard = select(holds, at.i64(1), 0);
  phase.why.emplace_back(why);
}

}  // namespace

void add_divided_axes(Building& at) {
  const auto is_known = [&](Expr e) { return at.around.is_known({&e, 1}); };
  const InterleaveLimits limits{at.lanes.by.interleave_points, at.lanes.by.interleave_nodes};
  const auto add_interleaved = [&](const soac::Stm& s, std::size_t axis, Expr first, std::size_t from) {
    const auto map = interleaved(at.arena, s, axis, limits, is_known);
    if (map) add_version(at, "interleaved", map->stm, first & map->holds, why_interleaved, from);
    return map.has_value();
  };
  const std::size_t rank = at.op().dims.size();
  if (rank > 0 && add_interleaved(at.lifted, rank - 1, at.arena.boolean(true), 0)) return;
  const auto map = divided(at.arena, at.lifted, is_known);
  if (!map) return;
  const Expr are_long = at.lanes.by.divided_row <= map->row, holds = are_long & map->holds;
  if (holds.is_constant(0)) return;
  add_version(at, "divided", map->stm, holds, why_divided);
  add_interleaved(map->stm, rank - 1, holds, at.launch.phases.size() - 1);
}

}  // namespace fulgurite::schedule
