// A launch of blocks of threads as the phases of a kernel.
#pragma once

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk::blocks {

/// What the code stores to arrays of the launch goes where the emitter says; to its memory, and to arrays
/// that it says nothing about, just so.
kernel::Block phases(const Emitter&, const schedule::Launch&);

}  // namespace fulgurite::walk::blocks
