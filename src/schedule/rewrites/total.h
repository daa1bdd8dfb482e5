// Integer expressions that cannot fail.
#pragma once

#include <functional>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// Whether it is a quotient or a remainder of integers.
bool divides(scalar::Expr);

/// An expression without divisions by 0 that has the value of `e` where all of `conditions` hold, to which
/// total() appends. Names become what `value_of` gives for them, if it gives something.
scalar::Expr total(scalar::Arena&, scalar::Expr e, std::vector<scalar::Expr>& conditions,
                   const std::function<scalar::Expr(scalar::Var)>& value_of = {});

}  // namespace fulgurite::schedule
