// Statements of the array IR in the code of a task or a lane.
#pragma once

#include "walk/emitter.h"

namespace fulgurite::walk {

/// Statements of a body in a sequential context: a lane, which makes no arrays, or scalar code.
void statements(const Emitter&, const std::vector<soac::Stm>& body);

/// Applies a function; results lowered.
std::vector<Expr> apply(const Emitter&, const soac::Lambda&, std::span<const Expr> args);

}  // namespace fulgurite::walk
