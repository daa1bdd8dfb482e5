// Reading ahead: tasks that take turns (folding.h) find their points in memory one after the other, each
// thread in leaps that no processor foresees. While it walks one run of points, it asks for those of its
// next.
#pragma once

#include "soac/ir.h"

namespace fulgurite::walk::lanes {

/// The arrays of which each point reads the element of its own number.
std::vector<scalar::Var> read_in_step(const soac::Soac&, bool is_linear);

}  // namespace fulgurite::walk::lanes
