// The points that a block walks, and the results of the walk.
#pragma once

#include "walk/emitter.h"
#include "walk/points.h"

namespace fulgurite::walk::blocks {

/// The points from `begin` on, before `end`, in row-major order.
struct Range {
  Expr begin, end;
};
/// The results of a walk, as names in scalar code: the value of every reduction component over the range
/// (without `initial`), and the values from which the Scans go on after it.
struct Ends {
  std::vector<Expr> totals;
  Running::Groups scans;
};

}  // namespace fulgurite::walk::blocks
