// The operands that the points of a tile share (schedule/blocks/products.h), in shared memory: a slice of
// them, for a few points of the reduction.
#pragma once

#include "walk/blocks/phase.h"

namespace fulgurite::walk::blocks {

/// Points of a tile along an axis of the map.
struct Side {
  std::int64_t threads, each;  // of the block along it, and points of each of them
  Expr extent = {}, first = {};
  std::int64_t size() const { return threads * each; }
};

/// The tile of a block, and the part of the reduction that it folds.
class ProductTile {
 public:
  explicit ProductTile(const Phase&);
  void take(const Emitter&, const Block&);

  const Phase& phase;
  const soac::Soac& map;
  std::int64_t slice;  // points of the reduction
  Side rows, columns;
  std::vector<Expr> dims, others;    // others: indices of the axes before the last two
  Expr part, has_parts, begin, end;  // of the reduction
  Expr is_inside;                    // each point of the tile is one of the map

  std::int64_t threads() const { return rows.threads * columns.threads; }
  const soac::Soac& reduction() const { return std::get<soac::Soac>(map.body.body[0].op); }
  const std::vector<schedule::Stage>& stages() const { return phase.nest().stages; }
  const Side& side_of(const schedule::Stage&) const;
  /// The indices of a point of the tile. Unless is_whole, rows and columns after the last ones are the last
  /// ones again.
  std::vector<Expr> indices(const Emitter&, Expr row, Expr column, bool is_whole) const;

 private:
  Side side(std::size_t axis) const;
};

class ProductOperands {
 public:
  /// With memory for a slice.
  ProductOperands(const Emitter&, const ProductTile&);

  /// Brings the slice that begins at `from`: neighbouring threads take elements that are neighbours in
  /// memory. is_whole: the tile and the slice have all of their points.
  void stage(const Emitter&, Expr t, Expr from, bool is_whole) const;
  /// The operand of a stage at a place along its side and point l of the slice.
  Expr value(const Emitter&, std::size_t stage, Expr place, Expr l) const;

 private:
  void stage(const Emitter&, Expr t, std::size_t stage, Expr from, bool is_whole) const;
  std::int64_t pitch(std::size_t stage) const { return at_.stages()[stage].size / at_.slice; }

  const ProductTile& at_;
  std::vector<Var> buffers_;
};

}  // namespace fulgurite::walk::blocks
