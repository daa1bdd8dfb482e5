// Phases that are no nests of axes (schedule::Skeleton), in scalar code of a task.
#pragma once

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

/// "start": element 0 of each array gets a value.
void start_chain(const Emitter&, const schedule::Launch&, const schedule::Phase&);
/// "carry": the partial results of tasks become what each task goes on from.
///
///   partial[t] = initial op partial[0] op ... op partial[t - 1]
void carry(const Emitter&, const schedule::Launch&, const schedule::Phase&);
/// "count": the counts of tasks become the places of their points.
void count(const Emitter&, const schedule::Launch&, const schedule::Phase&);
/// "join neighbours": the partial results of tasks become totals, element 0 of each array.
void join_partials(const Emitter&, const schedule::Launch&, const schedule::Phase&);
/// "join tiles": the partial results of a row's tiles, then the results of the map for this row.
void join_tiles(const Emitter&, const schedule::Launch&, const schedule::Phase&);
/// "store in order": points store one after the other.
void store_in_order(const Emitter&, const schedule::Launch&, const schedule::Phase&);
/// "sort tiles": the points of a tile by ranges of the destination. "store ranges": those of a range.
void sort_tiles(const Emitter&, const schedule::Launch&, const schedule::Phase&);
void store_ranges(const Emitter&, const schedule::Launch&, const schedule::Phase&);

/// What a phase's skeleton is, and its number of this name; 0: it has none.
const schedule::Skeleton& skeleton_of(const schedule::Phase&);
std::int64_t number_of(const schedule::Skeleton&, std::string_view name);

/// The indices of the point with this row-major number.
std::vector<Expr> indices_of(const Emitter&, std::span<const Expr> dims, Expr number);

}  // namespace fulgurite::walk::lanes
