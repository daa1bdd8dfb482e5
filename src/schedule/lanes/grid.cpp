#include "schedule/lanes/grid.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/room.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Arena;
using scalar::Op;

// Tasks that have memory for arrays of their own are few, and fewer where these are large.
Expr columns_with_scratch(const Surroundings& around, const soac::Soac& op, Expr columns, Expr per_task) {
  if (!keeps_arrays(op.body)) return per_task;
  const LanesPolicy& by = around.policy.lanes;
  Expr tasks = around.arena.i64(by.scratch_tasks);
  if (const Expr room = soac::largest_room(op.body)) tasks = min(tasks, max(by.scratch_room / room, 1));
  return max(per_task, ceil_div(columns, tasks));
}

// As costs assume the sizes that are no constants, or as the host knows them.
enum class Sizes : std::uint8_t { assumed, known };

Expr length_of(const Surroundings&, const soac::Lambda&, Sizes = Sizes::known);

// How often a statement's functions are evaluated for one point around it, as far as the host knows.
Expr times_of(const Surroundings& around, const soac::Stm& s, Sizes sizes) {
  Arena& arena = around.arena;
  const LanesPolicy& by = around.policy.lanes;
  const Expr one = arena.i64(1);
  if (const auto* soac = base::as<soac::Soac>(s.op)) {
    std::vector<Expr> dims = soac->dims;
    for (Expr& extent : dims)
      if (sizes == Sizes::assumed && !extent.is_constant())
        extent = arena.i64(static_cast<std::int64_t>(by.unknown_trips));
    return around.is_known(dims) ? max(product(arena, dims), one) : arena.i64(by.unknown_row);
  }
  if (const auto* loop = base::as<soac::Loop>(s.op); loop && loop->trips)
    return around.is_known(std::span(&loop->trips, 1)) ? max(loop->trips, one) : one;
  if (base::as<soac::Sort>(s.op)) {
    const Expr n = arena.info(s.names[0]).shape[0];
    return around.is_known(std::span(&n, 1)) ? max(n * by.sort_walks, one) : arena.i64(by.unknown_row);
  }
  return one;
}

// How much work a point is, as far as the host knows: points of the Soacs inside.
Expr length_of(const Surroundings& around, const soac::Lambda& f, Sizes sizes) {
  Arena& arena = around.arena;
  Expr longest = arena.i64(1);
  for (const soac::Stm& s : f.body) {
    const Expr times = times_of(around, s, sizes);
    Expr length = arena.i64(1);
    for (const auto& nested : soac::nested_in(s))
      if (nested.role != soac::Role::operation)
        length = max(length, length_of(around, *nested.lambda, sizes));
    longest = max(longest, times * length);
  }
  return longest;
}

// A task's own elements are written, and read to be joined, one after the other; a point's update is
// somewhere among them. So several points pay for one element, and fewer where otherwise cores would have
// nothing to do.
Expr most_tasks(Arena& arena, Expr points, Expr own, const LanesPolicy& by) {
  const Expr n = max(points, by.bins_least_points), one = arena.i64(1);
  const auto choose = [&](std::int64_t points_each, Expr tasks, Expr otherwise) {
    return select(own * points_each <= n, tasks, otherwise);
  };
  const Expr by_size = n / max(own * by.bins_points, one);
  const Expr few = choose(1, arena.i64(by.bins_few_tasks), one);
  return choose(by.bins_many_points, by_size, few);
}

// Whether points store in any order at places that are computed in 32 bits.
bool has_narrow_places(const soac::Soac& op) {
  soac::Vars inside;
  soac::add_bound(op.body, inside);
  bool found = false;
  for (const auto& scattered : soac::view_of(op).scatters) {
    if (!scattered.to.stores_in_any_order()) continue;
    scalar::for_each_node(scattered.place, [&](Expr e) {
      if (e.op() != Op::cast || !is_integer(e.arg(0).kind()) || size_of(e.arg(0).kind()) > 4) return;
      soac::Vars mentioned;
      soac::add_mentioned(std::span(&e, 1), mentioned);
      found |= std::ranges::any_of(mentioned, [&](Var v) { return inside.contains(v); });
    });
  }
  return found;
}

// Whether neighbouring rows read neighbouring elements, and neighbouring columns elements that lie apart: of
// a matrix in an array of one axis by a distance that is no constant.
bool is_read_across(Arena& arena, Expr read, scalar::Var row, scalar::Var column) {
  const Expr last = read.args().back();
  if (mentions(last, column)) {
    const auto apart = scalar::affine_in(arena, last, column);
    if (!apart || apart->coefficient.is_constant() || mentions(apart->coefficient, row)) return false;
  }
  const auto along = scalar::affine_in(arena, last, row);
  return along && along->coefficient.is_constant(1);
}

