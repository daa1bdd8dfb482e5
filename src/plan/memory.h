// Memory plan: every array is released as soon as nothing reads it any more, so that the pool hands its block
// to the next one.
#pragma once

#include "plan/plan.h"

namespace fulgurite::plan {

/// In: a plan without Release steps. Out: the same with one after each last use, on every path; results and
/// parameters are kept. Reuse steps know whether they are the last use.
Plan release_after_last_use(Plan);

}  // namespace fulgurite::plan
