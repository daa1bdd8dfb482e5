#include "parts/neighbours.h"

namespace fulgurite::parts {

void join_neighbours(const Builder& b, Expr n, const std::function<void(Expr first, Expr second)>& join) {
  scalar::Arena& arena = b.arena();
  Expr apart = b.declare(arena.i64(1), "apart"), now;
  const auto is_more = [&] {
    now = b.snapshot(apart, "apart");
    return b.bind(now < n, "more");
  };
  b.while_loop(is_more, [&] {
    Expr step = b.bind(now + now, "step");
    Expr end = b.bind(n - now, "end");
    b.for_loop(arena.i64(0), end, step, "i", [&](Expr i) {
      Expr other = b.bind(i + now, "at");
      join(i, other);
    });
    b.assign(apart, step);
  });
}

void join_neighbours(const Builder& b, std::span<const Operator> operators, std::span<const Var> partials,
                     Expr n) {
  join_neighbours(b, n, [&](Expr i, Expr other) {
    std::span<const Var> left = partials;
    for (const Operator& op : operators) {
      const std::span<const Var> parts = left.first(op.neutral.size());
      const std::vector<Expr> first = load_all(b, parts, i, "part");
      const std::vector<Expr> second = load_all(b, parts, other, "part");
      store_all(b, parts, i, op.apply(b, first, second));
      left = left.subspan(parts.size());
    }
  });
}

}  // namespace fulgurite::parts
