// Points that divide their innermost index by a number which is the same for all of them: that axis becomes
// two, the quotients and the remainders, and no point divides. What was `x[i % m]` and `x[i / m]` is read at
// neighbouring places along the inner axis, or is one element for a whole row.
#pragma once

#include <functional>
#include <optional>

#include "soac/outputs.h"

namespace fulgurite::schedule {

struct Divided {
  /// The map with the two axes in place of the innermost one; it makes arrays of their shape.
  soac::Stm stm;
  /// The divisor: how long rows are.
  scalar::Expr row;
  /// Boolean: rows are full, and the other divisors are multiples of `row`. `stm` is the map only then.
  scalar::Expr holds;
};
/// Whether points give scalars, and nothing depends on other points; `outputs`: of the statement.
bool maps_scalars(const soac::Soac&, const soac::OutputView& outputs);

/// Rewrites a map of scalars; null: its points divide their innermost index by nothing that is known before.
/// `is_known`: whether an expression can be computed before the points, and cannot fail.
std::optional<Divided> divided(scalar::Arena&, const soac::Stm&,
                               const std::function<bool(scalar::Expr)>& is_known);

}  // namespace fulgurite::schedule
