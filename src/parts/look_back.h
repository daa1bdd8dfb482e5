// What the Scans of a tile go on from, in the launch that makes their values: a block publishes the totals of
// its tile, looks back over the tiles before its own to the nearest one whose prefix, the total of all tiles
// up to it, is published, and publishes its own prefix (Merrill, Garland, "Single-pass parallel prefix scan
// with decoupled look-back", 2016, section 4). Blocks take tiles in the order in which they begin, by a
// ticket, so that a block waits for blocks that run or have ended only.
//
// Which tile the look-back ends at depends on who was quicker. What is joined to that tile's prefix, tile by
// tile from the left, is what was joined to it where the prefixes in between were made: the same operations
// in the same order, and so the same bits, whatever the operator. Where it is exactly associative (no floats)
// the tiles are joined in a tree instead.
#pragma once

#include "parts/fold.h"

namespace fulgurite::parts {

/// How far the tiles of the Scans of one level have come: state[first + tile] (i32) is 0, then 1 when the
/// tile's totals are there, then 2 when the totals of all tiles up to it are.
struct Published {
  Var state;
  Expr first;
  std::vector<std::vector<Var>> totals, prefixes;  // of each Scan, each component: one for each tile
  int at_once = 64;                                // tiles that are looked at, at most
};

/// In scalar code of the block whose tile has the number block.task: publishes `totals` of each group, and
/// sets each `so_far`, which is what the first tile goes on from, to what the tile does. A barrier stands
/// before and after.
void look_back(const Builder&, const Block&, const Published&, std::span<const Ordered>,
               const std::vector<std::vector<Expr>>& totals);

}  // namespace fulgurite::parts
