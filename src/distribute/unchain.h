// Tasks that take turns (kernel::InOrder) wait for each other, and of several machines each would wait for
// the one before. unchain() makes three phases of such a phase: all tasks up to their turn, which leave what
// the turn needs; one task that takes all turns; all tasks again, from their turn on. The same operations in
// the same order, and so the same bits (Merrill, Garland: Single-pass parallel prefix scan with decoupled
// look-back, NVIDIA 2016, compares the two forms as chained scan and reduce-then-scan).
#pragma once

#include "distribute/distributed.h"

namespace fulgurite::distribute {

/// Takes a kernel before vectorise. Phases whose turns work on more than scalars of the task stay as they
/// are.
Distributed unchain(kernel::Kernel);

}  // namespace fulgurite::distribute
