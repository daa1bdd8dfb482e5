// What a walk over the points of a Soac begins and ends with.
#pragma once

#include "schedule/lanes/loops.h"
#include "walk/points.h"

namespace fulgurite::walk::lanes {

class ScanRuns;

/// The part of a space that a task covers: rows [first_row, last_row) of the outer axes (row-major), columns
/// [begin, end) of the innermost; or the points [begin, end) in row-major order.
struct Range {
  Expr first_row, last_row;  // absent: one row (rank 1), or points
  Expr begin, end;
  bool is_points = false;
  bool in_tile = false;    // of a power of two columns, begun at a multiple of it
  bool is_aligned = true;  // the first column begins a cache line of what is stored
  bool is_row = false;     // one of many, of a Soac inside of another one
  /// Rows are those of the outermost axis, in each of these planes of the axes between it and the columns.
  /// Absent: there are no such planes.
  Expr first_plane = {}, last_plane = {};
};

/// What a walk starts with.
struct Entry {
  Running::Groups scans = {};  // the values that the Scans of the body go on from
  std::vector<Running::Cursor> partitions = {};
  Expr per_task = {};           // points: tasks take turns, and read ahead (ahead.h)
  ScanRuns* scanned = nullptr;  // what the Scans have of the range already
};
/// What it ends with, as names in scalar code: the value of every reduction component over the range (without
/// `initial`), what the Scans go on with after it, and the partitions' `next`.
struct Ends {
  std::vector<Expr> totals;
  Running::Groups scans;
  std::vector<std::vector<Expr>> partitions;
};

/// The nest of a walk, and how its splits are found again.
struct Plan {
  const schedule::Nest& nest;
  /// The statement has other names than the one that the nest was decided for: splits are counted.
  bool is_renamed = false;
};

/// The code of one task over `range` as its nest says, the emitter standing in scalar code. Mapped, scattered
/// and partitioned values go to their destinations.
///
///   Par(block, lanes) t { shared[t] = neutral }                    for a commutative operator
///   for (row) {
///     Par(block, lanes) t { for (j = begin; j < main; j += lanes) shared[t] = op(shared[t], body(row, j +
///     t)) } Par(block, tail_lanes) t { the points from main on, where j + t < end }
///   }
///   for (w = lanes / 2; w > 0; w /= 2) Par(block, w) t { shared[t] = op(shared[t], shared[t + w]) }
/// What depends on the order of the points (an operator that does not commute, a Scan, an operator of a
/// scatter, a partition whose cursor does not pack) is done by a scalar loop; where that is only operators,
/// as much as can be in runs of the lanes (runs.h), apart from what else the points make.
Ends walk_range(const Emitter&, const soac::Stm&, const Range&, const Plan&, const Entry& = {});

}  // namespace fulgurite::walk::lanes
