// Partitions of few classes are scans and a scatter (Blelloch, "Prefix sums and their applications", 1990:
// split): what is counted before a point is where it goes.
#pragma once

#include "soac/ir.h"

namespace fulgurite::lower::gpu {

struct Ranks {
  struct Partition {
    std::size_t number;                // of the original's
    std::vector<scalar::Expr> counts;  // of each class: the name that the Scan of its points binds
    std::vector<scalar::Expr> first;   // where the class begins: names for the kernel to bind
  };
  soac::Stm s;  // with scatters, last, of those partitions' values; partitions of many classes stay
  std::vector<Partition> partitions;
  std::size_t n_scatters = 0;  // of the original
};

Ranks rank(scalar::Arena&, const soac::Stm&);

}  // namespace fulgurite::lower::gpu
