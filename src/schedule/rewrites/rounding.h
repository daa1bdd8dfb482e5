// Which reductions round: errors of their sums grow with the length of the chains in which they are added.
#pragma once

#include "soac/ir.h"

namespace fulgurite::schedule {

/// Whether the operator makes floats that are none of its operands. An arg-max, say, only chooses.
bool rounds(const soac::Reduction&);
/// Whether one of the Soac's reductions rounds.
bool any_rounds(const soac::Soac&);

}  // namespace fulgurite::schedule
