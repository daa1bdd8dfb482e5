#include "schedule/lanes/divided_axes.h"

#include "schedule/rewrites/divided.h"

namespace fulgurite::schedule {

namespace {

constexpr const char* why_divided =
    "version: points divide their index by what is the same for all of them, so that quotients and "
    "remainders are axes where rows are long enough (divided_row)";

// The condition of a guard, which is select(c, 1, 0) or 1 - select(c, 1, 0); absent: it always holds.
Expr condition_of(Expr guard) {
  if (!guard) return {};
  const bool is_other = guard.op() == scalar::Op::sub;
  const Expr condition = (is_other ? guard.arg(1) : guard).arg(0);
  return is_other ? logical_not(condition) : condition;
}

}  // namespace

void add_divided_axes(Building& at) {
  const auto map = divided(at.arena, at.lifted, [&](Expr e) { return at.around.is_known({&e, 1}); });
  if (!map) return;
  const Expr are_long = at.lanes.by.divided_row <= map->row, holds = are_long & map->holds;
  if (holds.is_constant(0)) return;
  if (holds.is_constant(1)) {
    at.launch.phases.clear();
    at.launch.memory.clear();
  }
  for (Phase& phase : at.launch.phases) {
    const Expr before = condition_of(phase.guard);
    if (before)
      phase.guard = select(before & logical_not(holds), at.i64(1), 0);
    else
      phase.guard = 1 - select(holds, at.i64(1), 0);
    phase.why.emplace_back(why_divided);
  }
  const auto& names = at.lifted.names;
  for (std::size_t k = 0; k < names.size(); ++k) at.launch.reshaped.push_back({map->stm.names[k], names[k]});
  Phase& phase = at.add_map("divided", map->stm);
  if (!holds.is_constant(1)) phase.guard = select(holds, at.i64(1), 0);
  phase.why.emplace_back(why_divided);
}

}  // namespace fulgurite::schedule
