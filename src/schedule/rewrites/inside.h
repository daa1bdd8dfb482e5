// Reads whose indices are linear in the innermost index, and divisors that do not depend on it, are inside of
// their arrays, and not 0, along a whole row if they are at its ends: so they are looked at once a row, and
// points look at nothing. So are reads of combinators inside of points whose indices are linear in those of
// the combinators, too, values that a Check asks to be between 0 and an extent, and places that points
// scatter to, which are left out where they are outside. It is the same along the iterations of a loop that
// changes an array element by element. Quotients and remainders of the innermost index get names, and what is
// indexed by them is looked at once a row, too.
#pragma once

#include <optional>
#include <vector>

#include "schedule/rewrites/quotients.h"

namespace fulgurite::schedule {

struct Inside {
  /// The statement without the checks.
  soac::Stm stm;
  /// Boolean: for this row all removed checks hold. It reads nothing and cannot fail.
  scalar::Expr holds;
  /// Its points scatter to places inside of the arrays, too.
  bool scatters_inside = false;
  /// What the names stand for that the statement has for quotients of the column.
  std::vector<Quotient> quotients = {};
};
/// Null: there are no such checks and places, or too many.
std::optional<Inside> inside(scalar::Arena&, const soac::Stm&, const Row&);
/// Takes a loop with `trips` iterations whose body has neither loops nor combinators of several points.
std::optional<Inside> inside_loop(scalar::Arena&, const soac::Stm&, scalar::Expr trips);

}  // namespace fulgurite::schedule
