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

/// Whether filters pack their points: whole vectors are stored, so that their arrays have room after them.
enum class Filters : std::uint8_t { one_by_one, packed };

/// Lowers the statement where the emitter stands and binds its names. The entry's cursors pack if filters do,
/// and their arrays have memory of their own.
void inner(const Emitter&, const soac::Stm&, const WalkAll&, Filters = Filters::one_by_one);

}  // namespace fulgurite::walk
