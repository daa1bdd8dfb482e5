// Loops of a lane over its own row: the lanes read, in step, runs of memory that lie side by side or far
// apart.
#pragma once

#include "schedule/lanes/loops.h"

namespace fulgurite::schedule {

/// The nests of the reductions inside of a Soac whose points lie in lanes: reductions that read along their
/// own axis take some points together, which the kernel loads from each run as one piece and transposes in
/// registers.
std::vector<Inner> in_lane(scalar::Arena&, const soac::Soac&, const Lanes&);

}  // namespace fulgurite::schedule
