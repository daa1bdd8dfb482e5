// Runs of memory that lanes read side by side: lane l reads x[index + l * stride], then the next element, and
// so on, as when each lane folds a run of its own.
//
// A load of as many cache lines as there are lanes costs as many loads. In: vectorised kernel IR. Out: the
// same where, of a loop of a constant number of rounds that steps through such runs, what all of its rounds
// read is loaded in front of it, a contiguous vector from each run, transposed into memory of the task (a
// Transpose), and the rounds load contiguous vectors from there. Only what is read anyway is read; what the
// loop stores to is left alone.
#pragma once

#include "kernel/ir.h"

namespace fulgurite::tidy {

/// `ahead`: how many elements in front of what is read the cache is filled.
kernel::Kernel transpose_runs(kernel::Kernel, std::int64_t ahead);

}  // namespace fulgurite::tidy
