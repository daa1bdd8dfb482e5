// A Soac met in scalar code of a task, or in the code of a thread: memory for what it makes, what its Scans
// and partitions begin with, and what its names are after it. How its points are walked differs.
#pragma once

#include <functional>

#include "walk/lanes/range.h"

namespace fulgurite::walk {

/// Walks all points of a statement with neutral elements. Its Scans and partitions begin with `entry`.
using WalkAll = std::function<lanes::Ends(const soac::Stm&, const lanes::Entry& entry)>;

/// One after the other, in the code of a thread or of a lane. Scans go on from those of the entry; the
/// cursors of partitions do not pack.
lanes::Ends walk_alone(const Emitter&, const soac::Stm&, const lanes::Entry&);

/// Lowers the statement where the emitter stands and binds its names.
void inner(const Emitter&, const soac::Stm&, const WalkAll&);

}  // namespace fulgurite::walk
