// Sorts of segments as sorts of all elements: by the key, then by the number of the segment. As sorts are
// stable, segments stay in order. Every element moves twice, however short or long the segments are.
#pragma once

#include "soac/ir.h"

namespace fulgurite::schedule {

/// For sorts of the same segments, where each sorts the result of the one before, which nothing else reads.
std::vector<soac::Stm> by_segments(scalar::Arena&, std::span<const soac::Stm> sorts);

/// The program with sorts of segments as sorts of all elements: all sorts, or only in functions of its Soacs.
soac::Program without_segments(soac::Program);
soac::Program without_segments_inside(soac::Program);

}  // namespace fulgurite::schedule
