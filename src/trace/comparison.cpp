#include "trace/comparison.h"

#include <algorithm>
#include <unordered_map>

#include "trace/operators.h"

namespace fulgurite::trace {

namespace {

bool mentions_any(Expr e, std::span<const Var> vars) {
  return std::ranges::any_of(vars, [&](Var v) { return scalar::mentions(e, v); });
}

}  // namespace

std::optional<KeyOrder> key_order(Tracer& t, const detail::Body& less, std::span<const scalar::Kind> kinds,
                                  const Here& where) {
  const soac::Lambda lambda =
      operation(t, kinds, "sort", where, [&](const Exprs& ab) { return t.exprs(less(t.values(ab)), where); });
  const Expr result = lambda.results[0];
  if (!lambda.body.empty() || result.op() != Op::lt || scalar::can_fail(result)) return {};
  const std::span<const Var> params(lambda.params);
  const std::span<const Var> left = params.first(kinds.size()), right = params.last(kinds.size());
  const bool descends = mentions_any(result.arg(0), right);
  const Expr of_left = result.arg(descends ? 1 : 0), of_right = result.arg(descends ? 0 : 1);
  if (mentions_any(of_left, right) || mentions_any(of_right, left)) return {};
  std::unordered_map<Var, Expr> to_left;
  for (std::size_t i = 0; i < kinds.size(); ++i) to_left.emplace(right[i], t.arena().name(left[i]));
  if (scalar::substitute(t.arena(), of_right, to_left) != of_left) return {};
  return KeyOrder{std::vector<Var>(left.begin(), left.end()), of_left, descends};
}

}  // namespace fulgurite::trace
