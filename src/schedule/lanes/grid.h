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
  /// Rows that share the cache lines which their points read across the columns: as many as a line has
  /// elements. 0: there is no such read.
  std::int64_t rows_in_line = 0;
  /// Where the rows that share cache lines lie along the outermost of three axes or more: `rows` is its
  /// extent, and there is a plane for each index of the axes between it and the columns. Absent: rows are
  /// pieces of all axes but the last.
  Expr planes = {}, planes_per_task = {};
};

/// Tiles of rows and columns, of the points of one axis, or of points that are rows. A tile has `points`
/// points; absent: as many as the loops say.
Grid tiles_grid(const Surroundings&, const soac::Soac&, const LaneLoops&, Expr points = {});
/// Tiles where loops inside of a point may be longer than costs assume: the longer the loops, the fewer
/// points a task has, in whole steps of lanes.
Grid map_grid(const Surroundings&, const soac::Soac&, const LaneLoops&);
/// Neighbouring points in their order; there is at least one task. Few enough that what each has for itself
/// (bins, counts) is no more than there are points.
Grid points_grid(const Surroundings&, const soac::Soac&, const LaneLoops&);

}  // namespace fulgurite::schedule
