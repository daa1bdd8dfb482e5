// The code of a launch for lanes: all its phases in order. Of all decisions it sees the schedule only.
#pragma once

#include "schedule/ir.h"
#include "walk/lanes/inner.h"

namespace fulgurite::walk::lanes {

/// While the code is made, `nests` says what soac::Stm::nest of inner statements means; the emitter's
/// Outside::on_soac passes it to inner().
kernel::Block phases(const Emitter&, const schedule::Launch&, Nests& nests);

}  // namespace fulgurite::walk::lanes
