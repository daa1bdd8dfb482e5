// A sort as a network of comparisons, by merge exchange (Batcher, "Sorting networks and their applications",
// AFIPS 1968; Knuth, "The Art of Computer Programming", volume 3, algorithm 5.2.2M): which elements meet, and
// in which order, follows from their number alone. So several rows are sorted at once, each by a lane.
#pragma once

#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

/// Statements that bind what the Sort, which has no segments, binds: loops that exchange two elements in each
/// iteration, of which n elements need about n * log2(n)^2 / 4. Elements that differ although their keys are
/// equal stay in their order: what is sorted then are the keys together with the places of the elements, at
/// most 2^16 of them; of floats the keys, which only NaNs have in common, and these get their order after.
std::vector<Stm> sorted_by_network(Arena&, const Stm& sort);

/// Puts networks in place of the sorts of a function, but not of functions of Soacs inside of it. Whether
/// rows are short: where all that they exchange takes at most this many bytes; absent: there are no sorts.
Expr use_networks(Arena&, Lambda&, std::int64_t bytes);

/// The map as maps that give what its sorts do, and one, the last, that reads them. Empty: it has no sorts
/// outside of loops and branches, or their sizes are not the same for all points.
std::vector<Stm> with_sorts_before(Arena&, const Stm& map);

}  // namespace fulgurite::soac
