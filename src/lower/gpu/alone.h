// A combinator inside of what a thread computes: the thread walks its points one by one.
#pragma once

#include "walk/lanes/range.h"

namespace fulgurite::lower::gpu {

using scalar::Expr;
using walk::Emitter, walk::Running, walk::lanes::Ends, walk::lanes::Entry;

/// Lowers the walk over the whole space. Every Scan of the body goes on from entry.scans; the partitions'
/// cursors do not pack.
Ends walk_alone(const Emitter&, const soac::Stm&, const Entry&);

}  // namespace fulgurite::lower::gpu
