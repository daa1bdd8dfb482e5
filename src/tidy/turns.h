// As many threads as most statements of a block have. A network whose columns have one thread for two
// elements ends with a statement of one for each, which copies the result: a block twice as large as it need
// be, half of which has nothing to do in all the columns, and a condition around each of them. Here the
// threads of such a statement take turns instead: thread t does what t did and then what t + n / 2 did.
//
// In: scalar kernel IR. Out: the same; only statements of loads, stores and values change.
#pragma once

#include "kernel/ir.h"

namespace fulgurite::tidy {

kernel::Kernel take_turns(kernel::Kernel);

}  // namespace fulgurite::tidy
