// Scatters with an operator in the code of a task: its own bins (schedule/lanes/bins.h).
#pragma once

#include "schedule/ir.h"
#include "walk/lanes/range.h"

namespace fulgurite::walk::lanes {

/// The walk over the points of a task of a phase that has bins, with everything else that the points make.
/// The task's bins hold the values of its points afterwards.
Ends walk_with_bins(const Emitter&, const schedule::Phase&, const Entry&);

}  // namespace fulgurite::walk::lanes
