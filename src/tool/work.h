// What a launch computes: how many arithmetic operations its statement asks for, whatever its schedule.
// Beside the bytes that it moves they say what limits it.
#pragma once

#include <optional>

#include "soac/equal_sizes.h"

namespace fulgurite::tool {

/// In additions: a division or a root counts as 8, a function such as exp as 20, what computes an index as
/// nothing. Both branches of an If count. Nothing if elements decide how often something runs, or there is a
/// Sort.
std::optional<soac::Expr> operations_of(scalar::Arena&, const soac::EqualSizes&, const soac::Stm&);

/// So many operations on f32 take a processor about as long as moving a byte from memory does: less than that
/// is limited by memory.
inline constexpr double operations_in_time_of_a_byte = 4;

}  // namespace fulgurite::tool
