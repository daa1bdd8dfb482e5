// Partitions of few classes are scans and a scatter (Blelloch, "Prefix sums and their applications", 1990:
// split): a point's place is the number of points of its class before it.
#pragma once

#include "soac/ir.h"

namespace fulgurite::schedule {

struct Ranks {
  struct Partition {
    std::size_t number;                // of the original's
    std::vector<scalar::Expr> counts;  // of each class: the name that the Scan of its points binds
    std::vector<scalar::Expr> first;   // where the class begins: 0, then names for the kernel to bind
  };
  /// Scatters store the values of these partitions, and come last; partitions with many classes stay.
  soac::Stm s;
  std::vector<Partition> partitions;
  std::size_t n_scatters = 0;  // of the original
};

/// Partitions of at most `most_classes` classes, a constant number, become scans.
Ranks rank(scalar::Arena&, const soac::Stm&, std::int64_t most_classes);

}  // namespace fulgurite::schedule
