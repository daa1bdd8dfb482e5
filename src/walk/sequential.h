// A combinator in the code of a lane: a sequential loop.
#pragma once

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk {

/// How many points a loop takes together: `n` as long as that many are left, then `rest`, half of it and so
/// on.
struct Together {
  std::int64_t n = 1, rest = 1;
};

/// Lowers a Soac statement that makes no arrays, and binds its names.
///
///   for i { for j { operands = body(i, j); acc = op(acc, operands) } }
/// The first point stands by itself where operators know more after it.
void sequential_loop(const Emitter&, const soac::Stm&, const Together& = {});

/// Lowers a reduction whose nest cuts its axes into pieces, each of which has accumulators of its own: the
/// window of each lane.
void fold_in_lanes(const Emitter&, const soac::Stm&, const schedule::Nest&);

}  // namespace fulgurite::walk
