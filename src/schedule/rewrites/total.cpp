#include "schedule/rewrites/total.h"

#include <unordered_map>

namespace fulgurite::schedule {

using scalar::Expr, scalar::Op;

bool divides(Expr e) {
  return (e.op() == Op::div || e.op() == Op::rem) && is_integer(e.kind());
}

Expr total(scalar::Arena& arena, Expr root, std::vector<Expr>& conditions,
           const std::function<Expr(scalar::Var)>& value_of) {
  std::unordered_map<Expr, Expr> values;
  std::vector<Expr> args;
  scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
    args.clear();
    for (Expr child : e.args()) args.push_back(values.at(child));
    Expr value;
    if (e.is_name()) {
      value = value_of ? value_of(e.var()) : Expr();
      if (!value) value = e;
    } else if (divides(e) && e.site() != 0) {
      const Expr zero = arena.constant(e.kind(), 0), one = arena.constant(e.kind(), 1);
      conditions.push_back(differs(args[1], zero));
      const Expr divisor = select(equal(args[1], zero), one, args[1]);
      if (e.op() == Op::div)
        value = args[0] / divisor;
      else
        value = args[0] % divisor;
    } else {
      value = scalar::rebuild(arena, e, args);
    }
    values.emplace(e, value);
  });
  return values.at(root);
}

}  // namespace fulgurite::schedule
