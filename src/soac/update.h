// In-place updates: Scatters whose result can take the memory of an array, because their contents are its
// elements. Others decide whether the array is needed afterwards: fuse keeps readers of the old array before
// the update where it can, and lowering hands the memory on where nothing else holds it.
#pragma once

#include <optional>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

/// The array that a component of the scatter begins as, element by element; absent: there is none.
std::optional<Var> contents_of(const Scatter&, std::size_t component);

/// For each component of the Soac's scatter number `scatter`, the array whose memory its result may take: the
/// contents are that array as it is, and each point reads it only at the place that it, and no other point,
/// stores to, or where no point stores at all (apart.h), or the space has one point. Absent: there is none.
/// Such reads become reads of the result.
std::vector<std::optional<Var>> updates(Arena&, const Soac&, std::size_t scatter);

/// An array whose memory the result of a scatter may take where a condition (bool) holds that is known before
/// the points run. Absent: always, and its reads become reads of the result. With a condition, points read
/// the array only where no point stores, and what they read stays the array as it was: where the condition
/// does not hold, the result begins as a copy.
struct Update {
  Var array{};
  Expr where = {};
};
/// For each component the array of updates(), or one under a condition; of a scatter from which others go on,
/// for all of these together. A scatter that goes on has none of its own.
std::vector<std::optional<Update>> updates_where(Arena&, const Soac&, std::size_t scatter);

/// All arrays that the statement may update in place, under conditions or always.
std::vector<Var> updated_arrays(Arena&, const Stm&);

}  // namespace fulgurite::soac
