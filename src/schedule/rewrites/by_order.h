// Reductions that are folded in the order of the points, apart from what else the points make.
#pragma once

#include "soac/ir.h"

namespace fulgurite::schedule {

/// Whether a Soac's reductions may be folded in runs of neighbouring points by lanes: nothing else depends on
/// the order of the points, and lanes can evaluate them.
bool folds_in_runs(const soac::Soac&);

/// Whether tasks take neighbouring points in their order: a Scan, a partition, a scatter with an operator.
bool depends_on_order(const soac::Soac&);
/// Whether a task takes its points one by one in scalar code, even if its partitions pack.
bool is_in_order(const soac::Soac&);
/// Whether that is only so because its points make arrays, which lanes can keep (lane_arrays.h).
bool lanes_keep_arrays(const soac::Soac&);
/// Whether lanes can take neighbouring points, and keep what arrays they make.
bool suits_lanes(const soac::Soac&);

/// A Soac's reductions that do not commute, and everything else that it makes, as statements of their own
/// over the same points.
struct ByOrder {
  soac::Stm in_order, in_any_order;
};
ByOrder split_by_order(scalar::Arena&, const soac::Stm&);

}  // namespace fulgurite::schedule
