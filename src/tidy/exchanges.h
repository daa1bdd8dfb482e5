// Shuffles for a processor whose threads take turns: a Par(block) ends where its instances exchange values,
// and another one begins. What they exchange, and what an instance keeps over it, is in arrays of the block;
// numbers that follow from the instance's own are computed again.
//
// In: scalar kernel IR. Out: the same without Shuffle; there are no barriers between the new statements,
// which `strips` needs none of.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

extern const kernel::Pass exchanges;

}  // namespace fulgurite::tidy
