// Points that ask for the number of the segment that they lie in, on CPUs: the segments are walked one after
// the other, and each gives its number to its points. So nobody scans the numbers, what depends on a segment
// alone is computed once for it, and what its points read beside each other is read as vectors.
#pragma once

#include "schedule/policy.h"
#include "soac/ir.h"

namespace fulgurite::schedule {

/// The Scan of the body that only offsets of segments tell; null: there is none.
const soac::Stm* scan_of_segments(const soac::Lambda&);

/// The program with statements of one axis outside of other Soacs, whose points may be walked in any order or
/// are filtered, in two versions if they have such a Scan: where segments have `segment_points` points and
/// more on average, the Scan has no operands, and nobody makes them.
soac::Program walk_segments_in_turn(soac::Program, const LanesPolicy&);

}  // namespace fulgurite::schedule
