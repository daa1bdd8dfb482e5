// Extents of arrays that a loop carries and every iteration leaves as they were. They are decided for all of
// a loop's extents together, as arrays may change places, and through the branches and loops of an iteration,
// whose results have extents of their own.
#pragma once

#include <unordered_map>

#include "soac/ir.h"
#include "trace/tracer.h"

namespace fulgurite::trace {

/// Names, and what they are equal to.
using Known = std::unordered_map<Var, Expr>;

struct KeptExtents {
  /// The extents that are kept, absent elsewhere.
  Exprs known;
  /// Results of branches, and states and results of loops, of an iteration that are always one of these.
  Known inner;
};
/// `initial`: what the loop's state begins with where it is an extent, absent elsewhere; the body's
/// parameters from `first_param` on are the state.
KeptExtents kept_extents(Tracer&, Exprs initial, const soac::Lambda& body, std::size_t first_param);

/// Branches and loops do not give these names any more.
void drop(std::vector<soac::Stm>& body, const Known& names);

}  // namespace fulgurite::trace
