// Runs of memory that lanes read side by side: lane l reads x[index + l * stride], then the next element, and
// so on, as when each lane folds a run of its own.
//
// A load of as many cache lines as there are lanes costs as many loads. In: vectorised kernel IR. Out: the
// same where, of a loop of a constant number of rounds that steps through such runs, what its rounds read is
// loaded before them, contiguous pieces of each run, transposed into memory of the task (a Transpose),
// and the rounds load contiguous vectors from there. Rounds of few statements are unrolled, and a piece is
// transposed right before the rounds that read it, so that it never leaves registers and the processor finds
// arithmetic to do beside the moves: the one takes about as long as the other. Only what is read anyway is
// read; what the loop stores to is left alone.
//
// A loop of any number of rounds takes some of them together, as many as there are in a piece, and the rest
// one by one. What its rounds store in such runs is stored after those that are taken together: contiguous
// pieces of each run, if runs do not overlap.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

/// PassOptions says how many lanes are transposed at a time and how far ahead the cache is filled.
extern const kernel::Pass transpose_runs;

}  // namespace fulgurite::tidy
