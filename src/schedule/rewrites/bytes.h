// Reductions of booleans that points of a map share operands of: in bytes, of which vectors have one for each
// lane on every processor, while masks of many lanes lie in no register of most.
#pragma once

#include "soac/ir.h"

namespace fulgurite::schedule {

/// The map with its reduction by a logical operation on bytes, 0 or 1; as it is if its function does not
/// begin with such a reduction, or if a point has a condition of its own, which depends on both of the last
/// axes.
soac::Stm in_bytes(scalar::Arena&, const soac::Stm& map);

}  // namespace fulgurite::schedule
