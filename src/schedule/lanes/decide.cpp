#include "schedule/lanes/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/explain.h"
#include "schedule/lanes/bins.h"
#include "schedule/lanes/divided_axes.h"
#include "schedule/lanes/lane_arrays.h"
#include "schedule/lanes/lane_rows.h"
#include "schedule/lanes/long_rows.h"
#include "schedule/lanes/order.h"
#include "schedule/lanes/ordered_stores.h"
#include "schedule/lanes/outer_folds.h"
#include "schedule/lanes/outer_scans.h"
#include "schedule/lanes/register_tiles.h"
#include "schedule/lanes/small_tiles.h"
#include "schedule/lanes/windows.h"
#include "schedule/nest.h"
#include "schedule/phases.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/updates.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

/// The result of a reduction: element 0 of the arrays in the end. Until the last phase element t is what task
/// t has, unless a Scan of the body has the total as its last value.
struct Total {
  int scan = -1;
  std::vector<Var> arrays;
};

std::vector<Total> totals_of(Building& at) {
  std::vector<Total> totals;
  const Expr one = at.i64(1), n = max(at.tasks, one);
  for (std::size_t g = 0; g < at.op().reductions.size(); ++g) {
    Total& total = totals.emplace_back();
    total.scan = scan_like(at.arena, at.posting, g);
    for (Expr x : at.op().reductions[g].neutral)
      total.arrays.push_back(at.memory(x.kind(), total.scan < 0 ? n : one, "total"));
  }
  return totals;
}

Expr bytes_of(scalar::Arena& arena, Var array) {
  const scalar::VarInfo info = arena.info(array);
  const Expr elements = product(arena, info.shape);
  return elements * static_cast<std::int64_t>(size_of(info.type.kind));
}

/// The arrays that a launch makes in memory of the program, and the bytes of what it writes there.
struct Written {
  std::vector<Var> arrays;
  Expr bytes, filtered;  // all of them; the bytes among them that a filter writes, at most
};
Written written_by(const Building& at, const soac::Stm& original) {
  scalar::Arena& arena = at.arena;
  Written written{{}, at.i64(0), at.i64(0)};
  const soac::OutputView outputs = soac::view_of(at.lifted);
  for (const auto& s : outputs.scatters)
    for (Var array : s.arrays)
      if (std::ranges::find(original.names, array) != original.names.end()) written.arrays.push_back(array);
  for (const auto& p : outputs.partitions) written.arrays.push_back(p.offsets);
  for (const soac::Mapped& m : outputs.mapped) written.arrays.push_back(m.array);
  const Expr n_points = product(arena, std::get<soac::Soac>(at.lifted.op).dims);
  for (Var array : written.arrays) written.bytes = written.bytes + bytes_of(arena, array);
  for (const auto& p : outputs.partitions)
    for (Var array : p.arrays) {
      const auto size = static_cast<std::int64_t>(size_of(arena.info(array).type.kind));
      Expr& bytes = p.classes.is_constant(1) ? written.filtered : written.bytes;
      bytes = bytes + n_points * size;
    }
  written.bytes = written.bytes + written.filtered;
  return written;
}

// Results of two calls take turns in memory, and filters keep half of the elements or so.
Expr touched_by(const Building& at, const Written& written) {
  scalar::Arena& arena = at.arena;
  soac::Vars mentioned;
  soac::add_mentioned(at.posting, mentioned);
  std::vector<Var> inputs;
  for (Var name : mentioned)
    if (arena.info(name).type.rank > 0 && at.around.in_memory(name)) inputs.push_back(name);
  std::ranges::sort(inputs);
  Expr touched = written.bytes * 2 - written.filtered;
  for (Var array : inputs) touched = touched + bytes_of(arena, array);
  return touched;
}

void add_fill(Building& at) {
  Filling filling = fill(at.around, at.lifted, at.launch.in_place);
  at.launch.copies = std::move(filling.copies);
  for (Filling::Part& part : filling.parts) at.add_map("fill", std::move(part.computes), part.guard);
}

