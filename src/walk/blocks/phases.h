// A launch of blocks of threads as the phases of a kernel.
#pragma once

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk::blocks {

/// Stores to arrays go where the emitter says; to the launch's memory, and where it says nothing, they go to
/// the arrays themselves.
kernel::Block phases(const Emitter&, const schedule::Launch&);

}  // namespace fulgurite::walk::blocks
