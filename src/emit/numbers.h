// Which floats of a kernel are never NaN. A minimum with one need not ask whether the other is NaN: a
// comparison with NaN fails, which keeps the number. An accumulator that begins at infinity and takes minima
// is one, and so are the elements of a buffer that only such accumulators are stored in.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel/ir.h"

namespace fulgurite::emit {

class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(const kernel::Kernel&);

  bool is_number(scalar::Expr) const;

 private:
  std::unordered_set<scalar::Var> names_;
};

}  // namespace fulgurite::emit
