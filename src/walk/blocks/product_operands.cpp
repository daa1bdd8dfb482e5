#include "walk/blocks/product_operands.h"

#include "schedule/nest.h"
#include "schedule/shared_operands.h"
#include "walk/control.h"

namespace fulgurite::walk::blocks {

using schedule::Nest, schedule::Stage, schedule::Unit;

namespace {

std::int64_t size_of_cut(const Nest& nest, std::size_t axis, Unit unit) {
  return *schedule::constant(schedule::sizes_of_cuts(nest, axis, unit)[0]);
}

}  // namespace

ProductTile::ProductTile(const Phase& of)
    : phase(of),
      map(of.op()),
      slice(size_of_cut(of.nest(), of.nest().axes.size() - 1, Unit::sequence)),
      rows(side(of.nest().axes.size() - 3)),
      columns(side(of.nest().axes.size() - 2)) {}

Side ProductTile::side(std::size_t axis) const {
  return {size_of_cut(phase.nest(), axis, Unit::thread), size_of_cut(phase.nest(), axis, Unit::registers)};
}

const Side& ProductTile::side_of(const Stage& stage) const {
  return schedule::is_shared_by_rows(phase.nest(), stage) ? columns : rows;
}

void ProductTile::take(const Emitter& e, const Block& block) {
  const Nest& nest = phase.nest();
  const std::size_t depth = nest.axes.size() - 1;
  dims = e.lower(map.dims);
  part = block.task;
  const auto piece = [&](std::size_t axis) {
    const Expr n = schedule::ceil_div(nest.axes[axis].extent, schedule::task_cut(nest, axis)->size);
    const Expr number = e.lower(part % n);
    part = e.lower(part / n);
    return number;
  };
  columns.extent = dims.back(), rows.extent = dims[dims.size() - 2];
  columns.first = e.lower(piece(depth - 1) * columns.size());
  rows.first = e.lower(piece(depth - 2) * rows.size());
  if (depth > 2) others = indices_of(e, piece(0), std::span(dims).first(dims.size() - 2));
  const Expr of_part = schedule::task_cut(nest, depth)->size, extent = nest.axes[depth].extent;
  has_parts = e.lower(of_part < extent);
  begin = e.lower(part * of_part);
  end = e.lower(min(begin + of_part, extent));
  const Expr all_rows = rows.first + rows.size() <= rows.extent;
  const Expr all_columns = columns.first + columns.size() <= columns.extent;
  is_inside = e.lower(all_rows & all_columns);
}

std::vector<Expr> ProductTile::indices(const Emitter& e, Expr row, Expr column, bool is_whole) const {
  const auto index = [&](const Side& side, Expr place) {
    const Expr all = side.first + place;
    return e.lower(is_whole ? all : min(all, side.extent - 1));
  };
  std::vector<Expr> all = others;
  all.push_back(index(rows, row));
  all.push_back(index(columns, column));
  return all;
}

ProductOperands::ProductOperands(const Emitter& e, const ProductTile& tile) : at_(tile) {
  for (const Stage& stage : at_.stages())
    buffers_.push_back(e.allocate_shared(stage.read.kind(), stage.size));
}

void ProductOperands::stage(const Emitter& e, Expr t, Expr from, bool is_whole) const {
  for (std::size_t k = 0; k < buffers_.size(); ++k) stage(e, t, k, from, is_whole);
}

// A thread takes places that are as many apart as the block has threads, all powers of two.
void ProductOperands::stage(const Emitter& e, Expr t, std::size_t k, Expr from, bool is_whole) const {
  const Stage& stage = at_.stages()[k];
  const Side& side = at_.side_of(stage);
  const bool is_row = &side == &at_.rows;
  const std::int64_t fast = stage.crosswise ? at_.slice : side.size(), all = at_.slice * side.size();
  const Expr first_near = e.lower(t % fast), first_far = e.lower(t / fast);
  const Expr zero = e.arena().i64(0), last = at_.end - 1;
  std::vector<Var> params = at_.map.body.params;
  params.push_back(at_.reduction().body.params[0]);
  const auto copy = [&](std::int64_t x) {
    const Expr near = e.lower(first_near + x % fast), far = e.lower(first_far + x / fast);
    const Expr l = stage.crosswise ? near : far, place = stage.crosswise ? far : near;
    std::vector<Expr> indices = at_.indices(e, is_row ? place : zero, is_row ? zero : place, is_whole);
    const Expr point = from + l;
    indices.push_back(e.lower(is_whole ? point : min(point, last)));
    const Expr value = apply(e, {params, {}, {stage.read}}, indices)[0];
    e.store_plain(buffers_[k], e.lower(l * pitch(k) + place), value);
  };
  if (all < at_.threads()) return e.if_then(e.lower(t < all), [&] { copy(0); });
  for (std::int64_t x = 0; x < all; x += at_.threads()) copy(x);
}

Expr ProductOperands::value(const Emitter& e, std::size_t stage, Expr place, Expr l) const {
  return e.load_plain(buffers_[stage], e.lower(l * pitch(stage) + place), "staged");
}

}  // namespace fulgurite::walk::blocks
