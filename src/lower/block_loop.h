// A combinator as the loops of one task: lanes of Par(block) walk the innermost axis, everything outside is
// scalar code.
#pragma once

#include "lower/emitter.h"

namespace fulgurite::lower {

/// The part of a space that a task covers: rows [first_row, last_row) of the outer axes (row-major), columns
/// [begin, end) of the innermost.
struct Range {
  Expr first_row, last_row;  // absent: one row (rank 1)
  Expr begin, end;
};

/// Lowers a Soac statement over `range` with the emitter standing in scalar code of a task. Mapped results go
/// to their destinations; the result is the value of every reduction component over the range (without
/// `initial`), as names in scalar code.
///
///   Par(block, lanes) t { shared[t] = neutral }                    for a commutative operator
///   for (row) {
///     Par(block, lanes) t { acc = shared[t]; for (j = begin; j < main; j += lanes) acc = op(acc, body(row, j
///     + t)); shared[t] = acc } Par(block, tail_lanes) t { the same from main on, where j + t < end }
///   }
///   for (w = lanes / 2; w > 0; w /= 2) Par(block, w) t { shared[t] = op(shared[t], shared[t + w]) }
/// An operator that does not commute is folded by a scalar loop in order.
std::vector<Expr> block_loop(Emitter&, const soac::Stm&, const Range&, const Policy&);

}  // namespace fulgurite::lower
