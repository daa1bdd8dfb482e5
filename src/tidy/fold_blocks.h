// Blocks of more threads than a device has, or the user states: a thread does what several would. The
// instances of a Par(block) do not wait for each other, so that those which are `most` apart may come one
// after the other; barriers between Par statements order what they did. Instances of one warp stay together
// if `most` is a multiple of a warp's lanes, or no more than they are; else barriers of warps become those of
// the block.
#pragma once

#include "kernel/ir.h"

namespace fulgurite::tidy {

/// Every Par(block) of more than `most` instances becomes a loop of the block over
/// Par(block) of `most`, and one of what is left. Before `vectorise`.
kernel::Kernel fold_blocks(kernel::Kernel, std::int64_t most);

/// What the instances of a warp wait at becomes a barrier of the block, if folding to `most` would give them
/// to threads of different warps.
kernel::Kernel without_split_warps(kernel::Kernel, std::int64_t most);

}  // namespace fulgurite::tidy
