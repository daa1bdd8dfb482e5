// Scans in whole vectors (walk::point), one after the other, while scalar code stands around them.
#pragma once

#include <optional>

#include "walk/lanes/points.h"
#include "walk/lanes/scan_runs.h"

namespace fulgurite::walk::lanes {

class ScanVectors {
 public:
  /// Makes memory for the lanes' values. `e`: scalar code without stores that bypass the cache. `running`:
  /// the values of the scalar code around, which outlive this.
  ScanVectors(const Walk&, const Emitter& e, const Running& running);

  /// The whole vectors of the points [begin, end) of a row; gives the first point that is left.
  Expr walk(std::span<const Expr> outer, Expr begin, Expr end);
  /// Joins the lanes' reductions to the scalar code's.
  void join(const Emitter&) const;

 private:
  Expr runs(std::span<const Expr> outer, Expr begin, Expr end);
  Running restored(const Emitter&, Expr t) const;

  const Walk& walk_;
  const Running& running_;
  std::vector<Var> carried_;  // what the Scans go on from after the vectors
  Accumulators accumulators_;
  std::optional<ScanRuns> own_;
  ScanRuns* scan_runs_;
};

}  // namespace fulgurite::walk::lanes
