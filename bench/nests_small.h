// Batches of small matrices, whose extents are known while tracing, beside loops by hand.
#pragma once

#include "nests_rows.h"

namespace bench {

void add_small(const Table&);

}  // namespace bench
