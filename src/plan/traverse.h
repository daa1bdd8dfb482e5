// The one traversal of a plan's steps.
#pragma once

#include <functional>

#include "plan/plan.h"

namespace fulgurite::plan {

/// Every step's action in order; the steps of branches and loops come after the step that they stand in.
void for_each_step(const Steps&, const std::function<void(const Action&)>& visit);

}  // namespace fulgurite::plan
