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

void Layout::place_blocks(std::span<const std::int64_t> bytes) {
  std::int64_t begin = 0;
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    received(static_cast<int>(r), {begin, begin + bytes[r]});
    begin += bytes[r];
  }
}

void Layout::copied(const Layout* of, std::int64_t bytes) {
  const Intervals wanted(0, bytes);
  for (std::size_t r = 0; r < of_rank_.size(); ++r)
    of_rank_[r] = of == nullptr ? wanted : of->of_rank_[r] & wanted;
}

Needs needs_of_all(Layout& layout, std::byte* data, std::int64_t bytes) {
  const Intervals wanted(0, bytes);
  Needs needs{&layout, data, false, {}};
  for (int r = 0; r < layout.n_ranks(); ++r) needs.of_rank.push_back(wanted - layout.of(r));
  return needs;
}

}  // namespace fulgurite::runtime::mpi
