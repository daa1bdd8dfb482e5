// The Scans of a launch: in the walk that makes their values, where blocks may wait for each other; else in
// two passes: blocks fold what they have, one block scans that, and then each block knows what it goes on
// from (Sengupta, Harris, Zhang, Owens, "Scan primitives for GPU computing", 2007, section 4.1: reduce, scan,
// scan).
#pragma once

#include "schedule/blocks/frame.h"

namespace fulgurite::schedule::blocks {

class Scans {
 public:
  explicit Scans(Frame&);

  /// Two phases for each level of Scans that wait for others; or one that says that nothing is handed on yet.
  void add_phases();
  /// For a walk over a part of the body: says from what its Scans go on.
  void go_on(const soac::Soac&, Nest&) const;
  /// For the walk over the whole body: their last values, and where the classes of partitions
  /// that are Scans begin, unless the phases have found that.
  void end(Nest&) const;
  /// Where the last values are: element 0 of each component's array.
  const std::vector<Var>& totals(std::size_t scan) const { return scans_[scan].totals; }

 private:
  struct Scan {
    const soac::Stm* stm;
    int level;
    // Of each component: of each block, of each block (in one pass: with the block's own), one.
    std::vector<Var> partials, carries, totals;
  };
  std::vector<const Scan*> at_level(int) const;
  Expr size_of_state() const;
  std::int64_t tiles_at_once() const;
  void fold(const std::vector<const Scan*>&);
  void carry(const std::vector<const Scan*>&);
  std::vector<Classes> classes_of(const std::vector<const Scan*>&) const;

  Frame& at_;
  std::vector<Scan> scans_;
  int n_levels_ = 0;
  Var state_{};  // in one pass: the next block's number, and how far each is
};

}  // namespace fulgurite::schedule::blocks
