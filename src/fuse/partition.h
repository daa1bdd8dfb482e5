// Fusion into and through a filter: what runs over the elements that a Partition of one class keeps can run
// in the Soac that keeps them, at the points that are kept (scan, map and scatter in one pass). Mapped
// results become further values of the partition, reductions get their neutral elements where a point is not
// kept, a further filter drops what the first one drops.
#pragma once

#include <optional>

#include "soac/ir.h"

namespace fulgurite::fuse {

/// Whether `reader` can run in the Soac that `keeper` is. Not if its space is not what the keeper keeps, if
/// it uses more of the keeper than kept elements at its own index, or has a Scan or a reduction without a
/// neutral element.
bool fits_partition(scalar::Arena&, const soac::Stm& keeper, const soac::Stm& reader);
/// `reader`, which fits, in the Soac that `keeper` is.
soac::Stm into_partition(scalar::Arena&, const soac::Stm& keeper, const soac::Stm& reader);

}  // namespace fulgurite::fuse
