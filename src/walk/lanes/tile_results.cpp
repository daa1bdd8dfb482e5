#include "walk/lanes/tile_results.h"

#include "schedule/nest.h"

namespace fulgurite::walk::lanes {

TileResults::TileResults(const Emitter& task, const schedule::Phase& phase, const Interval& depth, Expr part)
    : phase_(phase),
      partials_(schedule::memory_of_combines(std::get<schedule::Nest>(phase.walk))),
      depth_(depth) {
  const auto& nest = std::get<schedule::Nest>(phase.walk);
  if (nest.stages.empty()) return;
  const std::size_t axis = nest.axes.size() - 1;
  const Expr points = schedule::product(task.arena(), std::get<soac::Soac>(phase.computes.op).dims);
  first_ = task.lower(part * points);
  has_parts_ = task.lower(schedule::task_cut(nest, axis)->size < nest.axes[axis].extent);
}

void TileResults::leave(const Emitter& e, const Words& depth, std::vector<TileRow>& rows) const {
  if (!has_parts_) return results(rows);
  e.if_then(e.lower(depth_.begin < depth.begin), [&] {
    for (TileRow& row : rows) {
      const Running::Groups before =
          restore(row.e, row.op().reductions, partials_, partial_of(row, row.number));
      join(row.e, row.op().reductions, before, row.totals, "acc");
      for (std::size_t g = 0; g < before.size(); ++g)
        for (std::size_t k = 0; k < before[g].size(); ++k)
          row.e.assign(row.totals[g][k], row.e.snapshot(before[g][k], "acc"));
    }
  });
  const Expr is_incomplete = e.lower(has_parts_ | (depth.end < depth_.end));
  e.if_then_else(
      is_incomplete,
      [&] {
        for (const TileRow& row : rows) {
          save(row.e, row.totals, partials_, partial_of(row, row.number));
          if (!row.mirror) continue;
          row.e.if_then(row.e.lower((depth_.end <= depth.end) & row.is_above),
                        [&] { save(row.e, row.totals, partials_, partial_of(row, row.mirror)); });
        }
      },
      [&] { results(rows); });
}

// A row that is present several times reads what it updates before it stores any of it.
void TileResults::results(const std::vector<TileRow>& rows) const {
  if (std::get<soac::Soac>(phase_.computes.op).scatters.empty()) {
    for (const TileRow& row : rows) {
      const std::span<const Expr> all = finished(row);
      leave_results(row.e, phase_.computes, all, row.number);
      if (row.mirror)
        row.e.if_then(row.e.lower(row.is_above),
                      [&] { leave_results(row.e, phase_.computes, all, row.mirror); });
    }
    return;
  }
  std::vector<std::vector<Expr>> values;
  for (const TileRow& row : rows) values.push_back(row.e.lower(finished(row)));
  for (std::size_t r = 0; r < rows.size(); ++r)
    leave_results(rows[r].e, phase_.computes, values[r], rows[r].number);
}

// The row's results, of names that are bound.
std::span<const Expr> TileResults::finished(const TileRow& row) const {
  std::vector<Expr> totals;
  for (const auto& group : row.totals)
    for (Expr variable : group) totals.push_back(row.e.snapshot(variable, "total"));
  finish(row.e, row.reduction(), totals);
  return row.at.results;
}

}  // namespace fulgurite::walk::lanes
