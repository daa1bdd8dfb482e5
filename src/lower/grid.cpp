#include "lower/grid.h"

#include <algorithm>
#include <bit>

#include "base/match.h"
#include "lower/packing.h"
#include "schedule/rewrites/slice.h"
#include "soac/layout.h"
#include "soac/walk.h"

namespace fulgurite::lower {

bool depends_on_order(const soac::Soac& op) {
  return schedule::has_scan(op.body) || !op.partitions.empty() || schedule::has_bins(op);
}

namespace {

// Tasks that have memory for arrays of their own: enough for every core, and few.
constexpr std::int64_t most_with_scratch = 256;

Expr columns_with_scratch(Launches& launches, const soac::Soac& op, Expr columns, Expr per_task) {
  if (!schedule::keeps_arrays(op.body)) return per_task;
  return launches.arena().max(per_task, launches.ceil_div(columns, launches.i64(most_with_scratch)));
}

constexpr std::int64_t walks_of_a_sort = 4;  // over its row
constexpr std::int64_t unknown_length = 4;   // of ragged rows: short ones, of which a task has enough anyway

// Counts of classes are added up by one task, class by class: in steps from task to task.
constexpr std::int64_t points_a_count = 16;

// How much work a point is, as far as the host knows: points of the combinators inside.
Expr length_of(Launches& launches, const soac::Lambda& f) {
  scalar::Arena& arena = launches.arena();
  Expr longest = arena.i64(1);
  for (const soac::Stm& s : f.body) {
    Expr times = arena.i64(1), length = arena.i64(1);
    if (const auto* soac = base::as<soac::Soac>(s.op))
      times = launches.known_outside(soac->dims) ? arena.max(launches.product(soac->dims), times)
                                                 : arena.i64(unknown_length);
    if (const auto* loop = base::as<soac::Loop>(s.op); loop && loop->trips)
      if (launches.known_outside(std::span(&loop->trips, 1))) times = arena.max(loop->trips, times);
    if (base::as<soac::Sort>(s.op)) {
      const Expr n = arena.info(s.names[0]).shape[0];
      times = launches.known_outside(std::span(&n, 1))
                  ? arena.max(arena.mul(n, arena.i64(walks_of_a_sort)), times)
                  : arena.i64(unknown_length);
    }
    for (const auto& nested : soac::nested_in(s))
      if (nested.role != soac::Role::operation)
        length = arena.max(length, length_of(launches, *nested.lambda));
    longest = arena.max(longest, arena.mul(times, length));
  }
  return longest;
}

// A task's own elements are written, and read to be joined, one after the other; a point's update is
// somewhere among them. So four points pay for one element, and fewer where otherwise cores would have
// nothing to do.
Expr most_tasks(scalar::Arena& arena, Expr points, Expr own) {
  constexpr std::int64_t some = 1 << 16;
  Expr n = arena.max(points, arena.i64(some)), one = arena.i64(1);
  auto choose = [&](std::int64_t points_each, Expr tasks, Expr otherwise) {
    return arena.apply(Op::select, {arena.le(arena.mul(own, arena.i64(points_each)), n), tasks, otherwise});
  };
  Expr by_size = arena.div(n, arena.max(arena.mul(own, arena.i64(4)), one));
  return choose(16, by_size, choose(1, arena.i64(2), one));
}

// Whether points store in any order at places that are computed in 32 bits.
bool has_narrow_places(const soac::Soac& op) {
  soac::Vars inside;
  soac::add_bound(op.body, inside);
  const soac::Layout layout = soac::layout_of(op);
  bool found = false;
  for (std::size_t g = 0; g < op.scatters.size(); ++g) {
    const soac::Scatter& scatter = op.scatters[g];
    if (!scatter.stores_in_any_order()) continue;
    const auto places = std::span(op.body.results).subspan(layout.scatters[g].result, scatter.shape.size());
    scalar::for_each_node(places, [&](Expr e) {
      if (e.op() != Op::cast || !is_integer(e.arg(0).kind()) || size_of(e.arg(0).kind()) > 4) return;
      soac::Vars mentioned;
      soac::add_mentioned(std::span(&e, 1), mentioned);
      found |= std::ranges::any_of(mentioned, [&](Var v) { return inside.contains(v); });
    });
  }
  return found;
}

// So many points are a task, but for places of 32 bits, which are proved to differ for 2^31 points at most
// (soac/injective.h): more points are one task, which stores in their order.
Expr points_of_task(Launches& launches, const soac::Soac& op, Expr points) {
  if (!has_narrow_places(op)) return points;
  scalar::Arena& arena = launches.arena();
  const Expr n = launches.product(op.dims);
  return arena.apply(Op::select, {arena.le(n, arena.i64(std::int64_t{1} << 31)), points, n});
}

}  // namespace

Grid tiles_grid(Launches& launches, const soac::Soac& op, const Policy& policy) {
  scalar::Arena& arena = launches.arena();
  Grid g;
  Expr tile = points_of_task(launches, op, arena.i64(policy.tile)), one = arena.i64(1);
  g.columns_per_task = tile;
  if (policy.rows) {  // whole rows; as many a task as make a tile, where the inner length is known to the
                      // host
    g.rows = launches.product(op.dims);
    Expr length = length_of(launches, op.body);
    g.columns = length;
    const Expr rows = arena.max(arena.div(arena.i64(policy.tile), length), one);
    g.rows_per_task = points_of_task(launches, op, columns_with_scratch(launches, op, g.rows, rows));
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
  Expr tile = arena.i64(policy.tile);
  if (policy.rows) tile = arena.max(arena.div(tile, length_of(launches, op.body)), one);
  tile = points_of_task(launches, op, tile);
  g.columns_per_task = columns_with_scratch(launches, op, g.columns, tile);
  Expr own = arena.i64(0);  // elements that a task has for itself
  for (const soac::Scatter& scatter : op.scatters)
    if (!scatter.combine.empty()) own = arena.add(own, launches.product(scatter.shape));
  for (const soac::Partition& p : op.partitions)
    if (!has_few_classes(p)) own = arena.add(own, arena.mul(p.classes, arena.i64(points_a_count)));
  if (!own.is_constant(0)) {
    Expr line = arena.i64(64);  // tiles start where vectors are aligned
    Expr most = most_tasks(arena, g.columns, own);
    Expr least = arena.mul(launches.ceil_div(launches.ceil_div(g.columns, most), line), line);
    g.columns_per_task = arena.max(g.columns_per_task, least);
  }
  if (own.is_constant(0) && !schedule::keeps_arrays(op.body) && !has_narrow_places(op))
    g.most_points = policy.tile;
  g.tasks = arena.max(launches.ceil_div(g.columns, g.columns_per_task), one);
  return g;
}

Range tile_of(const Emitter& e, const Grid& g, const Policy& policy) {
  scalar::Arena& arena = e.arena();
  const Expr task = e.context().task;
  Expr tile = g.columns_per_task;
  Range range;
  if (policy.rows) {
    range.is_points = true;
    range.begin = e.lower(arena.mul(task, g.rows_per_task));
    range.end = e.lower(arena.min(arena.add(range.begin, g.rows_per_task), g.rows));
    return range;
  }
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
  range.in_tile = tile.is_constant() && std::has_single_bit(static_cast<std::uint64_t>(policy.tile));
  return range;
}

}  // namespace fulgurite::lower
