// A combinator met in scalar code of a task.
#pragma once

#include "lower/launches.h"

namespace fulgurite::lower {

/// Lowers a Soac or Sort statement where the emitter stands, its whole space as vector loops, and binds its
/// names.
void inner_combinator(Launches&, const Emitter&, const soac::Stm&);

}  // namespace fulgurite::lower
