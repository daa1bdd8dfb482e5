// Integers that are computed in a wide kind and of which some bits are kept: three bytes put together, say,
// and cut into four numbers of six bits. Bits of sums, shifts and bitwise operations follow from bits of the
// operands, so that the narrow kind is wide enough for all of it, and vectors of it have more lanes.
#pragma once

#include "scalar/expr.h"

namespace fulgurite::scalar {

/// The low bits of the integer expression, as many as `narrow` has: a narrower integer kind, in which all of
/// it is computed. Absent: some operand is not converted from a kind that is as narrow, or it takes more than
/// a few operations, or an operand that may fail would not be needed.
Expr narrowed(Expr, Kind narrow);

}  // namespace fulgurite::scalar
