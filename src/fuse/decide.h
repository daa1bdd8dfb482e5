// Whether an array that a Soac makes is better computed where it is read than kept in memory. The rule never
// repeats work that is more expensive than a load (simplify/cost.h has the numbers).
#pragma once

#include <string>
#include <vector>

#include "fuse/use_table.h"

namespace fulgurite::fuse {

/// Why a statement's arrays cannot be index functions; empty for a map, whose arrays can.
std::string_view why_in_memory(const soac::Stm&);

/// Whether memory for the arrays can be set aside before a function runs: no extent mentions what is bound in
/// it.
bool has_known_size(const scalar::Arena&, const std::vector<scalar::Var>& arrays, const soac::Vars& inside);

/// Whether the statement may update one of the arrays in place, whatever its function becomes: readers of the
/// old array had better not come later.
bool may_update(const soac::Stm&, const soac::Vars& arrays);

/// Whether the points of a map change arrays in loops, which lanes keep only for a map by itself
/// (schedule/lanes), and the other statement is no such map. Arrays of few elements become scalars anyway.
bool stay_apart(scalar::Arena&, const soac::Stm& map, const soac::Stm& other);

struct Decision {
  bool inlines = false;
  std::string reason;
};
/// For a map, in a body whose arrays can be in memory. `uses` is what the table says of it; `is_in_function`:
/// the body is that of a function which runs for each element.
Decision decide(scalar::Arena&, const std::vector<soac::Stm>&, std::size_t producer,
                const std::vector<scalar::Expr>& results, const UseTable&, const Uses& uses,
                bool is_in_function);

}  // namespace fulgurite::fuse
