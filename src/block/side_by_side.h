// The statements of two components that act on disjoint data (`two` on parts of different sizes), with
// barriers in common: a block waits as often as the longer of them asks for.
#pragma once

#include "kernel/ir.h"

namespace fulgurite::block {

/// The statements between two barriers of `first`, then those between two of `second`, then one barrier.
/// Barriers in loops and branches stay where they are. `second` may use what `first` computes outside of its
/// threads.
kernel::Block side_by_side(kernel::Block first, kernel::Block second);

}  // namespace fulgurite::block
