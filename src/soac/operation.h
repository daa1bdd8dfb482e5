// Operators that are one operation of their operands: a + b, min(a, b).
#pragma once

#include <functional>
#include <optional>

#include "soac/ir.h"

namespace fulgurite::soac {

/// The commutative operation by which an operator makes its k-th result of the k-th components of its two
/// operands, whatever its other results are. Nothing if it makes that result in another way.
std::optional<scalar::Op> operation_of(const Lambda& op, std::size_t k);

/// A reduction by a commutative operation of scalars of one kind.
Reduction reduction_by(Arena&, scalar::Op, Expr neutral);

/// Whether two functions without statements give the same, each result in the form that `form` makes of it.
bool is_same_function(Arena&, const Lambda&, const Lambda&, const std::function<Expr(Expr)>& form = {});

}  // namespace fulgurite::soac
