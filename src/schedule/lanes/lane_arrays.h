// Points that keep arrays and change them in loops: neighbouring lanes take neighbouring points, whose arrays
// lie beside each other in the task's memory, so that a step of all lanes reads and writes whole vectors.
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

/// Of a phase that this way has and the other one has not, or the other way round.
inline constexpr const char* why_lane_arrays =
    "version: where the arrays of a vector of points fit, each lane keeps those of one (lane_array_bytes)";

/// Where the launch takes this way, by sizes only: a map whose points loop over arrays that they keep, each
/// as often and over as many elements as the others do; absent: it does not. `otherwise`: where it takes
/// another way; absent: nowhere.
Expr lane_arrays_of(Building&, Expr otherwise);
/// Its phase, "arrays in lanes".
void add_lane_arrays(Building&, Expr holds);

}  // namespace fulgurite::schedule
