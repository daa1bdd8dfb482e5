#include "walk/operators.h"

#include <memory>

#include "walk/control.h"

namespace fulgurite::walk {

parts::Operator operator_of(const Emitter& e, const soac::Reduction& r) {
  const auto op = std::make_shared<const soac::Lambda>(r.op);
  const auto applied = [e, op](const kernel::Builder& b, std::span<const Expr> left,
                               std::span<const Expr> right) {
    std::vector<Expr> args(left.begin(), left.end());
    args.insert(args.end(), right.begin(), right.end());
    return apply(e.in_context_of(b), *op, args);
  };
  return {r.neutral, applied, r.commutative};
}

std::vector<parts::Operator> operators_of(const Emitter& e, std::span<const soac::Reduction> reductions) {
  std::vector<parts::Operator> all;
  for (const soac::Reduction& r : reductions) all.push_back(operator_of(e, r));
  return all;
}

}  // namespace fulgurite::walk
