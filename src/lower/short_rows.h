// Reductions of rows met in scalar code: most rows of ragged arrays are so short that starting and joining
// several vectors of accumulators takes longer than the row.
#pragma once

#include "lower/block_loop.h"

namespace fulgurite::lower {

/// block_loop() for a statement that is nothing but reductions over one axis, range.begin to range.end:
///
///   if (the row is short) {
///     Par(block, tail_lanes) t {
///       for (j = begin; j < end; j += tail_lanes) if (j + t < end) acc = op(acc, body(j + t))
///       shared[t] = acc
///     }
///     for (w = tail_lanes / 2; w > 0; w /= 2) Par(block, w) t { shared[t] = op(shared[t], shared[t + w]) }
///   } else block_loop
bool is_row(const soac::Soac&, const Policy&);
std::vector<Expr> reduce_row(Emitter&, const soac::Stm&, const Range&, const Policy&);

}  // namespace fulgurite::lower
