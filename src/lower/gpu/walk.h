// A combinator as the code of one block of threads: the block walks a run of the points. What does not depend
// on the order of the points is done in strides of the block, so that neighbouring threads touch neighbouring
// elements (or short runs of them, wide.h), and joined in a tree at the end. What does (Scans, operators that
// do not commute) goes tile by tile: operands of neighbouring points are computed by neighbouring threads and
// left in shared memory, where each thread then folds a run of its own (collective.h).
#pragma once

#include "lower/block_loop.h"
#include "lower/gpu/policy.h"
#include "lower/gpu/sinks.h"
#include "lower/launches.h"

namespace fulgurite::lower::gpu {

/// The points from `begin` on in front of `end`, in row-major order.
struct Run {
  Expr begin, end;
};

/// Lowers the walk of one block, with the emitter standing in scalar code of its task. Every Scan of the body
/// goes on from entry.scans. The run begins at a multiple of policy.neighbours. A barrier stands behind
/// everything that the block reads or writes itself.
Ends walk(Launches&, const Emitter&, const soac::Stm&, const Block&, const Run&, const Policy&,
          const Entry& = {}, const Sinks& = {});

}  // namespace fulgurite::lower::gpu
