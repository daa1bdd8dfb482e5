// A branch on which side of a bound the innermost index is (`i < n`: joined arrays, turned arrays, the edges
// of stencils) costs nothing per element if the axis is walked in pieces, in each of which the answer is
// known: index-set splitting. The pieces of a concatenation are thus written one after the other, each by a
// loop without a condition, as a push array would (Obsidian 2012, section 3).
#pragma once

#include <optional>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// Where to cut, and the statement as it is before and from there on.
struct Cut {
  scalar::Expr at;
  soac::Stm before, behind;
};

/// The first branch of the Soac's body whose condition compares its innermost index with what does not depend
/// on the point, decided both ways; nothing if there is none.
std::optional<Cut> cut(scalar::Arena&, const soac::Stm&);

}  // namespace fulgurite::schedule
