// The indices of a point from its number.
#pragma once

#include "lower/emitter.h"

namespace fulgurite::lower::gpu {

/// `dims` are lowered; `is_small`: the number and every extent fit into 32 bits.
std::vector<Expr> indices_of(Emitter&, Expr number, std::span<const Expr> dims, Expr is_small);

}  // namespace fulgurite::lower::gpu
