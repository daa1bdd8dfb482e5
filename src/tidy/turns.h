// As many threads as most statements of a block have, or as the user states. A network whose columns have one
// thread for k elements ends with a statement of one for each, which copies the result: a block k times as
// large as it need be, most of which has nothing to do in all the columns, and a condition around each of
// them. Here the threads of such a statement take turns instead: of n threads, thread t does what t did, then
// what t + n did, then t + 2n ...
//
// In: scalar kernel IR. Out: the same; only statements of loads, stores and values change.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

/// PassOptions::threads absent: as many threads as most statements have. Else at most that many in statements
/// without branches and loops, if that is a few turns; the others are left to fold_blocks.
extern const kernel::Pass take_turns;

}  // namespace fulgurite::tidy
