// A Soac inside of what a thread computes.
#pragma once

#include "walk/emitter.h"

namespace fulgurite::walk::blocks {

/// Lowers the statement where the emitter stands and binds its names: the thread walks its points one by one.
void inner(const Emitter&, const soac::Stm&);

}  // namespace fulgurite::walk::blocks
