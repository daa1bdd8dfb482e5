// The threads of a block for a processor of vectors: each Par(block) becomes a loop over strips of as many
// instances as there are lanes. Barriers have no work left: a Par is done when the next begins. What only one
// instance at a time can do (an Atomic on memory of the block) makes a loop over single ones.
//
// In: scalar kernel IR with any number of instances. Out: the same with Par(block, lanes) only, ready for
// `vectorise`.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

/// The widest element that a Par touches decides its lanes (PassOptions::vector_bytes).
extern const kernel::Pass strips;

}  // namespace fulgurite::tidy
