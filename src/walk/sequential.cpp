#include "walk/sequential.h"

#include "schedule/rewrites/ascending.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/slice.h"
#include "walk/arrays.h"
#include "walk/points.h"

namespace fulgurite::walk {

void sequential_loop(const Emitter& e, const soac::Stm& original) {
  e.note_sequential(original, "depends on the element of the combinator around it");
  scalar::Arena& arena = e.arena();
  const soac::Stm s = schedule::lift_missing_neutral(arena, original);
  const auto& soac = std::get<soac::Soac>(s.op);
  const std::vector<Expr> dims = extents(e, soac.dims);
  Running running;
  running.reductions = start(e, soac);
  for (const soac::Stm* scan : schedule::scans_of(soac.body)) {
    running.scans.emplace_back();
    for (Expr first : e.lower(schedule::first_of(*scan)))
      running.scans.back().push_back(e.declare(first, "so_far"));
  }
  std::vector<Expr> indices;
  std::function<void(std::size_t)> nest = [&](std::size_t d) {
    if (d == dims.size()) return point(e, s, indices, e.lower(linear(e, indices, dims)), running);
    e.for_loop(arena.i64(0), dims[d], arena.i64(1), "i", [&](Expr i) {
      indices.push_back(i);
      nest(d + 1);
      indices.pop_back();
    });
  };
  const bool may_repeat = dims.size() == 1 && running.scans.empty() && !schedule::makes_arrays(soac);
  const auto behind = may_repeat ? schedule::behind_first(arena, s, false) : std::nullopt;
  if (behind && e.keeps(schedule::rewrite::ascending, s, *behind)) {
    const Expr zero = arena.i64(0), one = arena.i64(1);
    e.if_then(e.lower(zero < dims[0]), [&] { point(e, s, {{zero}}, zero, running); });
    e.for_loop(one, dims[0], one, "i", [&](Expr i) { point(e, *behind, {{i}}, i, running); });
  } else {
    nest(0);
  }
  std::vector<Expr> totals;
  for (const auto& group : running.reductions)
    for (Expr variable : group)
      totals.push_back(e.snapshot(variable, arena.info(s.names[totals.size()]).name));
  finish(e, s, totals);
}

}  // namespace fulgurite::walk
