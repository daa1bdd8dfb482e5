// Scans along an axis that lies outside of the one along which memory is contiguous (prefix sums down the
// columns of a matrix): the map of the lines and the Scans along them are one nest, whose vectors lie along
// the map's last axis while the Scans go from row to row. What they have at a row is an array with a value
// for each column, which stays in the first cache, and which tasks that share the rows hand on.
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

/// Whether the statement is walked so.
bool has_outer_scans(const Building&);
/// Makes the memory; adds the phases: "start" for tasks that take turns, and "main".
void add_outer_scans(Building&);

}  // namespace fulgurite::schedule
