// The code of a launch for lanes: all its phases in order. It sees the schedule and nothing else of what was
// decided.
#pragma once

#include "schedule/ir.h"
#include "walk/lanes/inner.h"

namespace fulgurite::walk::lanes {

/// What soac::Stm::nest of statements inside means while the code is made is kept in `nests`, which the
/// emitter's Outside::on_soac passes to inner().
kernel::Block phases(const Emitter&, const schedule::Launch&, Nests& nests);

}  // namespace fulgurite::walk::lanes
