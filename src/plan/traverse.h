// The one traversal of a plan's steps.
#pragma once

#include <functional>

#include "plan/plan.h"

namespace fulgurite::plan {

/// Every step's action, those of branches and loops after the one that they stand in, in their order.
void for_each_step(const Steps&, const std::function<void(const Action&)>& visit);

}  // namespace fulgurite::plan
