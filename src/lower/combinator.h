// A Soac of the host program as one launch of several phases.
#pragma once

#include "lower/launches.h"

namespace fulgurite::lower {

/// Appends the launch to the plan, with the memory of what it makes, and binds the names of the statement.
///
///   fill     the arrays of each scatter without an operator get what they hold before
///   start    (one task) what the first tile of a chain goes on from
///   fold     each tile of points: the partial results of the Scans, the points of each class of a partition
///   carry    (one task) what every tile's Scans go on from, where each tile's points of each class go
///   main     each tile: results are stored, reductions and private bins hold partial results; Scans fold
///            and filters pack first and then take turns instead of those phases, where they can (folding.h)
///            or, where rows are few and long, tasks that share rows (long_rows.h)
///   last     (one task) the reductions of all tiles, in order
///   places   the scatters with an operator: for each place what it held, then the bins of the tiles, in
///   order
/// Tiles are cut by sizes only, and everything is joined in the order of the points: results do not depend on
/// the number of threads (reduce-then-scan; Blelloch, "Prefix sums and their applications", 1990).
void combinator(Launches&, const soac::Stm&);

}  // namespace fulgurite::lower
