// Points that keep arrays and change them in loops: neighbouring lanes take neighbouring points, whose arrays
// lie beside each other in the task's memory, so that a step of all lanes reads and writes whole vectors.
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

/// The reason of a phase that a launch has only because it takes this way, or does not.
inline constexpr const char* why_lane_arrays =
    "version: where the arrays of a vector of points fit, and iterations are short, each lane keeps those of "
    "one (lane_array_bytes, lane_row)";

struct LaneArrays {
  /// Whether the launch takes this way, by sizes only; absent: it does not.
  Expr holds;
  /// One vector of lanes, as what they keep is many values.
  LaneLoops loops = {};
};
/// For a map whose points change arrays in loops, of sizes that are known outside, few elements in an
/// iteration, as many fill vectors by themselves. A loop takes as long as the lane that takes most
/// iterations. `otherwise`: where the launch takes another way; absent: nowhere.
LaneArrays lane_arrays_of(const Building&, Expr otherwise);
/// Its phase, "arrays in lanes".
void add_lane_arrays(Building&, const LaneArrays&);

}  // namespace fulgurite::schedule
