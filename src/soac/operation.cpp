#include "soac/operation.h"

#include <algorithm>

#include "soac/rename.h"

namespace fulgurite::soac {

std::optional<scalar::Op> operation_of(const Lambda& op, std::size_t k) {
  const Expr result = op.results[k];
  if (!scalar::info(result.op()).has('c') || result.args().size() != 2) return {};
  const Var left = op.params[k], right = op.params[op.results.size() + k];
  const auto are = [&](Var a, Var b) {
    return result.arg(0).is_name() && result.arg(0).var() == a && result.arg(1).is_name() &&
           result.arg(1).var() == b;
  };
  return are(left, right) || are(right, left) ? std::optional(result.op()) : std::nullopt;
}

Reduction reduction_by(Arena& arena, scalar::Op op, Expr neutral) {
  const Expr a = arena.fresh({neutral.kind()}, "a"), b = arena.fresh({neutral.kind()}, "b");
  return {{{a.var(), b.var()}, {}, {arena.apply(op, {a, b})}}, {neutral}, {}, true};
}

bool is_same_function(Arena& arena, const Lambda& a, const Lambda& b, const std::function<Expr(Expr)>& form) {
  if (!a.body.empty() || !b.body.empty()) return false;
  std::vector<Expr> args;
  for (Var param : a.params) args.push_back(arena.name(param));
  return std::ranges::equal(a.results, apply(arena, b, args).results,
                            [&](Expr x, Expr y) { return x == y || (form && form(x) == form(y)); });
}

}  // namespace fulgurite::soac
