// Scatters without an operator, where the order of the points says which of several values for one place
// stays: the last one.
//
// Few points are stored by one task, in their order. Many are cut into tiles, and the destination into
// ranges of neighbouring elements. The task of a tile sorts its points by range (by counting, so the points
// of a range stay in their order); then the task of a range stores the points that the tiles have for it,
// tile by tile. Nobody else writes to the range, which is small enough for a cache: where the destination is
// larger than that, this is as quick as stores in any order (the first of two steps of a radix sort, as in
// Merrill and Grimshaw, "High performance and scalable radix sorting", 2011).
#pragma once

#include "schedule/lanes/building.h"
#include "schedule/rewrites/posts.h"

namespace fulgurite::schedule {

/// Ranges of a power of two of elements: of a destination of `size` elements at most 2 to the power `bits`,
/// and each of at least 2 to the power `least_shift` elements.
struct Ranges {
  Expr shift, count;
};
Ranges ranges_of(scalar::Arena&, Expr size, std::int64_t bits, std::int64_t least_shift);

/// The phases for what the points post: "store", "sort tiles", "store ranges".
void add_ordered_stores(Building&, const std::vector<OrderedPosts>&);

}  // namespace fulgurite::schedule
