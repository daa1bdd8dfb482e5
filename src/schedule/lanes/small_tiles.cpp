#include "schedule/lanes/small_tiles.h"

#include <algorithm>
#include <optional>

#include "schedule/lanes/costs.h"
#include "schedule/nest.h"
#include "schedule/phases.h"
#include "schedule/rewrites/bytes.h"
#include "schedule/rewrites/partial_rows.h"
#include "schedule/rewrites/rounding.h"

namespace fulgurite::schedule {

namespace {

// Whether neighbouring columns read neighbouring elements, in arrays of any shape, so that one vector has
// them.
bool is_along_columns(scalar::Arena& arena, Expr operand, Var column) {
  bool is_along = true;
  scalar::for_each_node(std::span(&operand, 1), [&](Expr e) {
    if (e.op() != scalar::Op::index || !scalar::mentions(e, column)) return;
    const std::vector<Expr>& shape = arena.info(e.arg(0).var()).shape;
    Expr number = arena.i64(0);
    for (std::size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + e.arg(d + 1);
    const auto form = scalar::affine_in(arena, number, column);
    is_along = is_along && form && form->coefficient.is_constant(1);
  });
  return is_along;
}

// What is staged is computed once; here it is computed for each tile, which is to cost no more than the terms
// that the tile accumulates with it.
bool are_cheap(const LanesPolicy& by, const std::vector<Expr>& operands) {
  return Costs(by).of(operands) <= by.cost_fused * static_cast<double>(by.tile_small_rows);
}

std::int64_t bytes_of(const std::vector<Expr>& operands) {
  std::int64_t bytes = 0;
  for (Expr operand : operands) bytes += static_cast<std::int64_t>(size_of(operand.kind()));
  return bytes;
}

// The operands of one plane of points.
Expr bytes_of_plane(const Building& at, const SharedOperands& shared, Expr depth) {
  const std::vector<Expr>& dims = at.op().dims;
  const Expr rows = dims[dims.size() - 2], columns = dims.back();
  const Expr of_rows = rows * bytes_of(shared.by_columns), of_columns = columns * bytes_of(shared.by_rows);
  return depth * (of_rows + of_columns);
}

// The widest vectors of a processor whose narrower ones are as wide as rows often are leave remainders to
// these.
std::vector<SmallTiles::Width> widths_of(const Building& at, Expr columns) {
  const std::int64_t lanes = at.loops.tail_lanes;
  const std::int64_t rest = at.lanes.device.vector_bytes >= 64 ? std::max<std::int64_t>(lanes / 2, 1) : lanes;
  std::vector<SmallTiles::Width> widths{{rest <= columns, lanes, rest}};
  for (std::int64_t narrow = rest / 2; narrow > 1 && widths.size() < 3; narrow /= 2)
    widths.push_back({(narrow <= columns) & (columns < narrow * 2), narrow, narrow});
  std::erase_if(widths, [](const SmallTiles::Width& w) { return w.holds.is_constant(0); });
  return widths;
}

// The extents of a plane and of what is read in it, but none that the outer axes have too. Absent: they are
// not all names, or the numbers that they are asked for.
std::optional<std::vector<Constant>> sides_of(const Building& at, const soac::Soac& inner,
                                              std::int64_t side) {
  const std::vector<Expr>& dims = at.op().dims;
  const auto outer = std::span(dims).first(dims.size() - 2);
  std::vector<Constant> sides;
  const auto add = [&](Expr extent) {
    const auto is_in = [&](Expr e) { return scalar::mentions(e, extent.var()); };
    if (!extent.is_name() || std::ranges::any_of(outer, is_in)) return;
    const Constant known{extent.var(), side};
    if (std::ranges::find(sides, known) == sides.end()) sides.push_back(known);
  };
  for (Expr extent : {dims[dims.size() - 2], dims.back(), inner.dims[0]}) {
    if (!extent.is_name() && !extent.is_constant(side)) return {};
    add(extent);
  }
  soac::for_each_root(inner.body, [&](Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (e.op() != scalar::Op::index) return;
      const std::vector<Expr>& shape = at.arena.info(e.arg(0).var()).shape;
      for (std::size_t axis = 1; axis < shape.size(); ++axis) add(shape[axis]);
    });
  });
  if (sides.empty()) return {};
  return sides;
}

void add_sides(const Building& at, const soac::Soac& inner, SmallTiles& tiles) {
  const std::int64_t side = at.lanes.by.tile_side;
  if (side < 2 || side < tiles.widths.back().rest || at.loops.tail_lanes < side) return;
  auto sides = sides_of(at, inner, side);
  if (!sides) return;
  tiles.sides = std::move(*sides);
  tiles.are_sides = tiles.holds;
  for (const Constant& each : tiles.sides)
    tiles.are_sides = tiles.are_sides & equal(at.arena.name(each.name), side);
}

}  // namespace

