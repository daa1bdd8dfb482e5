// A Soac of the program as a launch: how it is walked is decided, and edited if somebody asks for that; then
// walked; then the plan gets its memory and the launch.
#pragma once

#include "lower/launches.h"
#include "schedule/rewrites/window_producers.h"

namespace fulgurite::lower {

/// Appends the launch to the plan, with the memory of what it makes, and binds the names of the statement.
/// What producers compute is nowhere in memory.
void launch(Launches&, const soac::Stm&, const schedule::WindowProducers&);

}  // namespace fulgurite::lower
