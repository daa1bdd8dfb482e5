// Reductions after their first point.
//
// Many keep the index of a point: the first of the largest elements, the last one that holds. A lane takes
// its points in ascending order, so that of two points' indices the right one is always the greater. What an
// operator asks about two indices, as most do to break ties, is decided then.
#pragma once

#include <optional>
#include <vector>

#include "soac/ir.h"
#include "soac/ordered_choice.h"

namespace fulgurite::schedule {

/// The Soac for all points but the first of an ascending walk over the innermost axis, when every reduction
/// holds a value: operators know that (holding_values()), and, in a Soac of reductions alone, such questions
/// are answered. Nothing if that changes nothing. A component is known to ascend if its
/// operand is the index and the operator gives one of the two, or if it is one of several that begin negative
/// and become each other or the index; `in_tile`: the walk stays in a tile of a power of two points, so that
/// an index that is cast to a smaller kind ascends too.
std::optional<soac::Stm> behind_first(scalar::Arena&, const soac::Stm&, bool in_tile);
/// Such a Soac for a piece of the points (splits.h), whose reductions hold values of points of other pieces
/// as well: operators know only what holds for all points.
std::optional<soac::Stm> piece_after_first(scalar::Arena&, const soac::Stm& all, const soac::Stm& piece,
                                           bool in_tile);

/// Such a Soac with indices in 32 bits, as the upper half of an i64 does not change in a tile: `components`
/// are the ones that it keeps in 32 bits.
struct NarrowIndices {
  struct Component {
    std::size_t reduction, component;
  };
  std::vector<Component> components;
  soac::Stm stm;
};
/// Nothing where an operator does more with indices than choose one, or keeps values of 64 bits beside them.
std::optional<NarrowIndices> narrow_indices(scalar::Arena&, const soac::Stm& behind_first);

/// Such a Soac whose operators take it that what they have is no NaN; a choice for each reduction.
struct WithoutNans {
  std::vector<soac::OrderedChoice> choices;
  soac::Stm stm;
};
/// Nothing where some operator does not choose by a float and keep one index, or points compute more than
/// elements: these would stand in the text twice.
std::optional<WithoutNans> without_nans(scalar::Arena&, const NarrowIndices&);

}  // namespace fulgurite::schedule
