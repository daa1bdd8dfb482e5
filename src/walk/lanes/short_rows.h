// Reductions of rows met in scalar code: most rows of ragged arrays are so short that starting and joining
// several vectors of accumulators takes longer than the row.
#pragma once

#include "walk/lanes/range.h"

namespace fulgurite::walk::lanes {

/// A statement that is nothing but commutative reductions over one axis, range.begin to range.end, which are
/// in 0 .. 2^30, in vectors with as many lanes as the cut has points:
///
///   Par(block, lanes) t {
///     for (j = begin; j < whole; j += lanes) acc = op(acc, body(j + t))
///     if (whole < end) if (whole + t < end) acc = op(acc, body(whole + t))
///     shared[t] = acc
///   }
/// where the remainder takes narrower vectors, accumulators of the first lanes, if the cut says so;
///   for (w = lanes / 2; w > 0; w /= 2) Par(block, w) t { shared[t] = op(shared[t], shared[t + w]) }
std::vector<Expr> reduce_short_row(const Emitter&, const soac::Stm&, const Range&, const schedule::Cut&);

}  // namespace fulgurite::walk::lanes
