// Shared memory from liveness: where each shared array lies among the bytes of its block.
#pragma once

#include "kernel/ir.h"

namespace fulgurite::tidy {

/// Gives every shared array of each phase an offset, a multiple of 16. Arrays share bytes where one's last
/// use is behind a Sync(block) from the other's first: threads that run ahead overwrite nothing that others
/// still read. A statement of the task with all that is in it counts as one moment, so that a loop's arrays
/// lie apart from each other. kernel::shared_bytes says how much a block takes.
kernel::Kernel lay_out_shared(kernel::Kernel);

}  // namespace fulgurite::tidy
