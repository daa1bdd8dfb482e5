#include "soac/ordered_choice.h"

#include "scalar/value.h"

namespace fulgurite::soac {

using scalar::Op;

namespace {

Expr negated(Expr e) {
  return e.op() == Op::bit_not ? e.arg(0) : Expr();
}

// The comparison x <= y in !(x <= y) & !isnan(b); absent: the condition is another one.
Expr comparison_in(Expr condition, Expr b) {
  if (condition.op() != Op::bit_and) return {};
  for (const std::size_t k : {0u, 1u}) {
    const Expr comparison = negated(condition.arg(k)), test = negated(condition.arg(1 - k));
    if (!comparison || !test || comparison.op() != Op::le) continue;
    if (test.op() == Op::isnan && test.arg(0) == b) return comparison;
  }
  return {};
}

}  // namespace

std::optional<OrderedChoice> ordered_choice(Arena& arena, const Lambda& op) {
  const std::size_t n = op.results.size();
  if (!op.body.empty() || n < 2 || op.results[0].op() != Op::select) return {};
  const Expr condition = op.results[0].arg(0);
  for (std::size_t v = 0; v < n; ++v) {
    const Expr a = arena.name(op.params[v]), b = arena.name(op.params[n + v]);
    const Expr comparison = comparison_in(condition, b);
    if (!comparison) continue;
    const bool keeps_greater = comparison.arg(0) == b && comparison.arg(1) == a;
    if (!keeps_greater && !(comparison.arg(0) == a && comparison.arg(1) == b)) continue;
    OrderedChoice choice{v, op, {}};
    const Expr wins = keeps_greater ? a < b : b < a;
    for (std::size_t k = 0; k < n; ++k) {
      const Expr left = arena.name(op.params[k]), right = arena.name(op.params[n + k]);
      const Expr result = op.results[k];
      if (result.op() != Op::select || result.arg(0) != condition) return {};
      if (result.arg(1) != right || result.arg(2) != left) return {};
      choice.without_nans.results[k] = select(wins, right, left);
    }
    choice.worst =
        arena.constant(a.kind(), keeps_greater ? scalar::lowest(a.kind()) : scalar::highest(a.kind()));
    return choice;
  }
  return {};
}

}  // namespace fulgurite::soac
