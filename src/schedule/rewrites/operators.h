// Operators that schedules make, and what they ask of the operators of a Soac.
#pragma once

#include <optional>

#include "kernel/ir.h"
#include "soac/operation.h"

namespace fulgurite::schedule {

using soac::reduction_by;
/// i64 addition.
soac::Reduction integer_sum(scalar::Arena&);
/// i64 maximum.
soac::Reduction integer_max(scalar::Arena&);

/// Whether the operands have to be folded in the order of the points: the operator does not commute.
bool in_order(const soac::Reduction&);

/// Whether the values of the Scan within a tile fit into 32 bits, counted from where the tile begins: it
/// counts in i64, and adds little at each point.
bool counts_little(const soac::Scan&);

/// The number of the Scan of the body whose value at the end is this reduction, or -1: same operator, same
/// operands, same start.
int scan_like(scalar::Arena&, const soac::Stm&, std::size_t reduction);

/// The atomic operation of memory that the scatter's operator is, so that the order of values does not count:
/// + min max & | ^ of integers with one component. Nothing for other scatters.
std::optional<kernel::Atomic::What> atomic_of(const soac::Scatter&);
/// Gives such scatters a neutral element, which nothing uses, so that lift_missing_neutral leaves them alone.
soac::Stm with_neutral_for_atomics(scalar::Arena&, soac::Stm);

}  // namespace fulgurite::schedule
