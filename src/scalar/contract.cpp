#include "scalar/contract.h"

#include <utility>

namespace fulgurite::scalar {

Product negated(Arena& arena, Product p) {
  Expr& factor = p.b.is_constant() ? p.b : p.a;
  factor = arena.apply(Op::neg, {factor});
  return p;
}

std::optional<Product> product_of(Arena& arena, Expr e) {
  if (!is_float(e.kind())) return {};
  if (e.op() == Op::mul) return Product{e.arg(0), e.arg(1)};
  if (e.op() != Op::neg || e.arg(0).op() != Op::mul) return {};
  return negated(arena, {e.arg(0).arg(0), e.arg(0).arg(1)});
}

Expr contracted(Arena& arena, Op op, const Product& product, bool is_left, Expr other) {
  if (op == Op::add) return arena.apply(Op::fast_fma, {product.a, product.b, other});
  if (is_left) return arena.apply(Op::fast_fma, {product.a, product.b, arena.apply(Op::neg, {other})});
  const Product minus = negated(arena, product);
  return arena.apply(Op::fast_fma, {minus.a, minus.b, other});
}

void for_each_choice(Expr e, const std::function<void(Expr)>& visit) {
  switch (e.op()) {
    case Op::neg:
    case Op::abs:
    case Op::copysign: return visit(e.arg(0));
    case Op::min:
    case Op::max: return visit(e.arg(0)), visit(e.arg(1));
    case Op::select: return visit(e.arg(1)), visit(e.arg(2));
    default: return;
  }
}

}  // namespace fulgurite::scalar
