// Accumulators of reductions that commute: arrays with an element for each lane, in memory that they share.
#pragma once

#include "walk/points.h"

namespace fulgurite::walk::lanes {

class Accumulators {
 public:
  /// Memory for `n` lanes. `tail_lanes`: the width of a vector. The Soac outlives this.
  Accumulators(const Emitter&, const soac::Soac&, int n, int tail_lanes);

  /// In scalar code: every lane has the neutral elements.
  void start(const Emitter&) const;
  /// In lane t: restore() loads the lane's accumulators into variables, save() stores the variables again.
  Running::Groups restore(const Emitter&, Expr t) const;
  void save(const Emitter&, const Running::Groups&, Expr t) const;
  /// In scalar code: lane 0 gets the join of all lanes' accumulators ...
  void halve(const Emitter&) const;
  /// ... which is then read: a component, by its number among the components of all reductions.
  Expr total(const Emitter&, std::size_t component) const;
  std::size_t n_components() const { return shared_.size(); }

 private:
  const soac::Soac& op_;
  const int n_, tail_lanes_;
  std::vector<Var> shared_;  // one for each component
};

}  // namespace fulgurite::walk::lanes
