// Maps over matrices that read along columns where they write along rows (transpose): blocks take square
// tiles. What they read is read by threads that are neighbours in a column, left in shared memory, and taken
// from there by threads that are neighbours in a row (Ruetsch, Micikevicius, "Optimizing matrix transpose in
// CUDA", 2009: coalesced transpose, padded against bank conflicts).
#pragma once

#include "lower/gpu/frame.h"

namespace fulgurite::lower::gpu {

/// The reads of a map's results in which neighbours on the last axis but one are neighbours in memory, and
/// those on the last are not. None where the function is more than an expression, or a tile of one of them
/// would be too large.
std::vector<Expr> crosswise_reads(scalar::Arena&, const soac::Soac&, const Target&);

/// A phase that makes the arrays of the frame's statement, a map.
void map_by_tiles(Frame&, std::span<const Expr> reads);

}  // namespace fulgurite::lower::gpu
