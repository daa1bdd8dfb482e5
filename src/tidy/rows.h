// Short rows, one a lane, that code without a loop reads or stores element by element: x[index + l * stride],
// x[index + 1 + l * stride] and so on, as of small matrices, one a lane.
//
// In: vectorised kernel IR. Out: the same where neighbouring elements of a block of statements are loaded as
// pieces of each row and transposed (a Transpose) before the first that is used, and elements that are
// stored are transposed to rows first, so that whole vectors are stored. Only what is read anyway is read.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

/// PassOptions says how many lanes are transposed at a time.
extern const kernel::Pass transpose_rows;

}  // namespace fulgurite::tidy
