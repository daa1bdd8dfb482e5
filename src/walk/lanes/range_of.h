// The part of a space that a task covers, by the cuts of a nest.
#pragma once

#include "walk/lanes/range.h"

namespace fulgurite::walk::lanes {

/// Whether tasks take neighbouring points in their order.
bool is_in_order(const schedule::Nest&);

/// The cut of the innermost axis whose pieces are tasks.
const schedule::Cut& task_cut(const schedule::Nest&);

/// In the code of a task: a tile of rows and columns, or neighbouring points.
Range range_of(const Emitter& task, const schedule::Nest&, const soac::Soac&);

}  // namespace fulgurite::walk::lanes
