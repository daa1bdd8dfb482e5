#include "schedule/lanes/nests.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "schedule/lanes/in_lane.h"
#include "schedule/lanes/kept_arrays.h"
#include "schedule/nest.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rewrites/gathered.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/rounding.h"
#include "schedule/rewrites/scanned.h"
#include "schedule/rewrites/segments_in_turn.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/splits.h"
#include "soac/count.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Arena;

/// What lanes do of a Soac: nothing, take neighbouring points, scan them, or fold runs of them.
struct InLanes {
  bool any = false, scans = false, runs = false;
};
InLanes in_lanes(const Arena& arena, const soac::Soac& op, const LaneLoops& loops, const Lanes& lanes,
                 bool packs) {
  InLanes in;
  if (loops.rows || !packs) return in;
  in.runs = loops.run > 0 && folds_in_runs(op);
  in.scans = has_scan(op.body) && lanes_scan(arena, op, loops, lanes);
  in.any = in.runs || in.scans || suits_lanes(op);
  return in;
}

Axis::Role role_on_lanes(const soac::Soac& op) {
  if (depends_on_order(op)) return Axis::Role::scan;
  return op.reductions.empty() ? Axis::Role::free : Axis::Role::fold;
}

void add_axes(Arena& arena, const soac::Soac& op, const LaneLoops& loops, const Place& place, Nest& nest) {
  const bool is_one_axis = op.dims.size() <= 1 || loops.linear;
  const bool takes_points = place.grid && (place.in_order || loops.rows);
  const Axis::Role role = role_on_lanes(op);
  if (is_one_axis || takes_points) {
    const Expr extent = place.grid ? place.grid->columns : product(arena, op.dims);
    nest.axes.push_back({role, 0, op.dims.size(), extent, loops.linear});
    return;
  }
  const std::size_t n_outer = op.dims.size() - 1;
  const Expr rows = place.grid ? place.grid->rows : product(arena, std::span(op.dims).first(n_outer));
  const bool has_planes = place.grid && place.grid->planes;
  nest.axes.push_back({role, 0, has_planes ? 1 : n_outer, rows});
  if (has_planes) nest.axes.push_back({role, 1, n_outer - 1, place.grid->planes});
  nest.axes.push_back({role, n_outer, 1, op.dims.back()});
}

void add_cuts(Arena& arena, const LaneLoops& loops, const Place& place, const InLanes& in, Nest& nest) {
  const std::size_t columns = nest.axes.size() - 1;
  if (place.grid && columns > 0) nest.cuts.push_back({0, place.grid->rows_per_task, Unit::grid});
  if (columns > 1) nest.cuts.push_back({1, place.grid->planes_per_task, Unit::grid});
  if (place.grid) nest.cuts.push_back({columns, place.grid->columns_per_task, Unit::grid});
  if (in.runs) nest.cuts.push_back({columns, arena.i64(loops.run * loops.run_lanes), Unit::sequence});
  if (in.any)
    nest.cuts.push_back({columns, arena.i64(in.scans ? loops.scan_lanes : loops.lanes), Unit::lane,
                         Tail::apart, loops.tail_lanes, 0, loops.alone});
  if (in.runs) nest.cuts.push_back({columns, arena.i64(loops.run_steps), Unit::registers});
}

void add_reductions(const soac::Soac& op, const LaneLoops& loops, const InLanes& in, Nest& nest) {
  const int lanes = in.scans ? loops.scan_lanes : loops.lanes;
  for (std::size_t g = 0; g < op.reductions.size(); ++g) {
    const soac::Reduction& r = op.reductions[g];
    Combine combine{Combine::Part::reduction, g};
    if (in.runs && !r.commutative) {
      combine.levels.push_back({Unit::lane, Join::runs, loops.run});
    } else if (in.any) {
      if (!in.scans && rounds(r)) combine.levels.push_back({Unit::lane, Join::chain, loops.chain});
      combine.levels.push_back({Unit::lane, Join::accumulators, lanes / loops.tail_lanes});
    } else {
      combine.levels.push_back({Unit::grid, Join::in_order});
    }
    nest.combines.push_back(std::move(combine));
  }
}

