// Reductions of rows that follow one another in one array, as of a sparse matrix (lower/ragged_rows.h). A
// block takes some neighbouring rows, and their elements tile by tile whosever they are: neighbouring threads
// compute neighbouring elements and leave them in shared memory, where a scan that begins anew with each row
// reduces them all (Sengupta, Harris, Zhang, Owens, "Scan primitives for GPU computing", 2007, section 4.2).
// So the lengths of rows do not matter: a long one is work for all threads.
//
// An operand that fails, or rows that are out of order, send each row of the block the usual way, a thread
// each, which says what is wrong and where.
#pragma once

#include "lower/gpu/frame.h"
#include "lower/ragged_rows.h"

namespace fulgurite::lower::gpu {

/// The frame's statement as such a map, its reductions with neutral elements; nothing if it is none.
std::optional<RaggedRows> ragged_rows_of(Frame&);

/// A phase that makes its arrays; how it does.
Policy fold_ragged_rows(Frame&, const RaggedRows&);

}  // namespace fulgurite::lower::gpu
