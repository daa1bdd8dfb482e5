// The threads of a block for a processor of vectors: each Par(block) becomes a loop over strips of as many
// instances as there are lanes. Barriers have no work left: a Par is done when the next begins. What only one
// instance at a time can do (an Atomic on memory of the block) makes a loop over single ones.
//
// In: scalar kernel IR with any number of instances. Out: the same with Par(block, lanes) only, ready for
// `vectorise`.
#pragma once

#include "kernel/ir.h"

namespace fulgurite::tidy {

/// `vector_bytes`: of the target's vectors; the widest element that a Par touches decides its lanes.
kernel::Kernel strips(kernel::Kernel, int vector_bytes);

}  // namespace fulgurite::tidy
