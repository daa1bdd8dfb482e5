#include "schedule/lanes/outer_folds.h"

#include <algorithm>

#include "schedule/lanes/joined_parts.h"
#include "schedule/nest.h"
#include "schedule/rewrites/rounding.h"
#include "schedule/rows.h"

namespace fulgurite::schedule {

namespace {

// Operators on tuples that compare and choose: each operation waits for the one before.
bool are_slow(const soac::Soac& inner) {
  return has_tuples(inner) && !any_rounds(inner);
}
std::int64_t pieces_abreast(const Building& at, const soac::Soac& inner) {
  return are_slow(inner) ? at.lanes.by.fold_abreast : 1;
}

// Rows of middling length of which several are folded at a time are fetched ahead too late where accumulators
// have several components, as these take long; only caches hide it. Pieces abreast are streams enough for
// rows of single vectors.
Expr are_fetched(const Building& at, const OuterFolds& folds, const soac::Soac& inner) {
  const LanesPolicy& by = at.lanes.by;
  if (!has_tuples(inner) && inner.reductions.size() == 1) return at.arena.boolean(false);
  const std::int64_t least = pieces_abreast(at, inner) > 1 ? choose(at.arena, inner, at.lanes).lanes : 0;
  return (by.fold_fetched_points < folds.points * folds.rows) & (folds.columns <= by.fold_fetched_most) &
         (least <= folds.columns);
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
  folds.are_fetched = are_fetched(at, folds, inner);
  const Expr n = folds.are_deep * (folds.parts * folds.points);
  folds.partials = memory_of_parts(at, inner, n);
  return folds;
}

namespace {

// Some rows at a time go through all columns of a task, whose accumulators stay in the first cache: so few
// that what is read of a row before the next one is long enough for the processor to fetch it ahead. Where it
// is fetched by hand, fewer rows go together.
void add_cuts(const Building& at, const OuterFolds& folds, const soac::Soac& inner, bool fetched,
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
  const std::int64_t block = fetched ? by.fold_fetched_block : by.fold_block;
  const std::int64_t least = are_slow(inner) && !fetched ? by.fold_tuple_rows : by.fold_chain;
  const Expr together = max(block / max(folds.columns, 1), least);
  const Expr at_once = min(together, folds.rows_per_task);
  if (fetched) nest.traffic.ahead = by.fold_ahead;
  nest.cuts.push_back({row, at_once, Unit::sequence});
  // The remainder takes one vector at a time: fetching ahead stops at loads all of whose lanes are masked.
  const LaneLoops vectors = choose(at.arena, inner, at.lanes);
  nest.cuts.push_back({column, at.i64(vectors.lanes), Unit::lane, Tail::apart, vectors.tail_lanes});
  if (!any_rounds(inner)) return;
  nest.cuts.push_back({row, min(at_once, by.fold_chain * by.fold_chain), Unit::sequence});
  nest.cuts.push_back({row, min(at_once, by.fold_chain), Unit::sequence});
}

void add_columns(Building& at, const OuterFolds& folds, bool fetched) {
  const Expr is_here = folds.is_deep & (fetched ? folds.are_fetched : Expr(logical_not(folds.are_fetched)));
  if (is_here.is_constant(0)) return;
  soac::Stm computes = unfinished(at.arena, at.posting);
  const soac::Stm reduction = std::get<soac::Soac>(computes.op).body.body[0];
  const auto& inner = std::get<soac::Soac>(reduction.op);
  Nest nest = nest_with_inner(at.arena, at.op(), 1, reduction, Axis::Role::fold);
  add_cuts(at, folds, inner, fetched, nest);
  const std::int64_t abreast = pieces_abreast(at, inner);
  for (std::size_t g = 0; abreast > 1 && g < inner.reductions.size(); ++g)
    add_level(nest, Combine::Part::reduction, g, {Unit::registers, Join::abreast, abreast}, {});
  leave_parts(at, inner, folds.partials, true, nest);
  Phase& columns = at.add(fetched ? "fetched columns" : "columns", std::move(computes), std::move(nest));
  columns.guard = select(is_here, at.i64(1), 0);
  columns.why = {
      "tasks: some tiles of points each, but not so few rows that it costs much to join them, nor so many "
      "that rounding errors grow (fold_tiles, fold_columns, fold_least_rows, fold_chain, fold_block)",
      why_lanes(at.arena, inner, choose(at.arena, inner, at.lanes), at.lanes), why_outer};
  if (!fetched) return;
  columns.why.emplace_back(
      "loops: of many rows that are not long fewer go together, and later ones are fetched meanwhile "
      "(fold_fetched_points, fold_fetched_most, fold_fetched_block, fold_ahead)");
}

}  // namespace

void add_outer_folds(Building& at, const OuterFolds& folds) {
  if (!folds.is_deep) return;
  for (const bool fetched : {false, true}) add_columns(at, folds, fetched);
  const PartialRows rows{folds.partials, folds.parts, at.i64(1), folds.points};
  Phase& last = add_joined_parts(at, "join columns", rows, at.loops.lanes);
  last.guard = folds.are_deep;
  last.why.emplace_back(why_outer);
}

}  // namespace fulgurite::schedule
