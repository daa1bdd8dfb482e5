// A Soac of the plan to a launch of blocks of threads.
//
//   fill       the contents of scatters, before
//   winners    of scatters that leave the last value, or several components together: which point's stay
//   fold       each block's partial results of the Scans, one level of those that depend on others at a time
//   carry      one block: what each block goes on from; the Scans' values at the end
//   count      the points of each class, of partitions of many classes; and where they go
//   main       everything else; each block's partial results of the reductions
//   rows       rows.h, instead of main where blocks take rows
//   last       one block joins those
//   places     scatters with an operator that needs an order: what the blocks have for each place, joined
#pragma once

#include "lower/gpu/window_producers.h"
#include "lower/launches.h"

namespace fulgurite::lower::gpu {

/// What producers compute is nowhere in memory.
void combinator(Launches&, const soac::Stm&, const WindowProducers&);

}  // namespace fulgurite::lower::gpu
