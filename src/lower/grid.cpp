#include "lower/grid.h"

#include <algorithm>

#include "base/match.h"
#include "lower/slice.h"

namespace fulgurite::lower {

bool depends_on_order(const soac::Soac& op) {
  auto combines = [](const soac::Scatter& scatter) { return !scatter.combine.empty(); };
  return has_scan(op.body) || !op.partitions.empty() || std::ranges::any_of(op.scatters, combines);
}

Grid tiles_grid(Launches& launches, const soac::Soac& op, const Policy& policy) {
  scalar::Arena& arena = launches.arena();
  Grid g;
  Expr tile = arena.i64(policy.tile), one = arena.i64(1);
  g.columns_per_task = tile;
  if (policy.rows) {  // whole rows; as many a task as make a tile, where the inner length is known to the
                      // host
    g.rows = launches.product(op.dims);
    Expr length = one;
    for (const soac::Stm& s : op.body.body)
      if (auto* inner = base::as<soac::Soac>(s.op); inner && launches.known_outside(inner->dims))
        length = arena.max(length, launches.product(inner->dims));
    g.columns = length;
    g.rows_per_task = arena.max(arena.div(tile, length), one);
    g.tiles = one;
    g.tasks = launches.ceil_div(g.rows, g.rows_per_task);
    return g;
  }
  if (op.dims.size() == 1 || policy.linear) {
    g.rows = g.rows_per_task = one;
    g.columns = launches.product(op.dims);
    g.tiles = g.tasks = launches.ceil_div(g.columns, tile);
    return g;
  }
  g.rows = launches.product(std::span(op.dims).first(op.dims.size() - 1));
  g.columns = op.dims.back();
  g.rows_per_task = arena.max(arena.div(tile, arena.max(g.columns, one)), one);
  g.tiles = launches.ceil_div(g.columns, tile);
  g.tasks = arena.mul(launches.ceil_div(g.rows, g.rows_per_task), g.tiles);
  return g;
}

Grid points_grid(Launches& launches, const soac::Soac& op, const Policy& policy) {
  scalar::Arena& arena = launches.arena();
  Expr one = arena.i64(1);
  Grid g;
  g.rows = g.rows_per_task = g.tiles = one;
  g.columns = launches.product(op.dims);
  g.columns_per_task = arena.i64(policy.tile);
  Expr own = arena.i64(0);  // elements that a task has for itself
  for (const soac::Scatter& scatter : op.scatters)
    if (!scatter.combine.empty()) own = arena.add(own, launches.product(scatter.shape));
  for (const soac::Partition& p : op.partitions)
    if (!p.classes.is_constant(1)) own = arena.add(own, p.classes);
  if (!own.is_constant(0)) {
    constexpr std::int64_t some = 1 << 16;
    Expr most = arena.max(arena.div(arena.max(g.columns, arena.i64(some)), arena.max(own, one)), one);
    Expr line = arena.i64(64);  // tiles start where vectors are aligned
    Expr least = arena.mul(launches.ceil_div(launches.ceil_div(g.columns, most), line), line);
    g.columns_per_task = arena.max(g.columns_per_task, least);
  }
  g.tasks = arena.max(launches.ceil_div(g.columns, g.columns_per_task), one);
  return g;
}

Range tile_of(Emitter& e, const Grid& g, const Policy& policy, Expr task) {
  scalar::Arena& arena = e.arena();
  Expr tile = arena.i64(policy.tile);
  Range range;
  if (g.rows.is_constant(1)) {
    range.first_row = arena.i64(0);  // read where the space has more than one axis
    range.last_row = arena.i64(1);
    range.begin = e.lower(arena.mul(task, tile));
  } else {
    Expr block = e.lower(arena.div(task, g.tiles));
    range.first_row = e.lower(arena.mul(block, g.rows_per_task));
    range.last_row = e.lower(arena.min(arena.add(range.first_row, g.rows_per_task), g.rows));
    range.begin = e.lower(arena.mul(arena.rem(task, g.tiles), tile));
  }
  range.end = e.lower(arena.min(arena.add(range.begin, tile), g.columns));
  return range;
}

std::vector<Expr> row_loop(Emitter& e, const soac::Stm& s, const Grid& g, Expr task) {
  scalar::Arena& arena = e.arena();
  const auto& op = std::get<soac::Soac>(s.op);
  Running running;
  running.reductions = e.start(op);
  Expr first = e.lower(arena.mul(task, g.rows_per_task));
  Expr last = e.lower(arena.min(arena.add(first, g.rows_per_task), g.rows));
  e.for_loop(first, last, arena.i64(1), "row", [&](Expr row) {
    std::vector<Expr> indices(op.dims.size());
    Expr rest = row;
    for (std::size_t d = indices.size(); d-- > 1;) {
      indices[d] = e.lower(arena.rem(rest, op.dims[d]));
      rest = e.lower(arena.div(rest, op.dims[d]));
    }
    indices[0] = rest;
    e.set_element(row);
    e.point(s, indices, row, running);
  });
  std::vector<Expr> totals;
  for (const auto& group : running.reductions)
    for (Expr variable : group) totals.push_back(e.snapshot(variable, "total"));
  return totals;
}

}  // namespace fulgurite::lower
