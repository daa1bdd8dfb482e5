// Lanes that touch a short run of memory in another order than it lies there: one vector, or two neighbouring
// ones, and a permutation of their elements instead of one access for each lane. Loads that between them read
// all of the run, and stores that between them write all of it, each element once; nothing else is touched,
// so nothing outside of what the kernel accesses is.
//
// In: a kernel after vectorise. Out: the same.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

extern const kernel::Pass permutes;

}  // namespace fulgurite::tidy
