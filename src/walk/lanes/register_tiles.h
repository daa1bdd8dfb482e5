// Tiles of accumulators in registers, for rows that share operands.
#pragma once

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

/// A task of a nest that has an axis of the reduction inside of a map, and stages what the map's rows share.
///
///   for (from, in the depth of the task)
///     for (j = begin; j < end; j += lanes)                                  in lanes
///       panel[l - from, t] = operand(l, j + t)                              for l from `from` on
///       for (i = first row; ...; i += rows)
///         acc[r] = op(acc[r], body(i + r, l, j + t))                        for all l, r
///         part[i + r, j + t] = op(part[i + r, j + t], acc[r]), or the result where this was the last
/// Where there are fewer than `rows` rows left, the last one is computed as often as is needed.
void walk_register_tiles(const Emitter& task, const schedule::Phase&);

}  // namespace fulgurite::walk::lanes
