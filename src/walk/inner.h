// A Soac met in scalar code of a task, or in the code of a thread: memory for its results, the values with
// which its Scans and partitions begin, and its names after it. How its points are walked differs.
#pragma once

#include <functional>

#include "walk/lanes/range.h"

namespace fulgurite::walk {

/// Walks all points of a statement with neutral elements. Its Scans and partitions begin with `entry`.
using WalkAll = std::function<lanes::Ends(const soac::Stm&, const lanes::Entry& entry)>;

/// Walks the points one by one, in the code of a thread or of a lane. Scans go on from the entry's values;
/// the cursors of partitions do not pack.
lanes::Ends walk_alone(const Emitter&, const soac::Stm&, const lanes::Entry&);

/// Lowers the statement where the emitter stands and binds its names.
void inner(const Emitter&, const soac::Stm&, const WalkAll&);

}  // namespace fulgurite::walk
