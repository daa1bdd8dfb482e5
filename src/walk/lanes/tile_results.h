// What the tiles of a task leave: results, or what their accumulators have of the depth so far.
#pragma once

#include "walk/lanes/packed_terms.h"
#include "walk/phase.h"
#include "walk/points.h"

namespace fulgurite::walk::lanes {

/// A row of a tile: its reduction and results, and where its partial results are.
struct TileRow {
  Emitter e;
  Expr row, number;
  soac::Applied at;
  Running::Groups totals;
  /// Where the row is mirrored: whether it has a result above the diagonal, and the number of the point that
  /// takes it too.
  Expr is_above = {}, mirror = {};
  const soac::Stm& reduction() const { return at.body[0]; }
  const soac::Soac& op() const { return std::get<soac::Soac>(at.body[0].op); }
};

class TileResults {
 public:
  /// `depth`: of the task; `part`: the number of the part of the reduction that it is.
  TileResults(const Emitter& task, const schedule::Phase&, const Interval& depth, Expr part);

  /// Joins the rows' accumulators to their partial results of smaller depths. The last row may be present
  /// several times, so all partial results are read before any is stored.
  void leave(const Emitter&, const Words& depth, std::vector<TileRow>& rows) const;

 private:
  void results(const std::vector<TileRow>&) const;
  std::span<const Expr> finished(const TileRow&) const;
  Expr partial_of(const TileRow& row, Expr number) const { return row.e.lower(first_ + number); }

  const schedule::Phase& phase_;
  const std::vector<Var> partials_;
  const Interval depth_;
  // Absent: tasks fold all of the depth at once.
  Expr first_, has_parts_;
};

}  // namespace fulgurite::walk::lanes
