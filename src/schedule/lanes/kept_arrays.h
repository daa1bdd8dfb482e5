// Arrays of points that lanes can keep: arrays of a map whose points change arrays in loops, of sizes that do
// not differ, few elements in an iteration, as many fill vectors by themselves. Loops inside of an iteration
// that one point takes in scalar code make up for more.
#pragma once

#include "schedule/lanes/loops.h"
#include "soac/kept_arrays.h"

namespace fulgurite::schedule {

using KnownSizes = std::function<bool(std::span<const Expr>)>;
struct KeptByLanes : soac::KeptArrays {
  /// A few vectors side by side, as each step of a loop waits for the one before.
  LaneLoops loops;
  /// Whether iterations are short beside those of loops inside of them, and sums that round so short that one
  /// lane adds them up.
  Expr are_short;
  /// Whether a map of that many points takes these lanes, by sizes only.
  Expr suit(const soac::Soac&, const LanesPolicy&) const;
};
/// None: lanes cannot keep them.
std::optional<KeptByLanes> kept_by_lanes(scalar::Arena&, const soac::Soac&, const LaneLoops&, const Lanes&,
                                         const KnownSizes&);

/// Lanes for such a map inside of a point, where no array of its points has more than `rows_up_to` elements;
/// 0: nowhere.
struct InnerLaneArrays {
  LaneLoops loops = {};
  std::int64_t rows_up_to = 0;
};
InnerLaneArrays inner_lane_arrays(scalar::Arena&, const soac::Soac&, const LaneLoops&, const Lanes&);

}  // namespace fulgurite::schedule
