// Scans along an axis that lies outside of the one along which lanes lie: a row goes on from what all rows
// before it have, an array with a value for each column.
#pragma once

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

/// A task of a nest that has an axis of Scans inside of a map, some rows of some columns:
///
///   for (rows ...) for (j ...) so_far[j] = op(so_far[j], operand(i, j))          where tasks share the rows
///   in turn: exchange so_far[j] with what all rows before have, which goes on with both
///   for (rows ...) for (j ...) { so_far[j] = op(so_far[j], operand(i, j)); y[i, j] = body(so_far[j], i, j) }
/// with vectors of columns. Rows that go together, as the nest's cuts of them for a loop say, are walked
/// within a lane.
void walk_outer_scans(const Emitter& task, const schedule::Launch&, const schedule::Phase&);

}  // namespace fulgurite::walk::lanes
