// Reductions of rows that are too short for a block each and lie along memory: a thread folds a row, and
// reads it from shared memory, where the block has put a few columns of its rows, neighbouring threads
// neighbouring elements.
#pragma once

#include "lower/gpu/frame.h"

namespace fulgurite::lower::gpu {

/// A phase that makes the arrays of the frame's statement, a map of `body`: one reduction (with a neutral
/// element) over `columns` points that do not depend on the row, and scalars. Nothing where `if_one` is 0.
void fold_rows_by_tiles(Frame&, const soac::Lambda& body, Expr rows, Expr columns, Expr if_one);

}  // namespace fulgurite::lower::gpu
