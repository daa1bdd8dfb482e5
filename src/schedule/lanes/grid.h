// How the space of a launch is cut into tasks on a CPU: from sizes only, never from the number of threads.
#pragma once

#include "schedule/lanes/loops.h"

namespace fulgurite::schedule {

struct Grid {
  /// Extents of the space as loops see it. `rows` is absent where it is one axis.
  Expr rows, columns;
  Expr rows_per_task, columns_per_task;
  /// Points of a task, if they are known to be no more; 0: they are not known.
  std::int64_t most_points = 0;
  /// Tasks have as many rows as share the cache lines that their points read across the columns.
  bool reads_across = false;
};

/// Of a phase whose grid has such tasks.
inline constexpr const char* why_across =
    "tasks: rows that share the cache lines which they read across the columns, two lines of elements, and "
    "columns for a tile of points";

/// Tiles of rows and columns, of the points of one axis, or of points that are rows.
Grid tiles_grid(const Surroundings&, const soac::Soac&, const LaneLoops&);
/// Neighbouring points in their order; there is at least one task. Few enough that what each has for itself
/// (bins, counts) is no more than there are points.
Grid points_grid(const Surroundings&, const soac::Soac&, const LaneLoops&);

}  // namespace fulgurite::schedule