void add_combines(const soac::Soac& op, const LaneLoops& loops, const InLanes& in, Nest& nest) {
  add_reductions(op, loops, in, nest);
  for (std::size_t k = 0; k < scans_of(op.body).size(); ++k) {
    Combine combine{Combine::Part::scan, k};
    if (in.scans && loops.scan_steps > 0)
      combine.levels.push_back({Unit::lane, Join::runs, loops.scan_steps});
    else if (in.scans)
      combine.levels.push_back({Unit::lane, Join::tree});
    else
      combine.levels.push_back({Unit::grid, Join::in_order});
    nest.combines.push_back(std::move(combine));
  }
}

void add_inner(Arena& arena, const soac::Lambda& f, const Lanes& lanes, std::vector<Inner>& inner) {
  for (const soac::Stm& s : f.body) {
    if (base::as<soac::Soac>(s.op)) {
      if (s.nest == 0) continue;
      for (Inner& version : inner_versions(arena, s, lanes)) inner.push_back(std::move(version));
      continue;
    }
    for (const auto& nested : soac::nested_in(s)) add_inner(arena, *nested.lambda, lanes, inner);
  }
}

// Rows whose elements are gathered: the elements of some rows are computed together, in whole vectors, and
// left in memory of the task, from which each row is reduced.
void stage_ragged_rows(Arena& arena, const soac::Stm& s, const LaneLoops& loops, const Lanes& lanes,
                       Nest& nest) {
  const auto rows = gathered_rows(arena, s);
  if (!rows) return;
  const std::size_t at = nest.cuts.size();
  nest.cuts.push_back({nest.axes.size() - 1, arena.i64(lanes.by.ragged_rows), Unit::sequence});
  const Expr room = arena.i64(lanes.by.ragged_room);
  for (Expr element : rows->element.results) {
    Stage stage{arena.fresh_array(element.kind(), {room}, "elements").var(), at};
    stage.size = lanes.by.ragged_room;
    stage.computed = true;
    nest.stages.push_back(std::move(stage));
  }
  const std::int64_t row_lanes = std::min(lanes.by.ragged_vectors * loops.tail_lanes, most_lanes);
  Nest row, elements;
  row.axes = elements.axes = {{Axis::Role::free, 0, 1, room}};
  row.cuts = {{0, arena.i64(row_lanes), Unit::lane}};
  elements.cuts = {{0, arena.i64(loops.lanes), Unit::lane, Tail::apart, loops.tail_lanes, 0, loops.alone}};
  elements.inner.push_back({0, std::move(row)});
  nest.inner.push_back({0, std::move(elements)});
}

// Such rows are often so short that one vector of accumulators starts and joins faster than several.
bool is_row(const soac::Soac& op, const Nest& nest) {
  std::size_t n_operands = 0;
  for (const soac::Reduction& r : op.reductions) n_operands += r.neutral.size();
  const Cut* lane = innermost(nest, Unit::lane);
  return n_operands > 0 && n_operands == op.body.results.size() && op.dims.size() == 1 && lane &&
         lane->rest > 1 && !is_in_order(op);
}

// Whether the points of a map only compute scalars, and none fails.
bool moves_elements(const soac::Soac& op) {
  return soac::is_map(op) && !soac::may_fail(op.body) && !gives_arrays(op) &&
         std::ranges::all_of(op.body.body, [](const soac::Stm& s) { return soac::nested_in(s).empty(); });
}

// Whether lanes pack what the partitions of a Soac inside of a point keep: all are filters.
bool packs_inside(const soac::Soac& op) {
  const auto is_filter = [](const soac::Partition& p) { return p.classes.is_constant(1); };
  return std::ranges::all_of(op.partitions, is_filter) && (op.partitions.empty() || !has_scan(op.body));
}

// Whether lanes may take a row each of a map or a fold that is walked row by row.
bool has_lane_rows(const soac::Soac& op, const LaneLoops& loops) {
  const bool maps_or_folds = op.scatters.empty() && op.partitions.empty() && commutes(op);
  return loops.rows && maps_or_folds && !depends_on_order(op) && !makes_arrays(op) && has_even_rows(op) &&
         !soac::is_one_point(op);
}

}  // namespace

