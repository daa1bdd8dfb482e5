// Reading ahead: tasks that take turns (folding.h) find their points in memory one after the other, each
// thread in leaps that no processor predicts. While it walks one run of points, it fetches the points of its
// next run.
#pragma once

#include "soac/ir.h"

namespace fulgurite::walk::lanes {

/// The arrays of which each point reads the element of its own number.
std::vector<scalar::Var> read_in_step(const soac::Soac&, bool is_linear);

}  // namespace fulgurite::walk::lanes
