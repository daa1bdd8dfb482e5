// Reductions whose operator does not commute, in lanes: each lane folds a run of neighbouring points, and
// what the lanes have is joined in order. With an associative operator this is the fold over all points
// (redomap paper, section 4).
#pragma once

#include "schedule/lanes/loops.h"
#include "walk/points.h"

namespace fulgurite::walk::lanes {

class Runs {
 public:
  /// Calls the body with the indices of the point j of the innermost axis, whose code it makes.
  using Body = std::function<void(const Emitter&, std::span<const Expr> indices)>;
  using Point = std::function<void(const Emitter&, Expr j, const Body&)>;

  /// Memory for what lanes have; the emitter stands in scalar code, outside of the loops over rows.
  Runs(const Emitter&, const soac::Soac&, const schedule::LaneLoops&);

  /// Joins the points [begin, stop) to what the reductions have so far, and gives `stop`: `end`, less the
  /// points that do not make runs of all lanes.
  ///
  ///   for (from = begin; from < stop; from += run * lanes) {
  ///     Par(block, lanes) t { acc = neutral; for (each point j of run t) acc = op(acc, body(j)); shared[t] =
  ///     acc } for (t) so_far = op(so_far, shared[t])
  ///   }
  ///
  /// and once more with runs of fewer points than are fetched at once.
  Expr fold(const soac::Soac& piece, Expr begin, Expr end, const Running::Groups& so_far, const Point&);

 private:
  struct Component {
    Var shared;
    Expr constant;  // its value after every point, where that is a constant
  };
  struct Group {
    std::vector<Component> components;
    bool starts_with_neutral = true;
  };
  void add(const soac::Reduction&, std::span<const Expr> operands);
  void fold_runs(const soac::Soac& piece, Expr from, Expr length, int steps, const Running::Groups& so_far,
                 const Point&);
  void lane(const Emitter&, const soac::Soac& piece, Expr start, Expr length, int steps, Expr t,
            const Point&);
  void join(const Emitter&, const soac::Reduction&, const Group&, const std::vector<Expr>& acc, Expr is_first,
            std::span<const Expr> operands);

  const Emitter e_;
  scalar::Arena& arena_;
  const schedule::LaneLoops& loops_;
  std::vector<Group> groups_;
};

}  // namespace fulgurite::walk::lanes
