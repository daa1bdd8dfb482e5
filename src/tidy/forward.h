// A thread need not load again what it just stored, and a shared array that nothing loads from is not needed.
//
// In: scalar kernel IR whose Par(block) statements have been joined (barriers.h). Out: the same.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

extern const kernel::Pass forward;

}  // namespace fulgurite::tidy
