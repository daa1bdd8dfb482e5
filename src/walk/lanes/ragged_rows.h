// Rows that follow one another in one array and whose elements are gathered: rows are short and of unequal
// lengths, and vectors of their own would leave lanes empty. So the elements of some rows are computed
// together, in whole vectors, and left in memory of the task, from which each row is reduced (after Blelloch,
// Heroux, Zagha, "Segmented operations for sparse matrix computation on vector multiprocessors", 1993, who
// reduce by a segmented scan). An operand that fails, or rows that are too long or out of order, send each
// row the usual way, which says what is wrong and where.
#pragma once

#include "schedule/rewrites/ragged.h"
#include "walk/lanes/range.h"

namespace fulgurite::walk::lanes {

/// Calls `row` for each row of [from, to), with the map as it is for that row. The nest stages elements.
void walk_ragged_rows(const Emitter&, const soac::Stm& map, const schedule::RaggedRows&, Expr from, Expr to,
                      const schedule::Nest&, const std::function<void(const soac::Stm& map, Expr i)>& row);

}  // namespace fulgurite::walk::lanes
