// A branch on which side of a bound the innermost index is (`i < n`: joined arrays, turned arrays, the edges
// of stencils) costs nothing per element if the axis is walked in two pieces, in each of which the answer is
// known: index-set splitting. The pieces of a concatenation are thus written one after the other, each by a
// loop without a condition, as a push array would (Obsidian 2012, section 3).
#pragma once

#include <optional>
#include <vector>

#include "schedule/ir.h"

namespace fulgurite::schedule {

/// The conditions by which the innermost axis of a Soac may be split: those of branches of its body that
/// compare the innermost index with what does not depend on the point, and of what is left of the body in
/// each piece; at most `most` one in another.
std::vector<Split> splits_of(scalar::Arena&, const soac::Stm&, std::int64_t most);

/// The first branch of the body with one of these conditions (null: with any such condition): the piece
/// before `at`, where it is decided one way, and the piece from there on.
struct Pieces {
  Expr at;
  soac::Stm before, behind;
};
std::optional<Pieces> split(scalar::Arena&, const soac::Stm&, const std::vector<Split>* conditions);

}  // namespace fulgurite::schedule
