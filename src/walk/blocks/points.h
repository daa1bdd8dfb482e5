// A statement's points as the code of one block of threads, which walks a range of them. What does not depend
// on the order of the points is done in strides of the block, so that neighbouring threads touch neighbouring
// elements (or short runs of them, wide.h), and joined in a tree at the end. What does (Scans, operators that
// do not commute) goes tile by tile: operands of neighbouring points are computed by neighbouring threads and
// left in shared memory, where each thread then folds a run of its own (collective.h).
#pragma once

#include "walk/blocks/range.h"
#include "walk/blocks/updates.h"

namespace fulgurite::walk::blocks {

/// The walk of one block as its nest says, in scalar code of its task. Every Scan of the body goes on from
/// `entry`, or, where blocks publish their totals, from the totals of earlier blocks; then the range is one
/// tile. It begins at a multiple of the points that a thread takes together. A barrier stands after
/// everything that the block reads or writes itself.
Ends walk_points(const Emitter&, const soac::Stm&, const schedule::Nest&, const Block&, const Range&,
                 const Running::Groups& entry, std::span<const parts::Published> = {});

}  // namespace fulgurite::walk::blocks
