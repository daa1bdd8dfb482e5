// Whole applications beside loops by hand.
#pragma once

#include "nests_rows.h"

namespace bench {

/// Rows, points and products: softmax to n bodies.
void add_applications(const Table&);
/// Grids, and matrices that change step by step.
void add_grids(const Table&);

}  // namespace bench
