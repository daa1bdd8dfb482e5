// Phases that are no nests of axes (schedule::Skeleton), in scalar code of a task.
#pragma once

#include "walk/phase.h"

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
/// "sort tiles": sorts a tile's points by ranges of the destination. "store ranges": stores a range's points.
void sort_tiles(const Emitter&, const schedule::Launch&, const schedule::Phase&);
void store_ranges(const Emitter&, const schedule::Launch&, const schedule::Phase&);

}  // namespace fulgurite::walk::lanes