// Bytes of an element that is read along this axis, and so across the columns: points of neighbouring rows
// share its cache line. 0: there is none.
std::int64_t bytes_read_across(const Surroundings& around, const soac::Soac& op, std::size_t axis) {
  if (!op.reductions.empty() || !op.scatters.empty()) return 0;
  const scalar::Var column = op.body.params.back(), row = op.body.params[axis];
  std::int64_t bytes = 0;
  soac::for_each_root(op.body, [&](Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (e.op() != Op::index || !mentions(e, column)) return;
      if (is_read_across(around.arena, e, row, column))
        bytes = std::max(bytes, static_cast<std::int64_t>(size_of(e.kind())));
    });
  });
  return bytes;
}

// So many points are a task, but for places of 32 bits, which are proved to differ for 2^31 points at most
// (soac/injective.h): more points are one task, which stores in their order.
Expr points_of_task(Arena& arena, const soac::Soac& op, Expr points) {
  if (!has_narrow_places(op)) return points;
  const Expr n = product(arena, op.dims);
  return select(n <= std::int64_t{1} << 31, points, n);
}

}  // namespace

Grid tiles_grid(const Surroundings& around, const soac::Soac& op, const LaneLoops& loops, Expr points) {
  Arena& arena = around.arena;
  Grid g;
  const Expr tile = points_of_task(arena, op, points ? points : arena.i64(loops.tile)), one = arena.i64(1);
  if (loops.rows) {
    // As many rows as make a tile, where the host knows the inner length.
    g.columns = product(arena, op.dims);
    const Expr rows = max(loops.tile / length_of(around, op.body), one);
    g.columns_per_task = points_of_task(arena, op, columns_with_scratch(around, op, g.columns, rows));
    return g;
  }
  g.columns_per_task = tile;
  if (op.dims.size() <= 1 || loops.linear) {
    g.columns = product(arena, op.dims);
    return g;
  }
  g.rows = product(arena, std::span(op.dims).first(op.dims.size() - 1));
  g.columns = op.dims.back();
  g.rows_per_task = max(tile / max(g.columns, one), one);
  const std::size_t n_outer = op.dims.size() - 1;
  std::int64_t bytes = bytes_read_across(around, op, n_outer - 1);
  if (bytes == 0 && n_outer > 1) {
    bytes = bytes_read_across(around, op, 0);
    if (bytes > 0) {
      g.rows = op.dims[0];
      g.planes = product(arena, std::span(op.dims).subspan(1, n_outer - 1));
    }
  }
  if (bytes == 0) return g;
  constexpr std::int64_t cache_line = 64;
  g.rows_in_line = cache_line / bytes;
  g.columns_per_task = max(tile / (around.policy.lanes.across_lines * g.rows_in_line), loops.tail_lanes);
  const Expr columns = max(min(g.columns, g.columns_per_task), one);
  g.rows_per_task = max(tile / columns, one);
  if (g.planes) g.planes_per_task = max(tile / (columns * max(min(g.rows, g.rows_per_task), one)), one);
  return g;
}

Grid map_grid(const Surroundings& around, const soac::Soac& op, const LaneLoops& loops) {
  if (!soac::is_map(op) || loops.rows) return tiles_grid(around, op, loops);
  const Expr tile = around.arena.i64(loops.tile), one = around.arena.i64(1);
  const Expr length = length_of(around, op.body), assumed = length_of(around, op.body, Sizes::assumed);
  const Expr steps = max(tile * assumed / (length * std::int64_t{loops.lanes}), one);
  return tiles_grid(around, op, loops, min(tile, steps * std::int64_t{loops.lanes}));
}

Grid points_grid(const Surroundings& around, const soac::Soac& op, const LaneLoops& loops) {
  Arena& arena = around.arena;
  const LanesPolicy& by = around.policy.lanes;
  Grid g;
  g.columns = product(arena, op.dims);
  Expr tile = arena.i64(loops.tile);
  if (loops.rows) tile = max(tile / length_of(around, op.body), 1);
  tile = points_of_task(arena, op, tile);
  g.columns_per_task = columns_with_scratch(around, op, g.columns, tile);
  Expr own = arena.i64(0);  // elements that a task has for itself
  for (const soac::Scatter& scatter : op.scatters)
    if (!scatter.combine.empty()) own = own + product(arena, scatter.shape);
  for (const soac::Partition& p : op.partitions)
    if (!has_few_classes(p, by.few_classes)) own = own + p.classes * by.count_points;
  if (!own.is_constant(0)) {
    const Expr line = arena.i64(64);  // tiles start where vectors are aligned
    const Expr most = most_tasks(arena, g.columns, own, by);
    const Expr lines = ceil_div(ceil_div(g.columns, most), line);
    g.columns_per_task = max(g.columns_per_task, lines * line);
  } else if (!keeps_arrays(op.body) && !has_narrow_places(op)) {
    g.most_points = loops.tile;
  }
  return g;
}

}  // namespace fulgurite::schedule
