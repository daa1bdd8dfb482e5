// Maps whose results are symmetric matrices: covariances, distances of all pairs, products with the own
// transpose.
#pragma once

#include "soac/ir.h"

namespace fulgurite::soac {

/// Whether a map of one reduction gives the same, and fails in the same way, where its last two indices
/// change places: they have one extent, and what the reduction folds turns into itself.
bool is_symmetric(Arena&, const Soac& map);

}  // namespace fulgurite::soac
