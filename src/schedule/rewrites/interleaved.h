// Points that choose what they read by quotients and remainders of an index by small constants (`x[i / 2]`,
// `x[i ^ 1]`): as many neighbours along its axis as the constant become one point, which gives an array of
// them. Along the innermost axis, lanes then read neighbouring elements; along others, a point reads once
// what its rows share (the two halves of a butterfly). What depends on a remainder is known.
#pragma once

#include <functional>
#include <optional>

#include "soac/ir.h"

namespace fulgurite::schedule {

struct Interleaved {
  /// The map over groups of neighbouring points. It makes arrays of one axis more, of the points of a group,
  /// which stands after the axis that they are neighbours along.
  soac::Stm stm;
  /// Boolean: groups are full, and no read of `stm` is outside of its array. `stm` is the map only then.
  scalar::Expr holds;
};

struct InterleaveLimits {
  std::int64_t points;  // of a group
  std::int64_t nodes;   // of the expressions of a group
};

/// Rewrites a map of scalars. Absent: no read is at an index made of such quotients and remainders, points do
/// more than evaluate expressions, or whether reads are outside of their arrays is known only at the points,
/// where a message would name the group. `is_known`: whether an expression can be computed before the points,
/// and cannot fail.
std::optional<Interleaved> interleaved(scalar::Arena&, const soac::Stm&, std::size_t axis,
                                       const InterleaveLimits&,
                                       const std::function<bool(scalar::Expr)>& is_known);

}  // namespace fulgurite::schedule
