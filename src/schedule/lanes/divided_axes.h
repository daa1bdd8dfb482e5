// Maps whose points divide their index.
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

/// A version of all other phases, which are there. Where points read by quotients and remainders by small
/// constants, neighbours are one point (rewrites/interleaved.h); else, where rows of the divisor are long
/// enough, the axis is walked as rows and columns, and points divide nothing.
void add_divided_axes(Building&);

}  // namespace fulgurite::schedule