Nest main_nest(const Building& at, const soac::Stm& main, const Order& order) {
  const bool packs = std::ranges::all_of(order.partitions, &Order::Partition::packs);
  Nest nest = nest_of(at.arena, main, at.loops, at.lanes, {&at.grid, at.in_order, packs});
  combine_in_order(at, order, nest);
  return nest;
}

// Whether one of two conditions holds, which may be absent.
Expr either(Expr a, Expr b) {
  if (!a || !b) return a ? a : b;
  return a | b;
}

/// Other versions of the main phase, of which a launch takes at most one.
struct Version {
  Expr holds;  // boolean: the launch takes it; absent: there is none
  const char* why = nullptr;
};

void add_main(Building& at, const Order& order, const std::vector<Total>& totals,
              const std::vector<Bins>& bins, std::span<const Version> others, bool stores) {
  std::vector<bool> given;  // by a Scan
  for (const Total& total : totals) given.push_back(total.scan >= 0);
  const soac::Stm main = without_reductions(at.arena, at.posting, given);
  Nest nest = main_nest(at, main, order);
  combine_bins(at, bins, nest);
  std::size_t g = 0;
  for (const Total& total : totals) {
    if (total.scan < 0) {
      add_level(nest, Combine::Part::reduction, g++, {Unit::grid, Join::partials}, total.arrays);
      continue;
    }
    const auto which = static_cast<std::size_t>(total.scan);
    const auto scan = std::ranges::find_if(
        nest.combines, [&](const Combine& c) { return c.part == Combine::Part::scan && c.which == which; });
    for (std::size_t k = 0; k < total.arrays.size(); ++k)
      scan->ends.push_back({k, total.arrays[k], at.i64(0)});
  }
  // Elements that lanes store far apart go through caches.
  const bool are_apart = !at.loops.rows && gives_arrays(at.op()) && at.op().axes_behind == 0;
  if (!nest.axes.back().segments && ((stores && !are_apart) || at.loops.touch))
    nest.traffic.streaming = at.streaming(at.loops, at.grid);
  Phase& phase = at.add("main", main, std::move(nest));
  phase.at_least_one = at.in_order;
  phase.why = reasons_of(at.arena, at.op(), at.loops, at.lanes);
  tell_across(at.grid, phase);
  Expr is_other;
  for (const Version& other : others) {
    if (!other.holds) continue;
    is_other = is_other ? Expr(is_other | other.holds) : other.holds;
    phase.why.emplace_back(other.why);
  }
  if (is_other) phase.guard = 1 - select(is_other, at.i64(1), 0);
}

// Partial results of tasks are joined in order, neighbours first: the error of a sum grows logarithmically.
void add_last(Building& at, const std::vector<Total>& totals) {
  std::vector<std::vector<Var>> partials;
  Skeleton join{"join neighbours", {}, at.i64(1)};
  for (const Total& total : totals) {
    partials.push_back(total.scan < 0 ? total.arrays : std::vector<Var>());
    join.memory.insert(join.memory.end(), partials.back().begin(), partials.back().end());
  }
  if (join.memory.empty()) return;
  at.add("last", last(at.arena, at.posting, at.tasks, partials), std::move(join)).why = {
      "tasks: one, in scalar code: partial results are so few that the time to compile vector code counts "
      "more"};
}

void name_scalars(Building& at, const Order& order, const std::vector<Total>& totals) {
  const soac::OutputView outputs = soac::view_of(at.posting);
  for (std::size_t g = 0; g < totals.size(); ++g)
    for (std::size_t k = 0; k < totals[g].arrays.size(); ++k)
      at.launch.scalars.push_back({outputs.reductions[g].names[k], totals[g].arrays[k]});
  for (std::size_t g = 0; g < order.partitions.size(); ++g)
    at.launch.scalars.push_back({outputs.partitions[g].kept, order.partitions[g].kept});
}

