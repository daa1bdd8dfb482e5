// Which arrays that points make and change take the memory of another one. A function is given by its
// statements. It owns the memory of arrays that its statements make, and of arrays that it is told it owns
// (the state of a loop). An array may be changed where it lies if the function owns its memory, and if no
// statement after the change, and no result, reads the former elements.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "soac/walk.h"

namespace fulgurite::soac {

/// Arrays, each with the one whose memory it takes, which has the same shape:
///   a scatter that updates (update.h), its contents
///   the state of a loop that keeps its place (kept_places), the array that it begins with
///   the result of branches, the array that one of them gives, changed or not: the array that the other one
///   gives is copied there, and none of its other results lies there
/// Arrays in branches are among them. Arrays in functions that run several times (bodies of loops, points)
/// are not: their own statements decide.
using Reuse = std::unordered_map<Var, Var>;

/// A statement changes an array where it lies, or copies it first, because of what `why` says; empty: it does
/// not copy.
using Updated = std::function<void(const Stm&, Var array, const std::string& why)>;

Reuse reuse_of(Arena&, const std::vector<Stm>& body, const std::vector<Expr>& results, const Vars& own = {},
               const Updated& updated = {});

/// The array that had the memory first.
Var first_owner(const Reuse&, Var array);

/// For each component of a loop's state, the component in whose place in memory an iteration leaves it:
/// itself for arrays that are changed where they lie, another one of equal shape and kind where components
/// change places. Absent: scalars, and arrays that iterations make elsewhere.
std::vector<std::optional<std::size_t>> kept_places(Arena&, const Loop&);

/// Calls `updated` for each statement in the function, at every depth, that changes elements of an array.
void for_each_update(Arena&, const Lambda&, const Updated& updated);

}  // namespace fulgurite::soac
