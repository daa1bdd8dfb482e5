// Nests of blocks of threads, of which a phase has one.
#pragma once

#include "schedule/blocks/crosswise.h"
#include "schedule/blocks/points.h"
#include "schedule/blocks/windows.h"

namespace fulgurite::schedule {

/// A walk over all points in their order. `per_block`: how many a block takes; absent: one block takes all.
/// What threads have of reductions and Scans is joined; how blocks do is for the caller to add.
Nest nest_over_points(const Surroundings&, const soac::Soac&, const Points&, Expr per_block,
                      Unit unit = Unit::grid);
/// Strips of a space whose points read around them.
Nest nest_over_strips(const Surroundings&, const soac::Soac&, const Windows&);
/// Square tiles of the last axis and the one that a map reads along where it writes along the last.
Nest nest_over_tiles(const Surroundings&, const soac::Soac&, const Crosswise&);

/// The part of a nest that combines an output; added if there is none.
Combine& combine_in(Nest&, Combine::Part, std::size_t which);
/// What blocks have of an output goes to `memory`.
void add_grid_level(Nest&, Combine::Part, std::size_t which, Join, std::vector<Var> memory);

/// How many points a block takes of `n`, a multiple of its threads: at least points.points; more where there
/// are at most this many blocks. `resident`: how many run at once, if that counts. `own`: elements that each
/// block has for itself, 0 if none.
Expr points_of_a_block(const Surroundings&, Expr n, const Points&, Expr resident, Expr own);

}  // namespace fulgurite::schedule
