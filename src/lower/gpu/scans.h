// The Scans of a launch: in the walk that makes their values, where blocks may wait for each other
// (look_back.h); else in two passes: blocks fold what they have, one block scans that, and then each block
// knows what it goes on from (Sengupta, Harris, Zhang, Owens, "Scan primitives for GPU computing", 2007,
// section 4.1: reduce, scan, scan).
#pragma once

#include "lower/gpu/frame.h"

namespace fulgurite::lower::gpu {

class Scans {
 public:
  explicit Scans(Frame&);

  /// Two phases for each level of Scans that wait for others; or one that says that nothing is published.
  void phases();
  /// What blocks that look back publish in the walk over the whole body, of each level.
  std::vector<Published> published() const;
  /// What the Scans of a part of the body go on from, in a block.
  Entry entry(const Emitter& task, const soac::Stm&);
  /// Behind the walk over the whole body: the last block has the Scans' values at the end, and where the
  /// classes of partitions that are Scans (ranks.h) begin, unless the phases do.
  void finish(const Emitter&, const Block&, const Ends&);
  /// Where those are: element 0 of each component's array.
  const std::vector<Var>& totals(std::size_t scan) const { return scans_[scan].totals; }

 private:
  struct Scan {
    const soac::Stm* stm;
    const soac::Scan* op;
    int level;
    // Of each component: of each block, of each block (in one pass: with the block's own), one.
    std::vector<Var> partials, carries, totals;
  };
  std::vector<const Scan*> at_level(int) const;
  Expr size_of_state() const;
  void fold(const std::vector<const Scan*>&);
  void carry(const std::vector<const Scan*>&);
  void offsets(const Emitter&, const std::vector<const Scan*>&, const Ends&);
  void offsets(const Emitter&, const Ranks::Partition&, const std::vector<const Scan*>&, const Ends&);
  static int class_counted(const Ranks::Partition&, const Scan&);

  Frame& at_;
  scalar::Arena& arena_;
  std::vector<Scan> scans_;
  int n_levels_ = 0;
  Var state_;  // in one pass: the next block's number, and how far each is (look_back.h)
};

}  // namespace fulgurite::lower::gpu
