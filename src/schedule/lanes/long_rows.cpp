#include "schedule/lanes/long_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/lanes/joined_parts.h"
#include "schedule/nest.h"
#include "schedule/rows.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

LongRows long_rows_of(Building& at, Expr otherwise) {
  LongRows long_rows;
  if (!reduces_or_places_rows(at.around, at.op())) return long_rows;
  scalar::Arena& arena = at.arena;
  const LanesPolicy& by = at.lanes.by;
  const soac::Lambda body = with_neutral(arena, at.op());
  const auto& inner = std::get<soac::Soac>(body.body[0].op);
  long_rows.tile = at.i64(choose(arena, inner, at.lanes).tile);
  long_rows.rows = product(arena, at.op().dims);
  long_rows.columns = product(arena, inner.dims);
  long_rows.tiles = ceil_div(long_rows.columns, long_rows.tile);
  const Expr are_long = long_rows.tile * by.long_row_tiles < long_rows.columns;
  Expr holds = (long_rows.rows < by.few_rows) & are_long;
  if (otherwise) holds = holds & logical_not(otherwise);
  if (holds.is_constant(0)) return long_rows;
  long_rows.holds = holds;
  long_rows.are_few = select(holds, at.i64(1), 0);
  const Expr n = long_rows.are_few * (long_rows.rows * long_rows.tiles);
  long_rows.partials = memory_of_parts(at, inner, n);
  return long_rows;
}

namespace {

// Whether neighbouring points read elements that lie apart: loads of single elements are what takes time, and
// each vector of them is long code.
bool reads_apart(const soac::Soac& op) {
  const Var index = op.body.params.back();
  bool found = false;
  soac::for_each_root(op.body, [&](Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr node) {
      if (node.op() != scalar::Op::index || scalar::mentions(node.args().back(), index)) return;
      found = found || scalar::mentions(node, index);
    });
  });
  return found;
}

LaneLoops loops_of_parts(const Building& at, const soac::Soac& inner) {
  LaneLoops loops = choose(at.arena, inner, at.lanes);
  if (!reads_apart(inner)) return loops;
  loops.lanes = std::min(loops.lanes, loops.tail_lanes);
  loops.tail_lanes = 1;
  return loops;
}

void add_partials(Building& at, const LongRows& long_rows) {
  scalar::Arena& arena = at.arena;
  soac::Stm computes = unfinished(arena, at.posting);
  const soac::Stm reduction = std::get<soac::Soac>(computes.op).body.body[0];
  const auto& inner = std::get<soac::Soac>(reduction.op);
  Nest nest;
  nest.axes.push_back({Axis::Role::free, 0, at.op().dims.size(), long_rows.rows});
  nest.cuts.push_back({0, at.i64(1), Unit::grid});
  const Grid tiles{{}, long_rows.columns, {}, long_rows.tile, 0};
  const LaneLoops loops = loops_of_parts(at, inner);
  Nest row = nest_of(arena, reduction, loops, at.lanes, {&tiles, true});
  limit_inner_splits(row, at.lanes.by);
  leave_parts(at, inner, long_rows.partials, false, row);
  nest.inner.push_back({reduction.nest, std::move(row)});
  Phase& phase = at.add("partials", std::move(computes), std::move(nest));
  phase.guard = long_rows.are_few;
  phase.why = reasons_of(at.arena, inner, loops, at.lanes);
  if (reads_apart(inner))
    phase.why.back() = fmt::format(
        "lanes: {} in one vector, and single ones for the remainder, as they read elements that lie apart",
        loops.lanes);
  phase.why.emplace_back(why_shared);
}

void add_rows(Building& at, const LongRows& long_rows) {
  soac::Stm computes =
      joined(at.arena, at.posting, {long_rows.partials, long_rows.tiles, long_rows.tiles, at.i64(1)});
  Phase& phase =
      at.add("rows", std::move(computes), Skeleton{"join tiles", {}, long_rows.rows, long_rows.partials});
  phase.guard = long_rows.are_few;
  phase.why = {"tasks: one for each row, as the partial results of its tiles are few", why_shared};
}

}  // namespace

void add_long_rows(Building& at, const LongRows& long_rows) {
  if (!long_rows.holds) return;
  add_partials(at, long_rows);
  add_rows(at, long_rows);
}

}  // namespace fulgurite::schedule
