// Reductions of rows that follow one another in one array, as of a sparse matrix: row i is the elements from
// begin(i) to below begin(i + 1).
//
// Rows are short and of unequal lengths: a vector of its own for each leaves lanes empty, and where it ends
// nobody can foretell. So what the elements are is computed for some rows together, in whole vectors, and
// left in memory of the task, from which each row is reduced (after Blelloch, Heroux, Zagha, "Segmented
// operations for sparse matrix computation on vector multiprocessors", 1993, who reduce by a segmented scan).
// An operand that fails, or rows that are too long or out of order, send each row the usual way, which says
// what is wrong and where.
#pragma once

#include <optional>

#include "lower/block_loop.h"

namespace fulgurite::lower {

/// A map over rows whose function is such a reduction, and scalars of it.
struct RaggedRows {
  Var row;               // the map's parameter
  Expr begin;            // in terms of it
  soac::Lambda element;  // the reduction's operands as a function of the element's number
};
/// Nothing if the statement is none.
std::optional<RaggedRows> ragged_rows(scalar::Arena&, const soac::Stm&);
/// Nor if its operators do not commute, or its operands are too cheap to be left in memory.
std::optional<RaggedRows> dear_ragged_rows(scalar::Arena&, const soac::Stm&);

/// Of dear ones: calls `row` for each row of [from, to), with the map as it is for that row.
void walk_ragged_rows(const Emitter&, const soac::Stm& map, const RaggedRows&, Expr from, Expr to,
                      const Policy&, const std::function<void(const soac::Stm& map, Expr i)>& row);

}  // namespace fulgurite::lower
