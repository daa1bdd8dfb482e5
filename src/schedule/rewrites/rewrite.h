// Rewrites of statements for a schedule, as named values. Each takes legal Soacs, Sorts and Loops and gives
// legal ones, which is checked under its name and printed by FULGURITE_DUMP with it.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "soac/ir.h"

namespace fulgurite::schedule {

struct Rewrite {
  std::string_view name, description;
  /// A kernel computes the same without it. Bisection leaves out optional rewrites only.
  bool is_optional = false;
};

namespace rewrite {

extern const Rewrite lift;         // lift.h: lift_missing_neutral
extern const Rewrite holding;      // lift.h: holding_values
extern const Rewrite ascending;    // ascending.h: behind_first
extern const Rewrite narrow;       // ascending.h: narrow_indices
extern const Rewrite fission;      // fission.h: fission
extern const Rewrite inside;       // inside.h: inside, inside_loop
extern const Rewrite levels;       // levels.h: split_levels
extern const Rewrite order;        // by_order.h: split_by_order
extern const Rewrite pieces;       // splits.h: split
extern const Rewrite bin_posts;    // posts.h: post_bins
extern const Rewrite posts;        // posts.h: post_in_order
extern const Rewrite ranks;        // ranks.h: rank
extern const Rewrite divided;      // divided.h: divided
extern const Rewrite interleaved;  // interleaved.h: interleaved
extern const Rewrite digits;       // radix.h: by_digits
extern const Rewrite rows;         // radix.h: into_rows
extern const Rewrite segments;     // segments.h: by_segments
extern const Rewrite in_turn;      // segments_in_turn.h: walk_segments_in_turn
extern const Rewrite ragged_scan;  // ragged_scan.h: scan_long_rows
extern const Rewrite few_points;   // few_points.h: sorted_by_place
extern const Rewrite given;        // updates.h: without_reductions
extern const Rewrite row_parts;    // partial_rows.h: unfinished
extern const Rewrite joined;       // partial_rows.h: joined
extern const Rewrite atomics;      // operators.h: with_neutral_for_atomics
extern const Rewrite bytes;        // bytes.h: in_bytes

}  // namespace rewrite

/// All rewrites, in the order of their names.
std::span<const Rewrite* const> rewrites();

/// The statement that the rewrite made. Throws InternalError, which names the rewrite, if it is no legal one;
/// the names that it mentions and does not bind are its scope's.
soac::Stm made_by(const Rewrite&, scalar::Arena&, soac::Stm);

/// Whether an optional rewrite, which made `after` of `before`, is kept; absent: each is.
using KeepsRewrite = std::function<bool(const Rewrite&, const soac::Stm& before, const soac::Stm& after)>;

}  // namespace fulgurite::schedule
