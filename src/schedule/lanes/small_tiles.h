// Tiles in registers of many small matrices: where points along the last axes of a map of three axes and more
// share operands (batches of products), and both operands of one plane of points stay in the first cache,
// tiles read them where they lie. There are no panels: no memory of the task, and nothing that is walked
// before it is used. Each plane is rows by vectors; the last vector of a row ends where the row does, so none
// has a mask. Where extents that are known when the program runs have one small size, a version has them as
// constants.
#pragma once

#include "schedule/lanes/building.h"
#include "schedule/shared_operands.h"

namespace fulgurite::schedule {

/// The reason of a phase that a launch has only because it takes this way, or does not.
inline constexpr const char* why_small_tiles =
    "version: operands of a plane of points are small, so that some rows and vectors are accumulated "
    "together "
    "in registers, which read them where they lie (tile_small_bytes, tile_small_rows)";

struct SmallTiles {
  /// Whether the launch takes this way, by sizes only; absent: it does not.
  Expr holds;
  /// The map, its reduction with neutral elements.
  soac::Stm computes;
  /// The widths of vectors from which rows are made; a row takes the first that it is long enough for, and
  /// its remainder vectors of `rest` lanes.
  struct Width {
    Expr holds;
    std::int64_t lanes = 1, rest = 1;
  };
  std::vector<Width> widths;
  /// Names that are tile_side where `are_sides` (boolean) holds: the extents of a plane; absent: no version
  /// has them as constants.
  std::vector<Constant> sides;
  Expr are_sides;
  /// Rows that are accumulated together.
  std::int64_t rows = 1;
};
SmallTiles small_tiles_of(const Building&);
/// A phase for each width: "small tiles", "narrow tiles"; and "tiles of constants".
void add_small_tiles(Building&, const SmallTiles&);

}  // namespace fulgurite::schedule
