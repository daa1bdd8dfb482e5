// Reductions and scans by the threads of a block, in shared memory.
#pragma once

#include <optional>

#include "parts/block.h"
#include "parts/operator.h"

namespace fulgurite::parts {

/// buffers[0] becomes the join of all elements, one for each thread; the operators commute. There is a buffer
/// for each component of each operator, in order. Barriers stand before and after.
void join_all(const Builder&, const Block&, std::span<const Operator>, std::span<const Var> buffers);

/// Something that is folded in the order of the points, tile by tile.
struct Ordered {
  Operator by;
  std::vector<Expr> so_far;  // variables of the task: the values of the points before the tile
  std::vector<Var> values;   // of the points of the tile: threads * items, shared
  std::vector<Var> totals;   // of the threads, shared
  bool is_scan = false, inclusive = false;
  /// Absent: the operator of `by`. Else sums in a narrower integer: the tile's own total, so that `values`
  /// become what is to be added to what was before the tile.
  std::optional<Operator> in_tile = {};
};

/// Folds a tile of `n` points, at least one, whose values are there: `so_far` goes on after it. The values
/// of scans become what the scans bind. Each thread folds a run of `items` points; the threads of a warp scan
/// their results by shuffles, and so do some threads with the results of the warps. Where the device has no
/// shuffles, the threads' results are scanned in shared memory (networks.h). Barriers stand before and
/// after. `find_before` gets the tile's own total, by group and component, and may set each `so_far`
/// to what is before it. The result is what that was.
using FindBefore = std::function<void(const std::vector<std::vector<Expr>>& totals)>;
std::vector<std::vector<Expr>> fold_tile(const Builder&, const Block&, int items, Expr n,
                                         std::span<const Ordered>, const FindBefore& = {});

}  // namespace fulgurite::parts
