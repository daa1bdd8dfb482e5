// Maps whose points divide their index.
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

/// A version of all other phases, which are there: where rows of the divisor are long enough, the axis is
/// walked as rows and columns, and points divide nothing.
void add_divided_axes(Building&);

}  // namespace fulgurite::schedule
