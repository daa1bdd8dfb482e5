// The schedule of a statement on a GPU, whose tasks are blocks of threads.
#pragma once

#include "schedule/surroundings.h"

namespace fulgurite::schedule {

/// Phases, in order, as far as the statement needs them:
///
///   fill       sets the initial contents of the arrays that are scattered to
///   clear      sets to zero what later phases add to, or read before they store
///   fold       folds each block's points for the Scans, level by level where Scans depend on each other
///   carry      one block scans these folds: the values that blocks begin with, and the Scans' totals
///   winners    finds the point whose value stays, of scatters that keep the last value or several components
///   count      counts the points of each class, of partitions into many classes, and where classes begin
///   main       does everything else, and folds each block's points for the reductions
///   rows       stands for main where blocks take rows, or parts of rows
///   last       one block joins the blocks' partial results
///   places     joins, place by place and in order, what blocks have scattered with an operator
Launch decide_blocks(const Surroundings&, const soac::Stm&);

}  // namespace fulgurite::schedule
