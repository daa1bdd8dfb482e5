// Bins that a block has for itself in shared memory, where they are few, so that not all points of a launch
// wait for the same elements of global memory.
#pragma once

#include <map>

#include "parts/block.h"

namespace fulgurite::parts {

using scalar::Kind, scalar::Op, scalar::Var;

/// What a block may do for bins of its own: they take this many bytes, and it walks its points this often at
/// most. `are_kept`: the array has bins of each block, the bins of one place beside each other, and the
/// block's are stored there; else the array has one for each place, which the block's are joined to.
struct BinLimits {
  std::int64_t bytes = 0;
  int passes = 1;
  std::int64_t points = 4;  // for each bin, at least: it is cleared and joined
  bool are_kept = false;
};

/// The bins of a scatter whose operator is one operation of memory.
class SharedBins {
 public:
  /// For a block that walks `n_points` points, which update `size` bins.
  SharedBins(const Builder&, const Block&, Var array, Expr size, kernel::Atomic::What, Expr n_points,
             const BinLimits&);

  /// Before the points. A barrier follows.
  void open(const Builder&, const Block&);
  /// A point's value, in Par(block).
  void update(const Builder&, Expr place, Expr value) const;
  /// When all points have been walked: what is in the bins goes to the array.
  void flush(const Builder&, const Block&) const;

  /// Walks the points once for all bins that fit, and again for the next ones.
  void by_passes(const Builder&, const Block&, const std::function<void()>& walk);
  bool has_passes() const { return most_passes_ > 1; }

 private:
  Expr element_of(const Builder&, Expr bin) const;

  Var array_, bins_{};
  kernel::Atomic::What what_;
  int most_passes_;
  bool are_kept_;
  Expr task_, tasks_;
  Expr identity_, are_shared_;
  Expr size_;       // bins that there are
  Expr most_;       // that fit
  Expr first_, n_;  // the bins that are in shared memory
};

/// Walks the points with all of these; those of a scatter by its number.
void fill(const Builder&, const Block&, std::map<std::size_t, SharedBins>&,
          const std::function<void()>& walk);

}  // namespace fulgurite::parts
