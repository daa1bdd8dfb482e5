// Folds of windows: at each point of a map the elements around it are reduced (convolutions, moving sums), so
// that points share what they read. Lanes lie along the map's last axis, and as many vectors of results as
// there are registers for go through the reduction together: each weight is fetched once for all of them, and
// elements are read where they lie. This is unroll-and-jam of the map into the reduction.
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

/// The reason of a phase that a launch has only because it takes this way, or does not.
inline constexpr const char* why_windows =
    "version: neighbouring points read neighbouring elements, so that vectors of them are reduced together "
    "(window_least_columns, window_most_points, window_stride)";

struct WindowFolds {
  /// Whether the launch takes this way, by sizes only; absent: it does not. Whether windows are so long that
  /// each axis has accumulators of its own.
  Expr holds, are_wide;
  LaneLoops loops;
  Grid grid;
};
/// Decides it, where `otherwise` does not hold, for a map of reductions all of whose reads are the same for
/// neighbouring points or, along the map's last axis, of elements a small constant apart (window_stride).
WindowFolds window_folds_of(const Building&, Expr otherwise);
/// Its phases, "windows" and "wide windows".
void add_window_folds(Building&, const WindowFolds&);

}  // namespace fulgurite::schedule