SmallTiles small_tiles_of(const Building& at) {
  SmallTiles tiles;
  const soac::Soac& op = at.op();
  const LanesPolicy& by = at.lanes.by;
  // The last vector of a row takes points again, which may have changed what they read.
  if (op.dims.size() < 3 || !op.scatters.empty()) return tiles;
  const SharedOperands shared = shared_operands(at.around, op);
  const Var column = op.body.params.back();
  const auto is_along = [&](Expr operand) { return is_along_columns(at.arena, operand, column); };
  if (shared.by_rows.empty() || !std::ranges::all_of(shared.by_rows, is_along)) return tiles;
  if (!are_cheap(by, shared.by_rows) || !are_cheap(by, shared.by_columns)) return tiles;
  soac::Stm map = at.posting;
  std::get<soac::Soac>(map.op).body = with_neutral(at.arena, op);
  const soac::Soac& inner = reduction_of(std::get<soac::Soac>(map.op).body);
  std::vector<SmallTiles::Width> widths = widths_of(at, op.dims.back());
  if (widths.empty()) return tiles;
  const Expr rows = op.dims[op.dims.size() - 2], columns = op.dims.back(), depth = inner.dims[0];
  Expr holds = (2 <= rows) & (widths.back().rest <= columns) &
               (bytes_of_plane(at, shared, depth) <= by.tile_small_bytes);
  if (any_rounds(inner)) holds = holds & (depth <= by.fold_chain * by.fold_chain);
  if (holds.is_constant(0)) return tiles;
  std::size_t components = 0;
  for (const soac::Reduction& r : inner.reductions) components += r.neutral.size();
  tiles.rows = std::max<std::int64_t>(by.tile_small_rows / static_cast<std::int64_t>(components), 1);
  tiles.widths = std::move(widths);
  tiles.computes = in_bytes(at.arena, map);
  tiles.holds = holds;
  add_sides(at, inner, tiles);
  return tiles;
}

namespace {

Nest nest_of_width(const Building& at, const SmallTiles& tiles, const SmallTiles::Width& width,
                   std::span<const Constant> constants = {}) {
  const soac::Stm& reduction = std::get<soac::Soac>(tiles.computes.op).body.body[0];
  const auto& inner = std::get<soac::Soac>(reduction.op);
  const std::span<const Expr> plane = std::span(at.op().dims).last(2);
  const Expr rows = plane[0], columns = plane[1], depth = inner.dims[0];
  Nest nest = nest_with_inner(at.arena, at.op(), 2, reduction, Axis::Role::fold);
  nest.cuts.push_back({0, max(at.loops.tile / max(rows * columns, 1), 1), Unit::grid});
  nest.cuts.push_back({2, at.i64(width.lanes), Unit::lane, Tail::overlap, width.rest});
  nest.cuts.push_back({1, at.i64(tiles.rows), Unit::registers});
  const std::int64_t chain = at.lanes.by.fold_chain;
  const auto is_side = [&](const Constant& side) {
    return depth == at.arena.name(side.name) && side.value <= chain;
  };
  const bool is_one_chain = depth.is_constant() ? depth.bits() <= static_cast<std::uint64_t>(chain)
                                                : std::ranges::any_of(constants, is_side);
  if (!any_rounds(inner) || is_one_chain) return nest;
  nest.cuts.push_back({3, at.i64(chain), Unit::sequence});
  for (std::size_t g = 0; g < inner.reductions.size(); ++g)
    if (rounds(inner.reductions[g]))
      add_level(nest, Combine::Part::reduction, g, {Unit::sequence, Join::chain, chain}, {});
  return nest;
}

}  // namespace

void add_small_tiles(Building& at, const SmallTiles& tiles) {
  if (!tiles.holds) return;
  for (const SmallTiles::Width& width : tiles.widths) {
    const bool is_first = &width == &tiles.widths.front();
    Phase& phase =
        at.add(is_first ? "small tiles" : "narrow tiles", tiles.computes, nest_of_width(at, tiles, width));
    const Expr holds = tiles.are_sides ? tiles.holds & logical_not(tiles.are_sides) : tiles.holds;
    phase.guard = select(holds & width.holds, at.i64(1), 0);
    phase.why = {
        "tasks: about a tile of points, in whole planes (moderate_tile, moderate_work)",
        "lanes: vectors along rows, of which some are accumulated together; the last one of a row ends where "
        "the row does (tile_small_rows)",
        why_small_tiles};
  }
  if (!tiles.are_sides) return;
  const std::int64_t side = at.lanes.by.tile_side;
  Phase& phase =
      at.add("tiles of constants", tiles.computes, nest_of_width(at, tiles, {{}, side, side}, tiles.sides));
  phase.guard = select(tiles.are_sides, at.i64(1), 0);
  phase.constants = tiles.sides;
  phase.why = {"tasks: about a tile of points, in whole planes (moderate_tile, moderate_work)",
               "lanes: a row of a plane is a vector, as all its extents are as small (tile_side)",
               why_small_tiles};
}

}  // namespace fulgurite::schedule
