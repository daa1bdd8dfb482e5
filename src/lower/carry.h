// What runs of points hand on to the next: shared by launches, whose tasks take the runs, and by combinators
// in scalar code, which are one run.
#pragma once

#include "soac/layout.h"
#include "walk/emitter.h"

namespace fulgurite::lower {

using scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;
using walk::Destination, walk::Emitter;

/// The number of the Scan of the body whose value at the end is this reduction, or -1: same operator, same
/// operands, same start.
int scan_like(scalar::Arena&, const soac::Soac&, const soac::Layout&, std::size_t reduction);

/// By a commutative operation of scalars of one kind.
soac::Reduction reduction_by(scalar::Arena&, scalar::Op, Expr neutral);
/// i64 addition.
soac::Reduction integer_sum(scalar::Arena&);

/// to[0 .. n) = 0
void clear(const Emitter&, Expr n, const Destination& to);

/// counts[t][c], the number of points of class c in run t, becomes the place of the first of them among all
/// points by class and run; offsets[c] where class c begins, and behind the classes the number of all, which
/// is the result.
Expr count_off(const Emitter&, const Destination& counts, Expr runs, Expr classes,
               const Destination& offsets);

}  // namespace fulgurite::lower
