// How the space of a launch is cut into tasks: from sizes only, never from the number of threads.
#pragma once

#include "lower/block_loop.h"
#include "lower/launches.h"

namespace fulgurite::lower {

struct Grid {
  Expr rows, columns;  // of the space as loops see it
  Expr rows_per_task, columns_per_task;
  Expr tiles;  // tasks that share a row
  Expr tasks;
  std::int64_t most_points = 0;  // of a task; 0: not known
};

/// Whether tasks take runs of points in row-major order: a Scan, a partition, a scatter with an operator.
bool depends_on_order(const soac::Soac&);

/// Tiles of rows and columns, or whole rows.
Grid tiles_grid(Launches&, const soac::Soac&, const Policy&);
/// Runs of points; at least one. Few enough that what each has for itself (bins, counts) is no more than
/// there are points.
Grid points_grid(Launches&, const soac::Soac&, const Policy&);

/// The part of a tiles_grid() that one task covers.
Range tile_of(const Emitter& task, const Grid&, const Policy&);

}  // namespace fulgurite::lower
