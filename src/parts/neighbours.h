// Partial results joined in their order, neighbours first, so that each passes through a logarithmic number
// of joins: the rounding error of a sum of partial sums grows no faster.
#pragma once

#include "parts/operator.h"

namespace fulgurite::parts {

/// In scalar code; afterwards element 0 of each buffer is the result of its n elements, if there are any. One
/// buffer for each component of each operator, in order.
///
///   for (apart = 1; apart < n; apart *= 2)
///     for (i = 0; i < n - apart; i += 2 * apart) partials[i] = op(partials[i], partials[i + apart])
void join_neighbours(const Builder&, std::span<const Operator>, std::span<const Var> partials, Expr n);
/// Joins n things in this order; join(first, second) joins the second one to the first.
void join_neighbours(const Builder&, Expr n, const std::function<void(Expr first, Expr second)>& join);

}  // namespace fulgurite::parts
