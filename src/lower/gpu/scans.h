// The Scans of a launch in two passes: blocks fold what they have, one block scans that, and then each block
// knows what it goes on from (Sengupta, Harris, Zhang, Owens, "Scan primitives for GPU computing", 2007,
// section 4.1: reduce, scan, scan).
#pragma once

#include "lower/gpu/frame.h"

namespace fulgurite::lower::gpu {

class Scans {
 public:
  explicit Scans(Frame&);

  /// Two phases for each level of Scans that wait for others. The offsets of partitions that are Scans
  /// (ranks.h) come with them.
  void phases();
  /// What the Scans of a part of the body go on from, in a block.
  Entry entry(const soac::Stm&, Expr task);
  /// Behind the walk over the whole body: the last block has the Scans' values at the end.
  void finish(const Block&, const Ends&);
  /// Where those are: element 0 of each component's array.
  const std::vector<Var>& totals(std::size_t scan) const { return scans_[scan].totals; }

 private:
  struct Scan {
    const soac::Stm* stm;
    const soac::Scan* op;
    int level;
    std::vector<Var> partials, carries, totals;  // of each component; of each block, of each block, one
  };
  void fold(const std::vector<const Scan*>&);
  void carry(const std::vector<const Scan*>&);
  void offsets(const Ranks::Partition&, const std::vector<const Scan*>&, const Ends&);
  static int class_counted(const Ranks::Partition&, const Scan&);

  Frame& at_;
  scalar::Arena& arena_;
  Emitter& e_;
  std::vector<Scan> scans_;
};

}  // namespace fulgurite::lower::gpu
