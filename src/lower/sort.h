// Sorts: by digits, as partitions (schedule/rewrites/radix.h); on a CPU, where there are many elements, as
// rows that fit into a core's cache, each sorted by one task.
#pragma once

#include "lower/launches.h"

namespace fulgurite::lower {

/// Appends the sort's launches to the plan and binds the names of the statement.
void sort(Launches&, const soac::Stm&, const soac::Sort&, const LowerBody&);

}  // namespace fulgurite::lower
