// Reductions behind their first point.
//
// Many keep the index of a point: the first of the largest elements, the last one that holds. A lane takes
// its points in ascending order, so that of two points' indices the right one is always the greater. What an
// operator asks about two indices, as most do to break ties, is decided then.
#pragma once

#include <optional>

#include "soac/ir.h"

namespace fulgurite::lower {

/// A Soac as it is for all points of an ascending walk over the innermost axis but the first, where every
/// reduction has the value of a point: operators know that (holding_values()), and, in a Soac of reductions
/// alone, such questions are answered. Nothing if that changes nothing. A component is known to ascend if its
/// operand is the index and the operator gives one of the two; `in_tile`: the walk stays in a tile of a power
/// of two points, so that an index that is cast to a smaller kind ascends too.
std::optional<soac::Stm> behind_first(scalar::Arena&, const soac::Stm&, bool in_tile);

}  // namespace fulgurite::lower
