// The schedule of a statement on a GPU, whose tasks are blocks of threads.
#pragma once

#include "schedule/surroundings.h"

namespace fulgurite::schedule {

/// Phases, in order, as far as the statement needs them:
///
///   fill       the contents of scatters, before
///   clear      what phases add to, or look at before they have stored there
///   fold       each block's partial results of the Scans, level by level where Scans depend on each other
///   carry      one block: what each block goes on from; the Scans' values at the end
///   winners    of scatters that leave the last value, or several components together: which point's stay
///   count      the points of each class, of partitions of many classes; and where they go
///   main       everything else; each block's partial results of the reductions
///   rows       instead of main where blocks take rows, or parts of them
///   last       one block joins the partial results
///   places     scatters with an operator that needs an order: what the blocks have for each place, joined
Launch decide_blocks(const Surroundings&, const soac::Stm&);

}  // namespace fulgurite::schedule
