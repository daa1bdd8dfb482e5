// Whether an array that a Soac makes is better computed where it is read than kept in memory. The rule never
// repeats work that is dearer than a load (simplify/cost.h has the numbers).
#pragma once

#include <string>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::fuse {

/// Who uses the arrays of one statement, in the statements after it and in the results of the same body.
struct Uses {
  std::vector<scalar::Var> read;     // arrays of which elements are read
  std::vector<scalar::Var> whole;    // arrays needed in memory: results, state of loops
  std::vector<std::size_t> readers;  // statements that read elements
  bool read_by_results = false;      // the expressions after the last statement do
};
Uses uses_of(const scalar::Arena&, const std::vector<soac::Stm>&, std::size_t producer,
             const std::vector<scalar::Expr>& results);

struct Decision {
  bool inlines = false;
  std::string reason;
};
/// For a Soac without reductions, in a body whose arrays can be in memory.
Decision decide(scalar::Arena&, const std::vector<soac::Stm>&, std::size_t producer,
                const std::vector<scalar::Expr>& results, const Uses&);

}  // namespace fulgurite::fuse
