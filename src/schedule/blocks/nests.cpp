#include "schedule/blocks/nests.h"

#include <algorithm>

#include "schedule/blocks/crosswise.h"
#include "schedule/nest.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "soac/linear.h"

namespace fulgurite::schedule {

namespace {

Axis::Role role_on_blocks(const soac::Soac& op) {
  if (has_scan(op.body) || !op.partitions.empty()) return Axis::Role::scan;
  return op.reductions.empty() ? Axis::Role::free : Axis::Role::fold;
}

bool sums_floats(const soac::Soac& op) {
  return std::ranges::any_of(op.reductions, [](const soac::Reduction& r) {
    return std::ranges::any_of(r.neutral, [](Expr e) { return scalar::is_float(e.kind()); });
  });
}

// A float accumulator takes this many additions before it is added to another one: errors grow with the sum
// of the two lengths instead of their product.
void join_threads(const Surroundings& at, const soac::Soac& op, Nest& nest) {
  const bool has_chains = sums_floats(op) && !goes_by_tiles(op);
  for (std::size_t g = 0; g < op.reductions.size(); ++g) {
    Combine combine{Combine::Part::reduction, g};
    if (in_order(op.reductions[g])) combine.levels.push_back({Unit::thread, Join::runs});
    if (has_chains) combine.levels.push_back({Unit::thread, Join::chain, at.policy.blocks.thread_chain});
    combine.levels.push_back({Unit::thread, Join::tree});
    nest.combines.push_back(std::move(combine));
  }
  for (std::size_t k = 0; k < scans_of(op.body).size(); ++k)
    nest.combines.push_back(
        {Combine::Part::scan, k, {{Unit::thread, Join::runs}, {Unit::thread, Join::tree}}});
}

// The axes before the last two as one, if there are any; then the last two.
void add_axes(const Surroundings& at, const soac::Soac& op, Nest& nest) {
  const std::size_t n_outer = op.dims.size() - 2;
  const auto role = role_on_blocks(op);
  if (n_outer > 0)
    nest.axes.push_back({role, 0, n_outer, product(at.arena, std::span(op.dims).first(n_outer))});
  nest.axes.push_back({role, n_outer, 1, op.dims[n_outer]});
  nest.axes.push_back({role, n_outer + 1, 1, op.dims[n_outer + 1]});
}

}  // namespace

Nest nest_over_points(const Surroundings& at, const soac::Soac& op, const Points& points, Expr per_block,
                      Unit unit) {
  Nest nest;
  const bool is_linear = op.dims.size() > 1 && soac::is_linear(op, at.arena, at.sizes);
  nest.axes.push_back({role_on_blocks(op), 0, op.dims.size(), product(at.arena, op.dims), is_linear});
  const auto cut = [&](Expr size, Unit by) { nest.cuts.push_back({0, size, by}); };
  if (per_block) cut(per_block, unit);
  const bool has_tiles = goes_by_tiles(op);
  if (has_tiles) cut(at.arena.i64(points.tile()), Unit::sequence);
  cut(at.arena.i64(points.threads), Unit::thread);
  const std::int64_t together = has_tiles ? points.items : points.neighbours;
  if (together > 1) cut(at.arena.i64(together), Unit::registers);
  join_threads(at, op, nest);
  return nest;
}

Nest nest_over_strips(const Surroundings& at, const soac::Soac& op, const Windows& windows) {
  scalar::Arena& arena = at.arena;
  const BlocksPolicy& by = at.policy.blocks;
  const std::vector<Expr>& dims = op.dims;
  const Strip& strip = windows.strip;
  const Expr columns = arena.i64(strip.columns);
  Nest nest;
  if (dims.size() < 2) {
    Expr run = columns;
    if (!op.reductions.empty()) {
      const Expr many = ceil_div(dims.back(), arena.i64(strip.columns * by.filling_blocks));
      run = columns * max(many, 1);
    }
    nest.axes.push_back({role_on_blocks(op), 0, 1, dims.back()});
    nest.cuts = {{0, run, Unit::grid}, {0, columns, Unit::sequence}};
  } else {
    add_axes(at, op, nest);
    const std::size_t last = nest.axes.size() - 1;
    const Expr across = ceil_div(dims.back(), columns);
    const Expr outer = product(arena, std::span(dims).first(dims.size() - 2));
    const Expr all = outer * (dims[dims.size() - 2] * across);
    const Expr run = max(strip.rows, ceil_div(all, arena.i64(by.filling_blocks)));
    if (last == 2) nest.cuts.push_back({0, arena.i64(1), Unit::grid, Tail::exact});
    nest.cuts.push_back({last - 1, run, Unit::grid});
    nest.cuts.push_back({last, columns, Unit::grid});
  }
  const std::size_t staged_at = nest.cuts.size() - 1;
  nest.cuts.push_back({nest.axes.size() - 1, arena.i64(by.strip_threads), Unit::thread});
  for (const Window& w : windows.all) {
    Stage stage{w.array, staged_at, kernel::Space::shared, strip.window, w.reads[0].element};
    for (std::size_t k = 0; k < w.low.size(); ++k) stage.around.push_back({w.low[k], w.high[k]});
    stage.computed = at.element_of && at.element_of(w.array) != nullptr;
    nest.stages.push_back(std::move(stage));
  }
  for (std::size_t g = 0; g < op.reductions.size(); ++g)
    nest.combines.push_back({Combine::Part::reduction, g, {{Unit::thread, Join::tree}}});
  return nest;
}

Nest nest_over_tiles(const Surroundings& at, const soac::Soac& op, const Crosswise& crosswise) {
  Nest nest;
  add_axes(at, op, nest);
  const std::size_t last = nest.axes.size() - 1;
  std::size_t row = last - 1;
  if (crosswise.axis + 2 < op.dims.size()) {
    row = 0;
    const std::span between = std::span(op.dims).subspan(1, op.dims.size() - 2);
    nest.axes[0] = {Axis::Role::free, 0, 1, op.dims[0]};
    nest.axes[1] = {Axis::Role::free, 1, between.size(), product(at.arena, between)};
  }
  const Expr side = at.arena.i64(side_of_tile);
  if (last == 2) nest.cuts.push_back({1 - row, at.arena.i64(1), Unit::grid, Tail::exact});
  nest.cuts.push_back({row, side, Unit::grid});
  nest.cuts.push_back({last, side, Unit::grid});
  for (Expr read : crosswise.reads) {
    Stage stage{read.arg(0).var(), nest.cuts.size() - 1, kernel::Space::shared, elements_of_tile, read};
    stage.crosswise = true;
    nest.stages.push_back(std::move(stage));
  }
  nest.cuts.push_back({row, at.arena.i64(at.policy.blocks.transpose_threads / side_of_tile), Unit::thread});
  nest.cuts.push_back({last, side, Unit::thread});
  return nest;
}

Combine& combine_in(Nest& nest, Combine::Part part, std::size_t which) {
  for (Combine& combine : nest.combines)
    if (combine.part == part && combine.which == which) return combine;
  nest.combines.push_back({part, which});
  return nest.combines.back();
}

void add_grid_level(Nest& nest, Combine::Part part, std::size_t which, Join how, std::vector<Var> memory) {
  Combine& combine = combine_in(nest, part, which);
  combine.levels.push_back({Unit::grid, how});
  combine.memory = std::move(memory);
}

Expr points_of_a_block(const Surroundings& at, Expr n, const Points& points, Expr resident, Expr own) {
  const auto i64 = [&](std::int64_t value) { return at.arena.i64(value); };
  Expr per_block = i64(points.points), threads = i64(points.threads);
  auto at_most = [&](Expr blocks) {
    Expr whole = ceil_div(ceil_div(n, blocks), threads);
    per_block = max(per_block, whole * threads);
  };
  if (points.most_blocks != 0) at_most(resident ? resident : i64(points.most_blocks));
  if (points.room) at_most(max(at.policy.blocks.threads_room / (points.room * points.threads), 1));
  if (!own.is_constant(0)) {
    // Little of it beside the points, but for as many blocks as fill a device, if that is not much more of it
    // than there are points.
    const BlocksPolicy& by = at.policy.blocks;
    const Expr each = max(own, 1);
    const Expr room = max(n * by.own_bins_share, by.own_bins_room);
    const Expr filling = min(room / each, by.own_bins_blocks);
    at_most(max(max(n / (each * by.own_bins_points), filling), 1));
  }
  return per_block;
}

}  // namespace fulgurite::schedule