Nest nest_with_inner(Arena& arena, const soac::Soac& map, std::size_t n_last, const soac::Stm& inner,
                     Axis::Role role) {
  const std::size_t n_outer = map.dims.size() - n_last;
  Nest nest;
  if (n_outer > 0)
    nest.axes.push_back({Axis::Role::free, 0, n_outer, product(arena, std::span(map.dims).first(n_outer))});
  for (std::size_t d = n_outer; d < map.dims.size(); ++d)
    nest.axes.push_back({Axis::Role::free, d, 1, map.dims[d]});
  nest.axes.push_back({role, 0, 1, std::get<soac::Soac>(inner.op).dims[0], false, inner.nest});
  return nest;
}

void add_level(Nest& nest, Combine::Part part, std::size_t which, Combine::Level level,
               std::vector<Var> memory) {
  auto found = std::ranges::find_if(nest.combines,
                                    [&](const Combine& c) { return c.part == part && c.which == which; });
  if (found == nest.combines.end()) found = nest.combines.insert(nest.combines.end(), Combine{part, which});
  std::erase_if(found->levels, [](const Combine::Level& l) { return l.how == Join::in_order; });
  found->levels.push_back(level);
  if (!memory.empty()) found->memory = std::move(memory);
}

Nest nest_of(Arena& arena, const soac::Stm& s, const LaneLoops& loops, const Lanes& lanes,
             const Place& place) {
  const auto& op = std::get<soac::Soac>(s.op);
  const InLanes in = in_lanes(arena, op, loops, lanes, place.packs);
  Nest nest;
  add_axes(arena, op, loops, place, nest);
  add_cuts(arena, loops, place, in, nest);
  // A row in lanes has a head, whole steps, and a remainder.
  const std::int64_t n_loops = in.any ? 3 : 1;
  const soac::Stm* segments = scan_of_segments(op.body);
  if (segments) nest.axes.back().segments = std::get<soac::Scan>(segments->op).segments;
  if (!loops.linear && !segments)
    nest.splits = splits_of(arena, s, {lanes.by.splits, lanes.by.row_splits, lanes.by.split_text, n_loops});
  if (!place.grid) limit_inner_splits(nest, lanes.by);
  if (place.grid && in.any && nest.splits.empty() && moves_elements(op)) {
    const std::int64_t rows = std::min(place.grid->rows_in_line, lanes.by.across_rows);
    if (rows > 1) nest.cuts.push_back({0, arena.i64(rows), Unit::registers, Tail::apart, 1});
  }
  add_combines(op, loops, in, nest);
  nest.traffic.touch = loops.touch && !segments;
  nest.traffic.ahead = loops.ahead;
  if (loops.rows) stage_ragged_rows(arena, s, loops, lanes, nest);
  if (in.any && suits_lanes(op)) {
    nest.inner = in_lane(arena, op, lanes);
    return nest;
  }
  for (const auto& nested : soac::nested_in(s))
    if (nested.role != soac::Role::contents) add_inner(arena, *nested.lambda, lanes, nest.inner);
  return nest;
}

void limit_inner_splits(Nest& nest, const LanesPolicy& by) {
  if (static_cast<std::int64_t>(nest.splits.size()) > by.inner_splits) nest.splits.clear();
}

