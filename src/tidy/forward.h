// What a thread has just stored it need not load again; a shared array that nobody loads from need not be.
//
// In: scalar kernel IR whose Par(block) statements have been joined (barriers.h). Out: the same.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

extern const kernel::Pass forward;

}  // namespace fulgurite::tidy
