// Reductions that keep the index of a point: the indices of a walk as variables of 32 bits.
#pragma once

#include <functional>

#include "schedule/rewrites/ascending.h"
#include "walk/points.h"

namespace fulgurite::walk {

/// Gives `walk`, which takes points from `begin` to less than 2^32 - 1 after it, variables for the indices
/// that are narrow, and assigns their final values to the indices of `into`.
void in_32_bits(const Emitter&, const schedule::NarrowIndices&, Expr begin, const Running& into,
                const std::function<void(const Running&)>& walk);

/// The points [from, to), in pieces as long as that.
using WalkPiece = std::function<void(Expr from, Expr to, const Running&)>;
void for_pieces_in_32_bits(const Emitter&, const schedule::NarrowIndices&, Expr from, Expr to,
                           const Running& into, const WalkPiece& walk);

}  // namespace fulgurite::walk
