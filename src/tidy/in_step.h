// Variables of loops that lanes leave at different times. Lanes that are still in the loop have gone
// round equally often: a variable that starts equal in all lanes and changes equally each time is equal in
// them. And a variable that only the loop reads may go on changing in the other lanes.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "kernel/ir.h"

namespace fulgurite::tidy {

/// Variables of the body of a Par(block) that are declared before a While, assigned once for each of its
/// iterations and nowhere else, and read in it by one Let of its head only: the names that these Lets bind.
/// Whether the values assigned differ between lanes is for the caller to see.
std::unordered_map<kernel::Var, kernel::Var> candidates_in_step(const kernel::Block& body);

/// Variables assigned in each iteration of a While and read nowhere but in it.
std::unordered_set<kernel::Var> read_in_their_loops(const kernel::Block& body);

}  // namespace fulgurite::tidy
