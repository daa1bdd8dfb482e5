// Short rows (sums of the rows of a narrow matrix): neighbouring lanes take neighbouring rows, each of which
// a lane walks by itself, instead of one row after the other in vectors of its own.
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

/// The reason of a phase that a launch has only because it takes this way, or does not.
inline constexpr const char* why_lane_rows =
    "version: where rows are short, each lane takes one (lane_row, fold_chain)";

/// Where the launch takes this way, by sizes only: a map whose points are rows otherwise, and make no arrays;
/// absent: it does not. `otherwise`: where it takes another way; absent: nowhere.
Expr lane_rows_of(Building&, Expr otherwise);
/// Its phase, "short rows". `is_rare`: another version takes most sizes.
void add_lane_rows(Building&, Expr holds, bool is_rare);

}  // namespace fulgurite::schedule
