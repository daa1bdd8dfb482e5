// A branch on which side of a bound an index is (`i < n`: joined arrays, rotated arrays, the edges of
// stencils) costs nothing per element if the axis is walked in two pieces, in each of which the answer is
// known: index-set splitting. The pieces of a concatenation are thus written one after the other, each by a
// loop without a condition, as a push array would (Obsidian 2012, section 3). Of the outer axes the answer is
// known for a whole row. So it is with choices, with the larger and smaller of two numbers, and with checks
// of indices: what a part of the space says of its indices decides them all (thresholds.h).
#pragma once

#include <optional>
#include <vector>

#include "schedule/ir.h"
#include "schedule/rewrites/thresholds.h"

namespace fulgurite::schedule {

/// A part of the space of a Soac, and the statement for that part.
struct Region {
  soac::Stm stm;
  std::vector<Side> known = {};
  /// Its rows are not split any more.
  bool is_of_rows = false;
  /// Its rows are at the ends of axes: so few that their code had better be short.
  bool has_few_rows = false;
};

/// How often axes are split: the innermost one, and the outer ones besides their ends, one in another; and
/// how many times as long as the code of an axis in one piece that of all pieces may become. The code of a
/// piece has its points `loops` times, that of a short piece once.
struct SplitLimits {
  std::int64_t columns = 0, rows = 0, text = 0, loops = 1;
};

/// The conditions by which the axes of a Soac may be split: comparisons of one index with a value that does
/// not depend on the point, in its body and in what each part keeps of the body. Where all of them would make
/// the code too long, outer axes are split less often first, as few points lose by it, then the innermost
/// one.
std::vector<Split> splits_of(scalar::Arena&, const soac::Stm&, const SplitLimits&);

/// The columns before `at`, where a comparison is decided one way, and the columns from `at` on. Ends of the
/// axis that have as many columns in arrays of every size come first, so that all between them is one piece;
/// the few columns of an end are not split again.
struct Pieces {
  Expr at;
  Region before, behind;
  Expr condition;
};
/// Splits the region by one of these conditions; null: by any.
std::optional<Pieces> split(scalar::Arena&, const Region&, const std::vector<Split>* conditions);

/// The rows whose outer indices are on all of these sides, and the others.
struct RowPieces {
  std::vector<Side> sides;
  Region inside, others;
  std::vector<Expr> conditions;
  /// The others are few, at the ends of axes, and are not split.
  bool are_ends = false;
};
/// First where one axis has two parts, if `may_halve`, then all ends together.
std::optional<RowPieces> split_rows(scalar::Arena&, const Region&, const std::vector<Split>* conditions,
                                    bool may_halve);

/// How many columns the part has at most, if that does not depend on sizes.
std::optional<std::int64_t> most_columns(scalar::Arena&, const Region&);

}  // namespace fulgurite::schedule
