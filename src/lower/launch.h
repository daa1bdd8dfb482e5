// A Soac of the program as a launch: its schedule is decided, and edited if that is asked for; then it is
// walked; then the plan gets its memory and the launch.
#pragma once

#include "lower/launches.h"
#include "schedule/rewrites/window_producers.h"

namespace fulgurite::lower {

/// The schedule as `Options::edit_schedule` changes it, checked; as it was decided if there is none.
schedule::Launch edited(const Launches&, schedule::Launch decided);

/// Appends the launch to the plan, with the memory of its results, and binds the names of the statement.
/// Arrays of producers are nowhere in memory.
void launch(Launches&, const soac::Stm&, const schedule::WindowProducers&);

}  // namespace fulgurite::lower
