// Memory plan: every array is released right after the last step that uses it, so that the pool hands its
// block to the next one.
#pragma once

#include "plan/plan.h"

namespace fulgurite::plan {

/// In: a plan without Release steps for intermediate arrays. Out: the same with one after each last use;
/// results and parameters are kept.
Plan release_after_last_use(Plan);

}  // namespace fulgurite::plan
