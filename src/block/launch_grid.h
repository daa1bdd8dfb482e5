// How many blocks a launch of a kernel that is being recorded has, and how they lie. All that is dealt to the
// blocks has as many parts, which the launch checks.
#pragma once

#include "block/inputs.h"

namespace fulgurite::detail::block {

/// Counts the blocks that the arguments ask for.
void count_blocks(Recorder&, const Inputs&);
/// Counts `blocks` blocks, as `what` has this many parts.
void count_blocks(Recorder&, const Inputs&, Expr blocks, const std::string& what);

}  // namespace fulgurite::detail::block
