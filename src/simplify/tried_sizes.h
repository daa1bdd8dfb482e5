// Sizes that need their own arrays: a loop whose state grows by what its elements say has no size before its
// elements. How large such arrays become is found by trying. A combinator runs with room for some elements
// and gives the largest size that its points asked for; where that is more than there was room for, it runs
// again with more:
//   map (i < n) { .. loop (1, v0) .. do (k: i64, v: [k]) { m = let ..v[0]..; next: [m] = .. } }    is tried
//   as tried, most = loop (0, 64) while (tried < most) do {
//     room = let max(4 * tried, most)
//     needed = redomap (i < n) { .. loop (1, v0, 0) while (.., needed <= room) do {
//       m = let ..v[0]..
//       .. = if m <= room { next: [m] = .. } else { an array of size 0 } } } reduce max neutral 0
//     return room, needed
//   }
// A point that asks for more than the room ends there. Rooms grow by a factor, so that all tries together do
// little more than the last one.
#pragma once

#include "soac/walk.h"

namespace fulgurite::simplify {

/// The statement that binds `most` to the most elements that points of the combinator ask for. `s` holds
/// Checks (soac/room.h) that they are not more than `room`, a name that nothing binds.
soac::Stm tried_sizes(scalar::Arena&, const soac::Stm& s, scalar::Expr room, scalar::Expr most);

/// Reduces to the largest operand, and at least 0.
soac::Reduction greatest(scalar::Arena&);

}  // namespace fulgurite::simplify
