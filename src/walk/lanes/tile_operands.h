// Operands that the points of register tiles share (schedule/shared_operands.h), in memory of the task.
#pragma once

#include "schedule/ir.h"
#include "walk/lanes/packed_terms.h"
#include "walk/lanes/pieces.h"

namespace fulgurite::walk::lanes {

/// The rows of a task, and points of the reduction, for which operands are staged.
struct TileRows {
  std::vector<Expr> outer;
  Interval rows;
  Expr first_column;
  Words depth;
};
/// A strip of their columns.
struct ColumnStrip {
  const TileRows& at;
  Expr begin, end;
};

class TileOperands {
 public:
  /// Makes the memory. `dims`: the extents of the map that the nest walks.
  TileOperands(const Emitter& task, const schedule::Nest&, const soac::Soac& map, std::span<const Expr> dims);

  /// Terms of a word.
  std::int64_t together() const { return together_; }

  /// Stages the operands that columns share, and returns the body of the map that reads them.
  soac::Lambda with_rows(const TileRows&) const;
  /// Stages the operands of a strip that rows share.
  void fill_panels(const ColumnStrip&) const;
  /// The body that reads them at a column, which is t after the first lane's column.
  soac::Lambda with_panels(const ColumnStrip&, const Emitter& lane, Expr t, Expr column,
                           const soac::Lambda& body) const;

  /// The steps of a sum of packed terms: `rows` of a tile, their sums and lanes along columns.
  void add_words(const ColumnStrip&, const Emitter& lane, Expr t, Expr column, std::span<const Expr> rows,
                 std::span<const Expr> sums) const;

  /// The row-major number of a point of the map.
  Expr number(const Emitter&, const std::vector<Expr>& outer, Expr row, Expr column) const;

 private:
  void stage_crosswise(const TileRows&, std::size_t stage) const;
  const soac::Soac& reduction() const;
  Var folded() const;
  Expr place_in_panel(const ColumnStrip&, const Emitter& lane, Expr t, Expr column, Expr word) const;
  Expr at_point(const Emitter&, Expr operand, std::span<const Expr> indices, Expr l) const;

  const Emitter& e_;
  scalar::Arena& arena_;
  const schedule::Nest& nest_;
  const soac::Soac& map_;
  const std::vector<Expr> dims_;
  // Words for which operands are staged; absent: none are.
  Expr words_ = {};
  std::int64_t together_ = 1;
  std::vector<Var> staged_;
};

/// The indices of a point of the map.
std::vector<Expr> point_of(std::vector<Expr> outer, Expr row, Expr column);

}  // namespace fulgurite::walk::lanes
