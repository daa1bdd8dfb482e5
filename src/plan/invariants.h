// Scalars of loops: what is the same in every iteration is computed once.
#pragma once

#include "plan/plan.h"

namespace fulgurite::plan {

/// Constants, and computations of nothing that the loop assigns, stand in front of loops, those of inner
/// loops in front of all around them. Not what fails, and not out of branches.
Plan hoist_invariants(Plan);

}  // namespace fulgurite::plan
