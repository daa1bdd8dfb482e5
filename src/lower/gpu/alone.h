// A combinator inside of what a thread computes: the thread walks its points one by one.
#pragma once

#include "lower/block_loop.h"

namespace fulgurite::lower::gpu {

/// Lowers the walk over the whole space. Every Scan of the body goes on from entry.scans; the partitions'
/// cursors do not pack.
Ends walk_alone(const Emitter&, const soac::Stm&, const Entry&);

}  // namespace fulgurite::lower::gpu
