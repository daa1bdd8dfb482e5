// Runs of memory that a loop transposes anew in each of its rounds, as where each lane compares its own row
// with all rows of a table.
//
// In: vectorised kernel IR with Transposes. Out: the same where a Transpose that stands in a loop, or in a
// loop in it over the pieces of a run, and that reads the same in each round of the outer loop, stands
// before it. Its vectors stay in memory of the task, which is small enough for the first cache: of long
// runs the first pieces. What is read anyway is read once; a loop without rounds reads nothing.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

extern const kernel::Pass keep_runs;

}  // namespace fulgurite::tidy
