// Few and long rows (sums of the rows of a wide matrix): tasks share a row. The regular segmented reduction
// on two levels (Henriksen, Larsen, Oancea, "Strategies for regular segmented reductions on GPU", 2017).
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

/// The reason of a phase that a launch has only because it takes this way, or does not.
inline constexpr const char* why_shared =
    "version: tasks share rows where these are few and long, so that no core is idle (few_rows, "
    "long_row_tiles)";

/// A map whose function is one reduction over a space that the host knows and that does not depend on the
/// point, and scalars.
struct LongRows {
  /// Whether the launch takes this way, by sizes only; absent: it does not. `are_few` is that as an i64.
  Expr holds, are_few;
  Expr rows, columns, tile, tiles;
  std::vector<Var> partials;
};
/// Decides it, and makes the memory. `otherwise`: where the launch takes another way; absent: nowhere.
LongRows long_rows_of(Building&, Expr otherwise);
/// Its phases: "partials" of the tiles of each row; "rows": the partial results of each row joined in order,
/// then the results of the map.
void add_long_rows(Building&, const LongRows&);

}  // namespace fulgurite::schedule
