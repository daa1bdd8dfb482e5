// Shuffles for a processor whose threads take turns: a Par(block) ends where its instances exchange values,
// and another one begins. Exchanged values, and values that an instance keeps meanwhile, are in arrays of the
// block; numbers that follow from the instance's number are computed again.
//
// In: scalar kernel IR. Out: the same without Shuffle; there are no barriers between the new statements,
// which `strips` needs none of.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

extern const kernel::Pass exchanges;

}  // namespace fulgurite::tidy
