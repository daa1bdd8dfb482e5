// A delayed array: a function from indices to element instead of memory (the delayed arrays of Accelerate,
// Obsidian's Pull). Any Soac's mapped results are such functions, and so are an If's arrays.
#pragma once

#include <vector>

#include "soac/ir.h"

namespace fulgurite::fuse {

struct Producer {
  std::vector<scalar::Var> names;     // the arrays
  std::vector<scalar::Expr> extents;  // of the indices that `at` takes
  // Takes indices. Returns, for each name, the element, or the array that the remaining indices select from.
  soac::Lambda at;
  bool may_fail = false;

  /// Which of the names it is; -1: none.
  int find(scalar::Var) const;
};

/// The mapped results of the Soac among `wanted`.
Producer delayed(scalar::Arena&, const soac::Stm& soac, const std::vector<scalar::Var>& wanted);
/// One array result of an If: the condition is asked for each element.
Producer delayed_branches(scalar::Arena&, const soac::Stm& branches, scalar::Var wanted);

/// Names of the arrays that the statement binds.
std::vector<scalar::Var> arrays_of(const scalar::Arena&, const soac::Stm&);

}  // namespace fulgurite::fuse
