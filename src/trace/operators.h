// What is known of a reduction's operator from how it is written.
#pragma once

#include "soac/ir.h"

namespace fulgurite::trace {

/// Each result is a commutative and associative operation of op.def on the two operands' components in its
/// own place: plus, min, and tuples of such.
bool is_known_commutative(const soac::Lambda& op);

}  // namespace fulgurite::trace
