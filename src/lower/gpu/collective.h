// What the threads of a block do together, in shared memory: trees of operators, and scans of tiles. An
// Emitter stands in scalar code of a task; threads are instances of Par(block), and barriers stand between
// such statements.
#pragma once

#include "walk/emitter.h"

namespace fulgurite::lower::gpu {

using scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;
using walk::Destination, walk::Emitter;

/// A block of a launch.
struct Block {
  Expr task, tasks;  // its number; of how many
  int threads;       // a power of two
};

/// body(e, t) for each thread t. Arrays that it makes for itself are the thread's.
using OfThread = std::function<void(const Emitter& e, Expr t)>;
void par(const Emitter&, const Block&, const OfThread& body);
void sync(const Emitter&);

/// buffers[0] becomes the join of all elements, one for each thread; the operators commute. Barriers stand
/// before and behind.
void join_all(const Emitter&, const Block&, const soac::Soac& reductions, std::span<const Var> buffers);

/// Something that is folded in the order of the points, tile by tile.
struct Ordered {
  const soac::Reduction* reduction;
  std::vector<Expr> so_far;  // variables of the task: what the points before the tile give
  std::vector<Var> values;   // of the points of the tile: threads * items, shared
  std::vector<Var> totals;   // of the threads, shared
  bool is_scan = false, inclusive = false;
};

/// Folds a tile of `n` points, at least one, whose values are there: `so_far` goes on behind it. The values
/// of scans become what the scans bind. Each thread folds a run of `items` points, and the threads' results
/// are scanned (networks.h). Barriers stand before and behind.
/// `find_before` gets what the tile alone comes to, by group and component, and may set each `so_far` to what
/// is before it. The result is what that was.
using FindBefore = std::function<void(const std::vector<std::vector<Expr>>& totals)>;
std::vector<std::vector<Expr>> fold_tile(const Emitter&, const Block&, int items, Expr n,
                                         std::span<const Ordered>, const FindBefore& = {});

}  // namespace fulgurite::lower::gpu
