#include "schedule/lanes/outer_folds.h"

#include <algorithm>

#include "schedule/lanes/joined_parts.h"
#include "schedule/nest.h"
#include "schedule/rewrites/rounding.h"
#include "schedule/rows.h"

namespace fulgurite::schedule {

namespace {

bool has_one_component(const soac::Soac& inner) {
  return inner.reductions.size() == 1 && inner.reductions[0].neutral.size() == 1;
}

// Several rows of middling length that are read at a time are fetched ahead too late, which only caches hide.
Expr are_streamed(const Building& at, const OuterFolds& folds, const soac::Soac& inner) {
  const LanesPolicy& by = at.lanes.by;
  const Expr are_many = by.fold_streamed_points < folds.points * folds.rows;
  const Expr are_not_short = by.fold_streamed_least < folds.columns;
  const Expr are_not_long = folds.columns <= by.fold_streamed_most;
  const Expr has_such_rows = are_many & are_not_long;
  return has_one_component(inner) ? Expr(has_such_rows & are_not_short) : has_such_rows;
}

// Enough rows for a task to have several tiles of points. Few rows would cost as much to join as to fold, and
// with many the rounding error would grow. If columns are few, more rows are folded at a time, with one more
// level of accumulators (add_cuts).
Expr rows_per_task(const Building& at, const OuterFolds& folds) {
  const LanesPolicy& by = at.lanes.by;
  const std::int64_t chain = by.fold_chain, most = chain * chain;
  const std::int64_t tile = choose(at.arena, reduction_of(at.op().body), at.lanes).tile;
  const Expr wanted = tile * by.fold_tiles / max(folds.columns, 1);
  const Expr are_few = folds.columns * most <= by.fold_block;
  const Expr at_most = select(are_few, at.i64(most * chain), most);
  return max(min(wanted, at_most), std::min(by.fold_least_rows, most));
}

}  // namespace

OuterFolds outer_folds_of(Building& at) {
  OuterFolds folds;
  if (at.loops.rows || !folds_outside(at.around, at.op())) return folds;
  scalar::Arena& arena = at.arena;
  const soac::Lambda body = with_neutral(arena, at.op());
  const soac::Soac& inner = reduction_of(body);
  folds.points = product(arena, at.op().dims);
  folds.columns = at.op().dims.back();
  folds.rows = inner.dims[0];
  const LanesPolicy& by = at.lanes.by;
  const Expr is_deep = (by.fold_rows < folds.rows) & (by.fold_least_columns <= folds.columns);
  if (is_deep.is_constant(0)) return folds;
  folds.is_deep = is_deep;
  folds.are_deep = select(is_deep, at.i64(1), 0);
  folds.rows_per_task = rows_per_task(at, folds);
  folds.parts = ceil_div(folds.rows, folds.rows_per_task);
  folds.are_streamed = are_streamed(at, folds, inner);
  const bool has_own = any_rounds(inner) && has_one_component(inner);
  const Expr copies = has_own ? select(folds.are_streamed, at.i64(2), 1) : at.i64(1);
  const Expr n = folds.are_deep * copies * (folds.parts * folds.points);
  folds.partials = memory_of_parts(at, inner, n);
  return folds;
}

namespace {

void add_axes(const Building& at, const OuterFolds& folds, std::size_t of, Nest& nest) {
  const std::vector<Expr>& dims = at.op().dims;
  const std::size_t n_outer = dims.size() - 1;
  if (n_outer > 0)
    nest.axes.push_back({Axis::Role::free, 0, n_outer, product(at.arena, std::span(dims).first(n_outer))});
  nest.axes.push_back({Axis::Role::free, n_outer, 1, folds.columns});
  nest.axes.push_back({Axis::Role::fold, 0, 1, folds.rows, false, of});
}

// Some rows at a time go through all columns of a task, whose accumulators stay in the first cache: so few
// that what is read of a row before the next one is long enough for the processor to fetch it ahead. Streamed
// rows are read one by one, and chains of them have accumulators of their own there; accumulators of several
// components would be read and stored too often, so fewer rows go together, and later ones are fetched by
// hand.
void add_cuts(const Building& at, const OuterFolds& folds, const soac::Soac& inner, bool streamed,
              Nest& nest) {
  const LanesPolicy& by = at.lanes.by;
  const std::size_t row = nest.axes.size() - 1, column = row - 1;
  nest.cuts.push_back({row, folds.rows_per_task, Unit::grid});
  if (column > 0) {
    const Expr row_points = max(folds.columns * folds.rows, 1);
    const Expr outer = max(at.loops.tile * by.fold_tiles / row_points, 1);
    nest.cuts.push_back({0, outer, Unit::grid});
  }
  nest.cuts.push_back({column, at.i64(by.fold_columns), Unit::grid});
  const Expr chain = at.i64(by.fold_chain);
  const Expr columns = max(folds.columns, 1);
  const Expr task = folds.rows_per_task;
  const bool one_by_one = streamed && has_one_component(inner);
  const Expr together = max((streamed ? by.fold_fetched_block : by.fold_block) / columns, chain);
  const Expr at_once = one_by_one ? at.i64(1) : min(together, task);
  if (streamed && !one_by_one) nest.traffic.ahead = by.fold_ahead;
  nest.cuts.push_back({row, one_by_one && any_rounds(inner) ? chain : task, Unit::sequence});
  nest.cuts.push_back({row, at_once, Unit::sequence});
  const std::int64_t lanes = choose(at.arena, inner, at.lanes).lanes, rest = at.loops.lanes;
  nest.cuts.push_back({column, at.i64(lanes), Unit::lane, Tail::apart, std::min(lanes, rest)});
  if (!any_rounds(inner) || one_by_one) return;
  nest.cuts.push_back({row, min(at_once, by.fold_chain * by.fold_chain), Unit::sequence});
  nest.cuts.push_back({row, min(at_once, by.fold_chain), Unit::sequence});
}

void add_columns(Building& at, const OuterFolds& folds, bool streamed) {
  const Expr is_here =
      folds.is_deep & (streamed ? folds.are_streamed : Expr(logical_not(folds.are_streamed)));
  if (is_here.is_constant(0)) return;
  soac::Stm computes = unfinished(at.arena, at.posting);
  const soac::Stm reduction = std::get<soac::Soac>(computes.op).body.body[0];
  const auto& inner = std::get<soac::Soac>(reduction.op);
  Nest nest;
  add_axes(at, folds, reduction.nest, nest);
  add_cuts(at, folds, inner, streamed, nest);
  leave_parts(at, inner, folds.partials, true, nest);
  Phase& columns = at.add(streamed ? "streamed columns" : "columns", std::move(computes), std::move(nest));
  columns.guard = select(is_here, at.i64(1), 0);
  columns.why = {
      "tasks: some tiles of points each, but not so few rows that it costs much to join them, nor so many "
      "that rounding errors grow (fold_tiles, fold_columns, fold_least_rows, fold_chain, fold_block)",
      why_lanes(at.arena, inner, choose(at.arena, inner, at.lanes), at.lanes), why_outer};
  if (!streamed) return;
  columns.why.emplace_back(
      has_one_component(inner)
          ? "loops: many rows of middling length are read one by one, which the processor fetches ahead in "
            "time "
            "(fold_streamed_points, fold_streamed_least, fold_streamed_most)"
          : "loops: of many rows that are not long fewer go together, and later ones are fetched meanwhile "
            "(fold_streamed_points, fold_streamed_most, fold_fetched_block, fold_ahead)");
}

}  // namespace

void add_outer_folds(Building& at, const OuterFolds& folds) {
  if (!folds.is_deep) return;
  for (const bool streamed : {false, true}) add_columns(at, folds, streamed);
  const PartialRows rows{folds.partials, folds.parts, at.i64(1), folds.points};
  Phase& last = add_joined_parts(at, "join columns", rows, at.loops.lanes);
  last.guard = folds.are_deep;
  last.why.emplace_back(why_outer);
}

}  // namespace fulgurite::schedule
