// Tasks that take turns (kernel::InOrder) wait for each other, so that each of several machines would wait
// for the machine before it. unchain() splits such a phase into three: all tasks run up to their turn and
// leave what the turn needs; one task takes all turns; all tasks run again from their turn on. Operations and
// their order stay, and so do the bits of the results (Merrill, Garland: Single-pass parallel prefix scan
// with decoupled look-back, NVIDIA 2016, compares the two forms as chained scan and reduce-then-scan).
#pragma once

#include "distribute/distributed.h"

namespace fulgurite::distribute {

/// The kernel must not have been through vectorise. A phase is kept whole if its turns use anything of the
/// task but scalars.
Distributed unchain(kernel::Kernel);

}  // namespace fulgurite::distribute
