// The arrays that the function of a map keeps for each point, and how loops change them.
#pragma once

#include <functional>
#include <optional>

#include "soac/ir.h"

namespace fulgurite::soac {

struct KeptArrays {
  Expr largest;                  // the bytes of the largest one; absent: there is none
  std::int64_t widest = 1;       // the bytes of the widest element
  bool change_in_loops = false;  // loops carry them
  bool loops_read_rows = false;  // loops read other arrays at an index of the point
};
/// Absent where the map sorts, or keeps some points of a partition, or where sizes are not known
/// (`is_known`).
std::optional<KeptArrays> kept_arrays(Arena&, const Soac& map,
                                      const std::function<bool(std::span<const Expr>)>& is_known);
/// Whether sizes are the same for all points of the map, for `is_known`.
std::function<bool(std::span<const Expr>)> same_for_all_points(const Soac& map);

}  // namespace fulgurite::soac
