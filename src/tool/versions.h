// What the versions of a launch do that the statement alone does not tell: reductions inside of points that
// they walk along an axis of its own, and how often tasks go through what they stage.
#pragma once

#include <vector>

#include "schedule/ir.h"

namespace fulgurite::tool {

/// Reductions inside of points whose points a phase takes as those of an axis, so that they are no loops in
/// the code of one element unless arrays are small.
std::vector<const soac::Stm*> reductions_along_axes(const schedule::Launch&);

/// How often tasks go through an array of which each stages what its points share (tiles of matrix products):
/// once for each piece of the axes that its elements do not depend on. Absent: no phase stages it.
scalar::Expr times_staged(const schedule::Launch&, scalar::Arena&, scalar::Var array);

}  // namespace fulgurite::tool
