// Reductions of rows that follow one another in one array, as of a sparse matrix: row i is the elements from
// begin(i) to below begin(i + 1).
#pragma once

#include <optional>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// A map over rows whose function is such a reduction, and scalars of it.
struct RaggedRows {
  scalar::Var row;       // the map's parameter
  scalar::Expr begin;    // in terms of it
  soac::Lambda element;  // the reduction's operands as a function of the element's number
};
/// Nothing if the statement is none.
std::optional<RaggedRows> ragged_rows(scalar::Arena&, const soac::Stm&);
/// Finds a map with ragged rows: its reductions have neutral elements, and operators that do not depend on
/// the row. Its results are scalars.
std::optional<RaggedRows> reduces_ragged_rows(scalar::Arena&, soac::Stm map);

/// The reductions as one, on (whether a row begins here, the reductions' components), over elements of any
/// rows; with a neutral element if each has one.
soac::Reduction by_segments_of(scalar::Arena&, const std::vector<soac::Reduction>&, const soac::Location&);

/// How many of `all` rows a block takes: a thread has one at most, and `blocks` blocks fill the device.
scalar::Expr ragged_rows_of_a_block(scalar::Arena&, scalar::Expr all, std::int64_t blocks,
                                    std::int64_t threads);

}  // namespace fulgurite::schedule
