// Scatters whose operator is one operation of memory, so that the order of the values does not count.
#pragma once

#include <optional>

#include "kernel/ir.h"
#include "soac/ir.h"

namespace fulgurite::lower::gpu {

/// Of integers of one component: + min max & | ^.
std::optional<kernel::Atomic::What> atomic_of(const soac::Scatter&);

/// x such that the operation of x and y is y.
scalar::Expr identity_of(scalar::Arena&, kernel::Atomic::What, scalar::Kind);

/// Those scatters with a neutral element, which nobody asks for: lift_missing_neutral leaves them alone.
soac::Stm with_neutral_for_atomics(scalar::Arena&, soac::Stm);

/// i64 maximum.
soac::Reduction integer_max(scalar::Arena&);

}  // namespace fulgurite::lower::gpu
