// Blocks of more threads than a device has: a thread does what several would. The instances of a Par(block)
// do not wait for each other, so that those which are `most` apart may come one after the other; barriers
// between Par statements order what they did. Instances of one warp stay together.
#pragma once

#include "kernel/ir.h"

namespace fulgurite::tidy {

/// Every Par(block) of more than `most` instances, a multiple of a warp's, becomes a loop of the block over
/// Par(block) of `most`, and one of what is left. Before `vectorise`.
kernel::Kernel fold_blocks(kernel::Kernel, std::int64_t most);

}  // namespace fulgurite::tidy
