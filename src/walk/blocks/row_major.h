// The indices of a point from its number.
#pragma once

#include "walk/emitter.h"

namespace fulgurite::walk::blocks {

using scalar::Expr, scalar::Kind;
using walk::Emitter;

/// `dims` are lowered; `is_small`: the number and every extent fit into 32 bits.
std::vector<Expr> indices_of(const Emitter&, Expr number, std::span<const Expr> dims, Expr is_small);

}  // namespace fulgurite::walk::blocks
