// A combinator met in scalar code of a task.
#pragma once

#include "lower/launches.h"

namespace fulgurite::lower {

/// Lowers a Soac statement where the emitter stands, in the code of a thread, and binds its names.
void inner_combinator(Launches&, const Emitter&, const soac::Stm&);

}  // namespace fulgurite::lower
