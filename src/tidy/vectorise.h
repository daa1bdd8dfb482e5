// Turns Par(block, n) into vectors of n lanes.
//
// In: scalar kernel IR. Out: the same kernel without Par(block); a value that differs between the instances
// carries lanes, one that does not stays a scalar. Conditions that differ become masks, loops whose trip
// count differs run while any lane is active, masked-off lanes touch no memory and fail nothing. An access
// whose index is affine in the instance number becomes a contiguous, reversed or strided one.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

extern const kernel::Pass vectorise;

}  // namespace fulgurite::tidy
