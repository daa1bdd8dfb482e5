// Memory from liveness: where each array of a block lies among the bytes that the block shares, or has in
// global memory (the 2008 paper's liveness map, section 5).
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

/// Gives every shared array of each phase, and every global one, an offset, a multiple of 16. Arrays share
/// bytes where a Sync(block) stands between one's last use and the other's first: threads that run ahead
/// overwrite nothing that others still read. An array made in a loop lives in one round, one that the loop's
/// body gets from outside in all of them; a barrier in a loop or branch that may not run is none for what
/// stands outside. kernel::shared_bytes says how much a block takes.
extern const kernel::Pass lay_out;

}  // namespace fulgurite::tidy
