// A combinator in the code of a lane: a sequential loop.
#pragma once

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk {

/// Lowers a Soac statement that makes no arrays, and binds its names.
///
///   for i { for j { operands = body(i, j); acc = op(acc, operands) } }
/// where operators know more behind the first point with that one by itself.
void sequential_loop(const Emitter&, const soac::Stm&);

/// The same of a reduction whose nest cuts its axes into pieces, which accumulators of their own fold: a
/// window of each lane.
void fold_in_lanes(const Emitter&, const soac::Stm&, const schedule::Nest&);

}  // namespace fulgurite::walk
