// What runs of points need to know of the runs before: the phases `fold` and `carry` of a launch
// (combinator.h).
#pragma once

#include "lower/frame.h"

namespace fulgurite::lower {

class Folding {
 public:
  explicit Folding(Frame&);

  /// The phases; none where the Soac has no Scan and no partition.
  void phases();
  /// What the points of a task start with: values of the Scans, where the points of each class go.
  Entry entry(Expr task);
  /// The numbers of points that the partitions keep, element 0 of each, once the phases are done.
  const std::vector<Var>& kept() const { return kept_; }
  bool has_scans() const { return !scans_.empty(); }

 private:
  struct Scan {
    const soac::Stm* stm;
    const soac::Scan* op;
    std::vector<Var> partials;  // of each component, one for each task; then what the task goes on from
  };
  bool is_late(std::size_t partition) const;
  void fold(Expr task, const std::vector<Scan>&, const std::vector<std::size_t>& partitions, Entry);
  void carry(const Scan&);
  Entry carried(Expr task);
  Destination table(std::size_t partition, Expr task);
  void count(std::size_t partition);

  Frame& at_;
  scalar::Arena& arena_;
  Emitter& e_;
  std::vector<Scan> scans_;
  std::vector<Var> counts_, kept_;  // of each partition
};

}  // namespace fulgurite::lower
