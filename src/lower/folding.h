// What runs of points need to know of the runs before: the phases `fold` and `carry` of a launch
// (combinator.h), or, where nobody needs to know of runs behind, a chain: tasks take turns to join what they
// have to what all before them had (Merrill, Garland, "Single-pass parallel prefix scan with decoupled
// look-back", 2016), while their points are in the cache.
#pragma once

#include <optional>

#include "lower/packing.h"
#include "lower/scan_runs.h"

namespace fulgurite::lower {

class Folding {
 public:
  explicit Folding(Frame&);

  /// The phases; none where the Soac has no Scan and no partition.
  void phases();
  /// What the points of a task start with: values of the Scans, where the points of each class go.
  Entry entry(const Emitter& task);
  /// What is to be done when they have been walked: what was packed goes to its place.
  void finish(const Emitter& task, const Ends&);
  /// The numbers of points that the partitions keep, element 0 of each, once the phases are done.
  const std::vector<Var>& kept() const { return kept_; }
  bool has_scans() const { return !scans_.empty(); }

 private:
  struct Scan {
    const soac::Stm* stm;
    const soac::Scan* op;
    std::vector<Var> partials;  // of each component, one for each task; then what the task goes on from. In
                                // a chain one: what the next task goes on from
  };
  bool is_late(std::size_t partition) const;
  bool is_chained(std::size_t partition) const;
  void start_chain();
  bool scans_ahead() const;
  const Running::Groups& scan_ahead(const Emitter& task);
  std::vector<Expr> fold(const Emitter& task, const std::vector<Scan>&,
                         const std::vector<std::size_t>& partitions, Entry);
  void store_partials(const Emitter& task, const std::vector<Expr>& partials);
  void carry(const Emitter&, const Scan&);
  Running::Groups carried(const Emitter& task);
  Running::Groups take_turn(const Emitter& task);
  Running::Groups fold_all(const Emitter& task);
  Destination table(const Emitter& task, std::size_t partition);
  Expr is_last(const Emitter& task);
  void count(const Emitter&, std::size_t partition);

  Frame& at_;
  scalar::Arena& arena_;
  Packing packing_;
  std::vector<Scan> scans_;
  std::optional<ScanRuns> scanned_;                        // by the task before its turn
  bool chain_;                                             // the Scans are chained
  std::optional<Var> turn_of_scans_, turn_of_partitions_;  // of their chains
  std::vector<Var> counts_, kept_;  // of each partition; counts_ only of those that are counted
};

}  // namespace fulgurite::lower
