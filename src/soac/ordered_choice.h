// Operators on tuples that keep the operand whose float is the greater, or the lesser, and pass over NaNs:
// those of argmax and argmin after their first point. Once an accumulator is no NaN, one comparison decides.
#pragma once

#include <optional>

#include "soac/ir.h"

namespace fulgurite::soac {

/// Component `value` of the operands (a.., b..) decides: each result is c ? b_k : a_k, where c is
/// !(b <= a) & !isnan(b), or with the operands of <= the other way round.
struct OrderedChoice {
  std::size_t value;
  /// The operator for operands a of which that component is no NaN.
  Lambda without_nans;
  /// A value that no other one is on the wrong side of: -inf or inf.
  Expr worst;
};
/// Absent: the operator is of another kind, or computes something.
std::optional<OrderedChoice> ordered_choice(Arena&, const Lambda& op);

}  // namespace fulgurite::soac
