// Tiles of a map and its reduction that lie in registers, where points along an axis of the map share
// operands (matrix products): some rows times some vectors of accumulators, which each element that is read
// serves more than once. What rows share is brought to memory of the task, a panel, and stays in its caches
// while all rows of the task use it (Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication", 2008).
#pragma once

#include "schedule/lanes/building.h"
#include "schedule/shared_operands.h"

namespace fulgurite::schedule {

/// The reason of a phase that a launch has only because it takes this way, or does not.
inline constexpr const char* why_tiled =
    "version: rows share operands, so that some rows and vectors are accumulated together in registers "
    "(tile_least_rows, tile_least_depth)";

struct RegisterTiles {
  /// Whether the launch takes this way, by sizes only; absent: it does not.
  Expr is_tiled;
  /// The map, its reduction with neutral elements.
  soac::Stm computes;
  /// In the names of the reduction's body.
  SharedOperands shared;
  /// Points of the map, and of its last two axes and the reduction's.
  Expr points, rows, columns, depth;
  /// Points of the reduction that one task folds, how many tasks share a point of the map, and
  /// whether there are several.
  Expr depth_per_task, parts, has_parts;
  /// Whether what lies below the diagonal is what lies above it, by sizes only.
  Expr is_mirrored;
  /// Lanes of a vector.
  std::int64_t vector_lanes = 1;
  /// Points of it for which operands are staged, and how many of them one operation takes, whose operands
  /// are packed in one.
  std::int64_t depth_at_once = 0, together = 1;
  std::vector<Var> partials;
};
/// Decides it, where `otherwise` does not hold, and makes the memory.
RegisterTiles register_tiles_of(Building&, Expr otherwise);
/// Its phases: "tiles", "mirrored tiles", and, where sums are so long that their rounding errors would grow,
/// "join tiles": what tasks have of parts of them.
void add_register_tiles(Building&, const RegisterTiles&);

}  // namespace fulgurite::schedule
