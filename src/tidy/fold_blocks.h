// Blocks of more threads than a device has, or the user states: a thread does what several would. The
// instances of a Par(block) do not wait for each other, so instances that are `most` apart may come one
// after the other; barriers between Par statements order what they did. Instances of one warp stay together
// if `most` is a multiple of a warp's lanes, or no more than they are; else barriers of warps become barriers
// of the block.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

/// Every Par(block) of more than `most` instances becomes a loop of the block over Par(block) of `most`, and
/// one Par(block) of the rest. `most` is PassOptions::threads, or as many as any device has. Before
/// vectorise.
extern const kernel::Pass fold_blocks;

/// Barriers of a warp become barriers of the block, if folding to PassOptions::threads
/// would give the warp's instances to threads of different warps.
extern const kernel::Pass without_split_warps;

}  // namespace fulgurite::tidy
