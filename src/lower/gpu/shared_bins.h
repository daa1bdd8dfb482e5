// Bins that a block has for itself in shared memory, where they are few, so that not all points of a launch
// wait for the same elements of global memory.
#pragma once

#include "lower/gpu/collective.h"

namespace fulgurite::lower::gpu {

/// Of a scatter whose operator is one operation of memory.
class SharedBins {
 public:
  /// For a block that walks so many points. A barrier stands behind.
  SharedBins(Emitter&, const Block&, Var array, const soac::Scatter&, kernel::Atomic::What, Expr n_points);

  /// A point's value, in Par(block).
  void update(Emitter&, Expr place, Expr value) const;
  /// When all points have been walked: what is in the bins goes to the array.
  void flush(Emitter&, const Block&) const;

 private:
  Var array_, bins_{};
  kernel::Atomic::What what_;
  Expr identity_, are_few_, n_;  // n_: bins in use
};

}  // namespace fulgurite::lower::gpu
