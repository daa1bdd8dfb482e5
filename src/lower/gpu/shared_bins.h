// Bins that a block has for itself in shared memory, where they are few, so that not all points of a launch
// wait for the same elements of global memory.
#pragma once

#include <map>

#include "lower/gpu/collective.h"

namespace fulgurite::lower::gpu {

/// Of a scatter whose operator is one operation of memory.
class SharedBins {
 public:
  /// For a block that walks so many points, in at most so many passes.
  SharedBins(const Emitter&, Var array, const soac::Scatter&, kernel::Atomic::What, Expr n_points,
             int most_passes);

  /// Before the points. A barrier stands behind.
  void open(const Emitter&, const Block&);
  /// A point's value, in Par(block).
  void update(const Emitter&, Expr place, Expr value) const;
  /// When all points have been walked: what is in the bins goes to the array.
  void flush(const Emitter&, const Block&) const;

  /// Walks the points once for all bins that fit, and again for the next ones.
  void by_passes(const Emitter&, const Block&, const std::function<void()>& walk);
  bool has_passes() const { return most_passes_ > 1; }

 private:
  Var array_, bins_{};
  kernel::Atomic::What what_;
  int most_passes_;
  Expr identity_, are_shared_;
  Expr size_;       // bins that there are
  Expr most_;       // that fit
  Expr first_, n_;  // those that are in shared memory
};

/// Walks the points with all of these; those of a scatter by its number.
void fill(const Emitter&, const Block&, std::map<std::size_t, SharedBins>&,
          const std::function<void()>& walk);

}  // namespace fulgurite::lower::gpu
