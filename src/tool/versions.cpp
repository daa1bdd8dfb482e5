#include "tool/versions.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/nest.h"

namespace fulgurite::tool {

using base::as;
using schedule::Axis, schedule::Nest;
using soac::Stm;

namespace {

// Whether an expression depends on the point's place on an axis of the phase.
bool depends_on(scalar::Expr e, const Axis& axis, const schedule::Phase& phase) {
  const Stm* stm = axis.of == 0 ? &phase.computes : schedule::soac_inside(phase.computes, axis.of);
  const auto* op = stm ? as<soac::Soac>(stm->op) : nullptr;
  if (!op) return true;
  const auto of_axis = std::span(op->body.params).subspan(axis.first, axis.count);
  return std::ranges::any_of(of_axis, [&](scalar::Var param) { return scalar::mentions(e, param); });
}

}  // namespace

std::vector<const Stm*> reductions_along_axes(const schedule::Launch& launch) {
  std::vector<const Stm*> found;
  for (const schedule::Phase& phase : launch.phases)
    if (const auto* nest = std::get_if<Nest>(&phase.walk))
      for (const Axis& axis : nest->axes)
        if (axis.role == Axis::Role::fold && axis.of != 0)
          if (const Stm* reduction = schedule::soac_inside(phase.computes, axis.of))
            found.push_back(reduction);
  return found;
}

scalar::Expr times_staged(const schedule::Launch& launch, scalar::Arena& arena, scalar::Var array) {
  for (const schedule::Phase& phase : launch.phases) {
    const auto* nest = std::get_if<Nest>(&phase.walk);
    if (!nest) continue;
    const auto stage = std::ranges::find_if(
        nest->stages, [&](const schedule::Stage& s) { return s.array == array && s.read; });
    if (stage == nest->stages.end()) continue;
    scalar::Expr times = arena.i64(1);
    for (const schedule::Cut& cut : nest->cuts)
      if (const Axis& axis = nest->axes[cut.axis];
          cut.unit == schedule::Unit::grid && !depends_on(stage->read, axis, phase))
        times = times * schedule::ceil_div(axis.extent, cut.size);
    return times;
  }
  return {};
}

}  // namespace fulgurite::tool
