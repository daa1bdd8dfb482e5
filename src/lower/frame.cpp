#include "lower/frame.h"

namespace fulgurite::lower {

Frame::Frame(Launches& to, const soac::Stm& stm)
    : launches(to),
      arena(to.arena()),
      e(to.emitter()),
      s(stm),
      op(std::get<soac::Soac>(s.op)),
      layout(soac::layout_of(op)),
      policy(policy_of(op)),
      grid(depends_on_order(op) ? points_grid(to, op, policy) : tiles_grid(to, op, policy)) {
  if (op.outer_axes > 0) e.set_group(to.product(std::span(op.dims).subspan(op.outer_axes)));
}

Policy Frame::policy_of(const soac::Soac& soac) {
  return choose(arena, soac, launches.sizes(), launches.options().target);
}

std::vector<Var> Frame::names(const soac::Layout::Part& part) const {
  auto from = s.names.begin() + static_cast<std::ptrdiff_t>(part.name);
  return {from, from + static_cast<std::ptrdiff_t>(part.n_names)};
}

std::span<const Expr> Frame::results(const soac::Layout::Part& part) const {
  return std::span(op.body.results).subspan(part.result, part.n_results);
}

Var Frame::temporary(Kind kind, Expr size, std::string name) {
  temporaries.push_back(arena.fresh_array(kind, {size}, std::move(name)).var());
  return temporaries.back();
}

void Frame::phase(Expr n_tasks, const std::function<void(Expr task)>& body) {
  tasks.push_back(n_tasks);
  e.par(kernel::Level::grid, n_tasks, "task", [&](Expr task) {
    e.set_task(task, n_tasks);
    body(task);
  });
}

Range Frame::points_of(Expr task) {
  Range range;
  range.is_points = true;
  range.begin = e.lower(arena.mul(task, grid.columns_per_task));
  range.end = e.lower(arena.min(arena.add(range.begin, grid.columns_per_task), grid.columns));
  return range;
}

}  // namespace fulgurite::lower
