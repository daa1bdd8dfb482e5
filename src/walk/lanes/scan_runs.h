// Scans whose operators are expensive, in lanes: each lane scans a run of neighbouring points by itself, and
// the total of the runs before it is joined to each value. That is two applications of the operator for a
// vector of values, where a scan across its lanes takes as many as the logarithm of their number, and one
// more (Blelloch, "Prefix sums and their applications", 1990, section 1.4).
#pragma once

#include "walk/lanes/runs.h"

namespace fulgurite::walk::lanes {

class ScanRuns {
 public:
  /// Memory for what lanes have; the emitter stands in scalar code, outside of the loops over rows. `n`
  /// points that are whole rounds, which may be scanned ahead; or one round.
  ScanRuns(const Emitter&, const soac::Soac&, const schedule::LaneLoops&, std::int64_t n);
  static std::int64_t round_of(const schedule::LaneLoops& loops) {
    return static_cast<std::int64_t>(loops.scan_lanes) * loops.scan_steps;
  }

  /// Scans the runs of the n points from `begin` on, or of as many rounds of them as end before `end`, before
  /// the values before them are known. Returns their total.
  const Running::Groups& scan_ahead(Expr begin, Expr end, const Runs::Point&);

  /// Walks the points [begin, stop) a round of runs at a time, and gives `stop`: `end`, less the points that
  /// do not make runs of all lanes. `values` makes code for a round, whose runs have been scanned.
  ///
  ///   for (from = begin; from < stop; from += lanes * steps) {
  ///     Par(block, lanes) t {
  ///       acc = neutral
  ///       for (k < steps) { acc = op(acc, operand(from + t * steps + k)); within[k][t] = acc }
  ///       below[t] = op(so_far, the accs of the lanes before t)
  ///     }
  ///     so_far = op(so_far, the accs of all lanes)
  ///     Par(block, lanes) t { for (r < lanes) for run r, in vectors: op(below[r], within[...][r]) }
  ///   }
  /// Of what was scanned ahead only the last part is left.
  Expr walk(Expr begin, Expr end, const Running::Groups& so_far, const Runs::Point&,
            const std::function<void(Expr from)>& values);

  /// In lanes t: the points of the round that begins at `from`, in order. Before `point` is called with the
  /// number of a point, `running` gets the parts of its Scans' values; before the points of a run comes
  /// `run_begins`.
  void points(Expr from, Expr t, Running& running, const std::function<void(Expr start)>& run_begins,
              const std::function<void(Expr j)>& point);

 private:
  struct Component {
    Var within;     // of all points of a round: step k of lane t is element k * lanes + t
    Var below;      // of each lane
    Var last;       // of each lane of a round: up to and with it
    Var below_now;  // of each lane of the round whose values are made
  };
  struct Scan {
    const soac::Scan* op;
    std::vector<Component> components;
  };
  Expr whole_rounds(Expr begin, Expr end);
  void begin_round(Expr first_point);
  static Running::Groups snapshots(const Emitter&, const Running::Groups&);
  void scan_round(Expr from, const Running::Groups& so_far, const Runs::Point&);
  void scan_lanes(const Emitter&, Expr from, Expr t, const Running::Groups& so_far, const Runs::Point&);
  void join_lanes(const Emitter&, const Scan&, std::vector<Expr> values, const std::vector<Expr>& so_far,
                  Expr t);
  void join_below(const Running::Groups& so_far);
  static std::vector<Expr> joined(const Emitter&, const Scan&, std::vector<Expr> left,
                                  const std::vector<Expr>& right);

  const Emitter e_;
  scalar::Arena& arena_;
  const int lanes_, steps_;
  soac::Lambda operands_;  // of all Scans, one after the other
  std::vector<Scan> scans_;
  Running::Groups totals_;         // of what was scanned ahead
  Expr first_point_, first_lane_;  // of the round, in memory
};

}  // namespace fulgurite::walk::lanes
