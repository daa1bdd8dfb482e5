// Where a Soac's outputs stand among the results of its body and among the names that its statement binds.
#pragma once

#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

struct Layout {
  /// `n` results from `result` on; `n_names` names from `name` on. Of a scatter the results are the indices
  /// of the place, then the values; of a partition the class, then the values; its names the number kept, the
  /// offsets, then the arrays.
  struct Part {
    std::size_t result = 0, n_results = 0;
    std::size_t name = 0, n_names = 0;
  };
  std::vector<Part> reductions, scatters, partitions;  // one for each, in order
  Part mapped;                                         // all mapped results; as many names
};
Layout layout_of(const Soac&);

}  // namespace fulgurite::soac
