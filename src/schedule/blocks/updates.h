// How the values of scatters and partitions get to their places, with the phases that this needs.
#pragma once

#include "schedule/blocks/scans.h"

namespace fulgurite::schedule::blocks {

class Updates {
 public:
  /// With memory: for winners, and for bins that each block has for itself.
  Updates(Frame&, const Scans&);

  /// What phases add to, or look at before they have stored there.
  void clear();
  /// What has to be known before values are stored: which point's stay, how many points a class has.
  void look_first();
  /// Adds them to the nest of the walk over the whole body, which computes `op`.
  void combine(const soac::Soac& op, Nest&) const;
  /// What the blocks have for each place, joined.
  void join_places();

 private:
  Expr size_of(std::size_t scatter) const { return at_.product(at_.op().scatters[scatter].shape); }
  void find_winners(std::size_t scatter);
  void count(std::size_t partition);
  void sum_counts(std::size_t partition, Var counts, Var table);
  Phase& scatter_apart(std::string name, Var memory, const std::vector<Expr>& shape, const soac::Reduction&,
                       Expr before, std::vector<Expr> results);
  void add_atomic(Nest&, const soac::Soac&, std::size_t scatter, Var array, std::int64_t n_shared) const;
  void add_bins(Nest&, std::size_t scatter, std::int64_t n_shared) const;
  std::int64_t scan_of(std::size_t scatter) const;

  Frame& at_;
  scalar::Arena& arena_;
  const Scans& scans_;
  std::vector<Join> how_;                 // of each scatter
  std::vector<std::vector<Var>> memory_;  // the same: winners, bins of blocks
  std::vector<Var> tables_;               // of each partition
};

}  // namespace fulgurite::schedule::blocks
