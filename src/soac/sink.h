// Evaluation on demand (docs/semantics.md): what only one branch of an If needs is computed in that branch.
#pragma once

#include <unordered_set>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

/// Adds the names whose computation may fail, or may not end, of the statements of a body from `first` on: in
/// the statement itself, or in one before it whose names it mentions.
void add_fallible(const std::vector<Stm>&, std::size_t first, std::unordered_set<Var>& names);

/// Moves statements that bind such names into the branch of an If that alone needs them: in
/// `i < n && (x[i] < 1 || x[i] > 100)` the right operand is an If of its own, which stands before the one
/// that it is an operand of. Checks stay where they are, and so do statements that two branches need; what
/// nothing needs goes.
void sink(Program&);

}  // namespace fulgurite::soac
