// What points compute of the segment that they lie in, and of nothing else of theirs: a walk computes it once
// for each segment.
#pragma once

#include <vector>

#include "soac/ir.h"

namespace fulgurite::schedule {

struct SegmentValues {
  /// They bind the values, as scalar code that stands before the points of the segment. If none of them
  /// fails, nothing that was taken from the points does; if one fails, the points tell.
  std::vector<soac::Stm> before;
  /// The statement with names for the values.
  soac::Stm stm;
};
/// The statement has the number of the segment as a free name of its body.
SegmentValues segment_values(scalar::Arena&, const soac::Stm&);

}  // namespace fulgurite::schedule
