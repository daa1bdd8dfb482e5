#include "lower/frame.h"

namespace fulgurite::lower {

namespace {

Emitter with_groups(Launches& to, const soac::Soac& op) {
  const Emitter e = to.emitter();
  if (op.outer_axes == 0) return e;
  return e.of_groups(to.product(std::span(op.dims).subspan(op.outer_axes)));
}

}  // namespace

Frame::Frame(Launches& to, const soac::Stm& stm)
    : launches(to),
      arena(to.arena()),
      e(with_groups(to, std::get<soac::Soac>(stm.op))),
      s(stm),
      op(std::get<soac::Soac>(s.op)),
      layout(soac::layout_of(op)),
      policy(policy_of(op)),
      grid(depends_on_order(op) ? points_grid(to, op, policy) : tiles_grid(to, op, policy)) {}

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

void Frame::phase(Expr n_tasks, const std::function<void(const Emitter& e)>& body) {
  tasks.push_back(n_tasks);
  e.par(kernel::Level::grid, n_tasks, "task", [&](Expr task) { body(e.of_task(task, n_tasks)); });
}

Range Frame::points_of(const Emitter& task) {
  Range range;
  range.is_points = true;
  range.begin = task.lower(arena.mul(task.context().task, grid.columns_per_task));
  range.end = task.lower(arena.min(arena.add(range.begin, grid.columns_per_task), grid.columns));
  return range;
}

}  // namespace fulgurite::lower
