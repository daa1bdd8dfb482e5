// Folds along an axis that lies outside of the one along which lanes lie: rows are folded along all columns.
#pragma once

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

/// A task of a nest that has an axis of the reduction inside of a map: partial results of its rows, an
/// element of each array for each of its columns.
///
///   for (rows from, that go together)
///     for (j = begin; j < end; j += lanes)                           in lanes
///       acc = neutral; for (i = from; ...) acc = op(acc, body(i, j + t)); part[j + t] = op(part[j + t], acc)
/// where the rows are folded in chains of chains, as the nest's cuts of them for loops say: pieces of the
/// first cut go through all columns together; the others are within a lane.
void walk_outer_folds(const Emitter& task, const schedule::Phase&);

/// "join columns": joins the tasks' partial results of neighbouring points, then computes the map's results.
void join_columns(const Emitter&, const schedule::Launch&, const schedule::Phase&);

}  // namespace fulgurite::walk::lanes
