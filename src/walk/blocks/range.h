// What a block walks, and what it ends with.
#pragma once

#include "walk/emitter.h"
#include "walk/points.h"

namespace fulgurite::walk::blocks {

/// The points from `begin` on, before `end`, in row-major order.
struct Range {
  Expr begin, end;
};
/// What a walk ends with, as names in scalar code: the value of every reduction component over the range
/// (without `initial`), and what the Scans go on with after it.
struct Ends {
  std::vector<Expr> totals;
  Running::Groups scans;
};

}  // namespace fulgurite::walk::blocks
