// Maps over matrices that read along columns where they write along rows (transpose): blocks take square
// tiles. What they read is read by threads that are neighbours in a column, left in shared memory, and taken
// from there by threads that are neighbours in a row (Ruetsch, Micikevicius, "Optimizing matrix transpose in
// CUDA", 2009: coalesced transpose, padded against bank conflicts).
#pragma once

#include "schedule/blocks/points.h"

namespace fulgurite::schedule {

/// A warp reads and writes a row of a tile.
inline constexpr std::int64_t side_of_tile = warp;
/// The elements of a tile in shared memory.
inline constexpr std::int64_t elements_of_tile = side_of_tile * (side_of_tile + 1);

/// Reads in which neighbours on this axis are neighbours in memory, and neighbours on the last one are not.
struct Crosswise {
  std::size_t axis = 0;
  std::vector<Expr> reads;
};
/// The crosswise reads of a map's results, by the last axis but one, or else by the outermost. None where the
/// function is more than an expression, or a tile of one of them would be too large.
Crosswise crosswise_reads(const Surroundings&, const soac::Soac&);

}  // namespace fulgurite::schedule