LaneLoops loops_of(const Nest& nest) {
  LaneLoops loops;
  const Cut* lane = innermost(nest, Unit::lane);
  loops.rows = !lane;
  loops.linear = !nest.axes.empty() && nest.axes.back().by_number;
  if (lane) {
    loops.lanes = loops.scan_lanes = static_cast<int>(size_by(nest, Unit::lane, 1));
    loops.tail_lanes = lane->tail == Tail::apart ? static_cast<int>(lane->rest) : loops.lanes;
    loops.alone = static_cast<int>(lane->alone);
  }
  loops.chain = 0;
  for (const Combine& c : nest.combines)
    for (const Combine::Level& level : c.levels) {
      if (level.how == Join::chain) loops.chain = static_cast<int>(level.n);
      if (level.how == Join::runs && c.part == Combine::Part::reduction) loops.run = level.n;
      if (level.how == Join::runs && c.part == Combine::Part::scan)
        loops.scan_steps = static_cast<int>(level.n);
    }
  for (const Cut& cut : nest.cuts)
    if (cut.unit == Unit::registers && cut.axis + 1 < nest.axes.size() && cut.size.is_constant())
      loops.rows_together = static_cast<std::int64_t>(cut.size.bits());
  if (loops.run > 0) {
    loops.run_lanes = static_cast<int>(size_by(nest, Unit::sequence, loops.run) / loops.run);
    loops.run_steps = static_cast<int>(size_by(nest, Unit::registers, 1));
  }
  const Cut* task = innermost(nest, Unit::turn) ? innermost(nest, Unit::turn) : innermost(nest, Unit::grid);
  loops.tile = task && task->size.is_constant() ? static_cast<std::int64_t>(task->size.bits()) : 0;
  loops.ahead = nest.traffic.ahead;
  loops.portion = nest.traffic.portion;
  loops.streaming = nest.traffic.streaming;
  loops.touch = nest.traffic.touch;
  return loops;
}

void tell_across(const Grid& grid, Phase& phase) {
  if (grid.rows_in_line == 0) return;
  phase.why.emplace_back(
      "tasks: rows that share the cache lines which they read across the columns (across_lines), and columns "
      "for a tile of points");
  const auto& nest = std::get<Nest>(phase.walk);
  if (const std::int64_t rows = loops_of(nest).rows_together; rows > 1)
    phase.why.push_back(fmt::format(
        "lanes: {} rows one after the other, whose elements are loaded by lines and transposed (across_rows)",
        rows));
}

std::vector<Inner> inner_versions(Arena& arena, const soac::Stm& original, const Lanes& lanes) {
  const soac::Stm s = lift_missing_neutral(arena, original);
  const auto& op = std::get<soac::Soac>(s.op);
  LaneLoops loops = fitted(choose(arena, op, lanes), op);
  // One point is not worth lanes, whose body would be there three times.
  if (soac::is_one_point(op)) loops.rows = true;
  const bool packs = packs_inside(op);
  Inner whole{original.nest, nest_of(arena, s, loops, lanes, {nullptr, false, packs})};
  for (std::size_t g = 0; g < op.partitions.size() && packs; ++g)
    add_level(whole.nest, Combine::Part::partition, g, {Unit::registers, Join::packed}, {});
  std::vector<Inner> versions;
  InnerLaneArrays in_lanes = inner_lane_arrays(arena, op, loops, lanes);
  if (has_lane_rows(op, loops)) in_lanes = {loops, most_in_lane(arena, op, lanes.by)};
  in_lanes.loops.rows = false;
  if (in_lanes.rows_up_to > 0)
    versions.push_back(
        {original.nest, nest_of(arena, s, in_lanes.loops, lanes, {}), 0, false, in_lanes.rows_up_to});
  if (is_row(op, whole.nest)) {
    // Operators of tuples take so long that vectors side by side pay sooner than their joins cost.
    const bool several = has_tuples(op) && loops.lanes > loops.tail_lanes;
    const std::int64_t of_row = several ? loops.lanes : loops.tail_lanes;
    Inner row{original.nest, whole.nest, lanes.by.short_row_vectors * of_row};
    row.nest.cuts = {{0, arena.i64(of_row), Unit::lane}};
    if (several) row.nest.cuts[0].tail = Tail::apart, row.nest.cuts[0].rest = loops.tail_lanes;
    row.nest.splits.clear();
    for (Combine& c : row.nest.combines) c.levels = {{Unit::lane, Join::accumulators, 1}};
    versions.push_back(std::move(row));
  }
  versions.push_back(std::move(whole));
  return versions;
}

namespace {

void number(soac::Stm& around, std::uint32_t& next) {
  for (auto& nested : soac::nested_in(around))
    for (soac::Stm& s : nested.lambda->body) {
      if (base::as<soac::Soac>(s.op)) s.nest = next++;
      number(s, next);
    }
}

}  // namespace

void number_inner(soac::Stm& s) {
  std::uint32_t next = 1;
  number(s, next);
}

}  // namespace fulgurite::schedule
