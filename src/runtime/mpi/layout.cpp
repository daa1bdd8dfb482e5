#include "runtime/mpi/layout.h"

#include <algorithm>

namespace fulgurite::runtime::mpi {

bool Layout::is_everywhere(const Intervals& bytes) const {
  return std::ranges::all_of(of_rank_, [&](const Intervals& has) { return (bytes - has).empty(); });
}

void Layout::computed_everywhere(const Intervals& bytes) {
  for (Intervals& has : of_rank_) has.add(bytes);
}

void Layout::computed(std::span<const Intervals> computed) {
  const Intervals all = Intervals::together(computed);
  for (std::size_t r = 0; r < of_rank_.size(); ++r) {
    of_rank_[r] = of_rank_[r] - (all - computed[r]);
    of_rank_[r].add(computed[r]);
  }
}

}  // namespace fulgurite::runtime::mpi
