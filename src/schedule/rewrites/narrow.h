// Indices that are converted from small integers: one comparison of 32 bits says whether they are inside.
#pragma once

#include "scalar/formula.h"

namespace fulgurite::schedule {

/// The integer that fits into an i32 and that the index (i64) is converted from; absent if there is none.
scalar::Expr narrow_index(scalar::Expr index);

/// is_inside() is 0 <= index < extent, for extent >= 0: one unsigned comparison of that integer, as an i32,
/// with narrow_extent().
scalar::Expr narrow_extent(scalar::Expr extent);
scalar::Expr is_inside(scalar::Expr i32_index, scalar::Expr narrow_extent);

}  // namespace fulgurite::schedule
