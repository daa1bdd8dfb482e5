// Scalars of loops: values that no iteration changes are computed once.
#pragma once

#include "plan/plan.h"

namespace fulgurite::plan {

/// Constants, and computations of nothing that the loop assigns, stand before loops, constants of inner
/// loops before all around them. What may fail stays, and nothing moves out of branches.
Plan hoist_invariants(Plan);

}  // namespace fulgurite::plan
