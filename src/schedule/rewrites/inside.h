// Reads whose indices are linear in the innermost index, and divisors that do not depend on it, are inside of
// their arrays, and not 0, along a whole row if they are at its ends: so they are looked at once a row, and
// points look at nothing. So are places that points scatter to, which are left out where they are outside.
// It is the same along the iterations of a loop that changes an array element by element.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// The columns of a row that are walked: the indices of the other axes, the first column and the last one.
struct Row {
  std::span<const scalar::Expr> outer;
  scalar::Expr first, last;
};
struct Inside {
  /// The statement without the checks.
  soac::Stm stm;
  /// Boolean: for this row all removed checks hold. It reads nothing and cannot fail.
  scalar::Expr holds;
  /// Its points scatter to places inside of the arrays, too.
  bool scatters_inside = false;
};
/// Null: there are no such checks and places, or too many.
std::optional<Inside> inside(scalar::Arena&, const soac::Stm&, const Row&);
/// Takes a loop with `trips` iterations whose body has neither loops nor combinators of several points.
std::optional<Inside> inside_loop(scalar::Arena&, const soac::Stm&, scalar::Expr trips);

}  // namespace fulgurite::schedule
