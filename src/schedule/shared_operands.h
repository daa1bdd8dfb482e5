// What the points of a map share: operands of its reduction that are the same along one axis of the map.
#pragma once

#include "schedule/surroundings.h"

namespace fulgurite::schedule {

/// Operands of the reduction of a map of two axes and more, each as large a part of an expression as it can
/// be.
struct SharedOperands {
  /// Computed from elements that depend on the map's last axis and on that of the reduction, and not on the
  /// last axis but one, whose points share them: the right operand of a matrix product. Empty: there are
  /// none.
  std::vector<Expr> by_rows;
  /// `by_rows` with the two axes of the map exchanged: the left operand.
  std::vector<Expr> by_columns;
};

/// The operands of a map whose function is one reduction along one axis and scalars. Each element that is
/// read at every point of both is in one; else there are none.
SharedOperands shared_operands(const Surroundings&, const soac::Soac&);

/// Whether neighbours on this axis read neighbouring elements of one.
bool lies_along(scalar::Arena&, Expr operand, Var axis);

/// The first array that one reads.
Var first_array(Expr operand);

/// Whether rows share this stage of a nest of such points, as it has a place for each column of a piece. The
/// last axis is the reduction's, and the one before it the columns'.
bool is_shared_by_rows(const Nest&, const Stage&);

}  // namespace fulgurite::schedule
