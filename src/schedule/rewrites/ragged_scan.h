// Reductions of ragged rows (ragged.h) of which one is long, for blocks: a block that takes all of a long row
// makes the others wait. There all elements are scanned as one array, anew from where a row begins, and a
// row's last element is its reduction (Blelloch, "Scans as primitive parallel operations", 1989): blocks
// share the elements, whichever row has them. This moves elements more often, so the longest row is found
// first.
#pragma once

#include "schedule/policy.h"
#include "soac/ir.h"

namespace fulgurite::schedule {

/// A map whose function is the reduction of a row, with the row's length where it was a name that nothing
/// else mentions: as ragged_rows recognises it.
soac::Stm with_length(const scalar::Arena&, soac::Stm map);

/// The program with such maps by scans, where a row has more than `ragged_long` elements. Only outside of
/// loops, which may run on the device without the host, and only where nothing fails: messages count rows.
soac::Program scan_long_rows(soac::Program, const BlocksPolicy&);

}  // namespace fulgurite::schedule
