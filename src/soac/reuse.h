// Arrays that points make and change: which of them take the memory of another one. A function is given by
// its statements; memory that is its own is that of arrays which the statements make, and of arrays that are
// told to be its own (the state of a loop). An array may be changed where it lies if its memory is its own
// and no statement after the change, and no result, reads the former elements.
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
///   the state of a loop that keeps its place (kept_places), what it begins with
///   the result of branches, the array that one of them gives, changed or not: what the other one gives is
///   copied there, and none of its other results lies there
/// Those of branches are among them, those of functions that run several times (bodies of loops, points) are
/// not: their own statements decide.
using Reuse = std::unordered_map<Var, Var>;

/// A statement changes an array where it lies, or copies it first, because of what `why` says; empty: it does
/// not copy.
using Updated = std::function<void(const Stm&, Var array, const std::string& why)>;

Reuse reuse_of(Arena&, const std::vector<Stm>& body, const std::vector<Expr>& results, const Vars& own = {},
               const Updated& updated = {});

/// The array that has had the memory first.
Var first_owner(const Reuse&, Var array);

/// For each component of a loop's state: the one whose place in memory an iteration leaves it in. Its own:
/// arrays that are changed where they lie. Components may change places among each other, those of one shape
/// and kind. Absent: scalars, and arrays that iterations make elsewhere.
std::vector<std::optional<std::size_t>> kept_places(Arena&, const Loop&);

/// Calls `updated` for each statement in the function, at every depth, that changes elements of an array.
void for_each_update(Arena&, const Lambda&, const Updated& updated);

}  // namespace fulgurite::soac
