// Which parameters a plan reads. It knows only the extents of the others, so that their elements need not be
// where the plan runs: unread components of composites, arrays that only say how many elements there are.
#pragma once

#include "plan/plan.h"

namespace fulgurite::plan {

/// Sets Param::is_read of each array: false where neither steps nor results take its elements.
void find_read_params(Plan&);

}  // namespace fulgurite::plan