// Tasks of the main phase, as its cuts say.
Expr tasks_of_grid(const Building& at) {
  const Expr one = at.i64(1);
  const Expr tiles = ceil_div(at.grid.columns, at.grid.columns_per_task);
  if (!at.grid.rows) return at.in_order ? max(tiles, one) : tiles;
  const Expr rows = ceil_div(at.grid.rows, at.grid.rows_per_task);
  if (!at.grid.planes) return rows * tiles;
  return rows * (ceil_div(at.grid.planes, at.grid.planes_per_task) * tiles);
}

}  // namespace

Launch decide_lanes(const Surroundings& around, const soac::Stm& original) {
  scalar::Arena& arena = around.arena;
  const Lanes lanes{around.sizes, around.device, around.policy.lanes};
  soac::Stm lifted = lift_missing_neutral(arena, original);
  number_inner(lifted);
  const OrderedPosting ordered = post_in_order(arena, lifted);
  Building at{around, arena, lanes, std::move(lifted), ordered.stm, {}, {}, false, {}, {}};
  at.loops = fitted(choose(arena, at.op(), lanes), at.op());
  at.in_order = depends_on_order(at.op());
  at.grid = at.in_order ? points_grid(around, at.op(), at.loops) : map_grid(around, at.op(), at.loops);
  at.tasks = tasks_of_grid(at);
  const Written written = written_by(at, original);
  at.launch.name = name_of_launch(std::get<soac::Soac>(at.lifted.op));
  at.launch.statement = at.lifted;
  at.launch.in_place = updated_in_place(arena, original);
  at.launch.vector_lanes = at.loops.tail_lanes;
  at.launch.touched = touched_by(at, written);
  const Order order = order_of(at);
  const OuterFolds outer_folds = outer_folds_of(at);
  const SmallTiles small_tiles = small_tiles_of(at);
  const RegisterTiles tiles = register_tiles_of(at, small_tiles.holds);
  const Expr is_tiled = either(small_tiles.holds, tiles.is_tiled);
  const LongRows long_rows = long_rows_of(at, outer_folds.is_deep ? outer_folds.is_deep : is_tiled);
  const WindowFolds windows = window_folds_of(at, either(is_tiled, long_rows.holds));
  const Expr lane_rows = lane_rows_of(at, either(outer_folds.is_deep, either(is_tiled, windows.holds)));
  const LaneArrays lane_arrays =
      lane_arrays_of(at, either(outer_folds.is_deep, either(is_tiled, windows.holds)));
  const std::vector<Bins> bins = bins_of(at);
  const std::vector<Total> totals = totals_of(at);
  at.launch.memory.insert(at.launch.memory.end(), ordered.posted.begin(), ordered.posted.end());
  add_fill(at);
  add_order_phases(at, order);
  const bool posts_something =
      ordered.posts.empty() || !at.posting.names.empty() || !at.op().body.body.empty();
  const Version others[] = {{outer_folds.is_deep, why_outer},    {small_tiles.holds, why_small_tiles},
                            {tiles.is_tiled, why_tiled},         {long_rows.holds, why_shared},
                            {windows.holds, why_windows},        {lane_rows, why_lane_rows},
                            {lane_arrays.holds, why_lane_arrays}};
  const bool has_other_sizes = std::ranges::none_of(
      others, [](const Version& other) { return other.holds && other.holds.is_constant(1); });
  if (has_outer_scans(at))
    add_outer_scans(at);
  else if (posts_something && has_other_sizes)
    add_main(at, order, totals, bins, others, !written.arrays.empty());
  add_outer_folds(at, outer_folds);
  add_small_tiles(at, small_tiles);
  add_register_tiles(at, tiles);
  add_long_rows(at, long_rows);
  add_window_folds(at, windows);
  add_lane_rows(at, lane_rows, !!is_tiled);
  add_lane_arrays(at, lane_arrays);
  add_ordered_stores(at, ordered.posts);
  add_last(at, totals);
  add_places(at, original, bins);
  add_divided_axes(at);
  name_scalars(at, order, totals);
  add_reasons(arena, at.launch);
  return std::move(at.launch);
}

}  // namespace fulgurite::schedule
