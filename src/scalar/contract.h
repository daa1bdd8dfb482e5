// Contraction, as far as single expressions go: a sum of floats takes a product without rounding it first.
#pragma once

#include "scalar/expr.h"

namespace fulgurite::scalar {

/// A product of floats, a * b.
struct Product {
  Expr a, b;
};
/// `e` as a product, where it is one: a * b, or its negation.
std::optional<Product> product_of(Arena&, Expr e);

/// -(a * b), exactly; a negated constant is a constant.
Product negated(Arena&, Product);

/// left + right or left - right (`op`), of which the left (`is_left`) or the right operand is the product:
/// rounded once. `other` is the operand that is not the product.
Expr contracted(Arena&, Op op, const Product&, bool is_left, Expr other);

/// Operations that give one of their operands but for its sign: where that is a product, so is the result.
/// Calls visit for each operand that the result may be.
void for_each_choice(Expr e, const std::function<void(Expr)>& visit);

}  // namespace fulgurite::scalar
