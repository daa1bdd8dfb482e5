// Reductions, scans and scatters without a neutral element get one: the operands are paired with a flag
// "holds a value" (Haskell's semigroup to monoid lifting).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// A Soac statement in which every reduction, every Scan of the body and every scatter's operator has a
/// neutral element. An operator without one gets one more component, a boolean first, whose result has a name
/// that nothing reads; the space of such a reduction is known not to be empty (a Check precedes).
soac::Stm lift_missing_neutral(scalar::Arena&, const soac::Stm&);

/// Which components of a reduction's running value are the same constant after every point, as flags "holds
/// a value" are; absent: others.
std::vector<scalar::Expr> constant_components(scalar::Arena&, const soac::Reduction&,
                                              std::span<const scalar::Expr> operands);

/// The Soac for points after the first, when all its reductions hold a value: such components are constants
/// in its operators. Nothing if there are none.
std::optional<soac::Stm> holding_values(scalar::Arena&, const soac::Stm&);

}  // namespace fulgurite::schedule
