// A Soac or Sort met in scalar code of a task.
#pragma once

#include "walk/lanes/range.h"

namespace fulgurite::walk::lanes {

/// How Soacs inside of others are walked: as the nest of the phase says (schedule::Inner), and statements
/// that walks themselves write as the machine and the policy say.
struct Nests {
  schedule::Lanes lanes;
  const schedule::Nest* phase = nullptr;  // of the phase whose code is made
};

/// Lowers the statement where the emitter stands, its whole space as vector loops, and binds its names. In
/// lanes: as a loop that all lanes go through together.
void inner(const Emitter&, const soac::Stm&, const Nests&);

}  // namespace fulgurite::walk::lanes
