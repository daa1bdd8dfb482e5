// The schedule of a Soac statement for lanes of vectors: a CPU.
//
//   fill        the arrays of each scatter without an operator get their first contents
//   start       (one task) the values from which the first task of a chain goes on
//   fold        each tile: the partial results of the Scans, the points of each class of a partition
//   carry       (one task) the values from which each tile's Scans go on
//   count       (one task) where each tile's points of each class go
//   main        each tile: results are stored, reductions and bins hold partial results; Scans and
//               filters take turns where they can, instead of the phases before
//   columns     where reductions read along the map's last axis: rows are folded along all columns instead;
//   join columns: for each point the tasks' partial results of its rows, then the results
//   short rows  where rows are short: neighbouring lanes take neighbouring rows instead
//   partials    where rows are few and long: tasks share rows instead; rows: they are joined, and stored
//   store       scatters whose last value stays: few points, by one task; many: sort tiles, then store ranges
//   last        (one task) the reductions of all tiles, neighbours first
//   places      scatters with an operator: for each place what it held, then the bins of the tiles, in order
//
// Tiles are cut by sizes only, and everything is joined in the order of the points: results do not depend on
// the number of threads (reduce-then-scan; Blelloch, "Prefix sums and their applications", 1990).
#pragma once

#include "schedule/surroundings.h"

namespace fulgurite::schedule {

/// The schedule of a Soac statement outside of all others.
Launch decide_lanes(const Surroundings&, const soac::Stm&);

}  // namespace fulgurite::schedule
