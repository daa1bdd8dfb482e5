// In-place updates: Scatters whose result can take the memory of an array, because that is what their
// contents are. Whether the array is needed afterwards is for others to know: fuse keeps readers of the old
// array before the update where it can, lowering lets the memory change hands where nobody else holds it.
#pragma once

#include <optional>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

/// The array that a component of the scatter begins as, element by element; absent: there is none.
std::optional<Var> contents_of(const Scatter&, std::size_t component);

/// For each component of the Soac's scatter number `scatter`, the array whose memory its result may take: the
/// contents are that array as it is, and the statement reads it nowhere else but at the place that the same
/// point, and no other, stores to (or in a space of one point). Absent: none. Those reads are then of the
/// result.
std::vector<std::optional<Var>> updates(Arena&, const Soac&, std::size_t scatter);

/// All arrays that the statement may update in place.
std::vector<Var> updated_arrays(Arena&, const Stm&);

}  // namespace fulgurite::soac
