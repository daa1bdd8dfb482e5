#include "lower/neighbours.h"

#include "walk/control.h"

namespace fulgurite::lower {

void join_neighbours(const Emitter& e, const std::vector<soac::Reduction>& reductions,
                     std::span<const Var> partials, Expr n) {
  scalar::Arena& arena = e.arena();
  Expr apart = e.declare(arena.i64(1), "apart"), now;
  const auto is_more = [&] {
    now = e.snapshot(apart, "apart");
    return e.bind(arena.lt(now, n), "more");
  };
  e.while_loop(is_more, [&] {
    Expr step = e.bind(arena.add(now, now), "step");
    Expr end = e.bind(arena.sub(n, now), "end");
    e.for_loop(arena.i64(0), end, step, "i", [&](Expr i) {
      Expr other = e.bind(arena.add(i, now), "at");
      std::size_t next = 0;
      for (const soac::Reduction& r : reductions) {
        const std::size_t n_parts = r.neutral.size();
        std::vector<Expr> args;
        for (Expr at : {i, other})
          for (std::size_t k = 0; k < n_parts; ++k)
            args.push_back(e.load_plain(partials[next + k], at, "part"));
        const std::vector<Expr> joined = apply(e, r.op, args);
        for (std::size_t k = 0; k < n_parts; ++k) e.store_plain(partials[next + k], i, joined[k]);
        next += n_parts;
      }
    });
    e.assign(apart, step);
  });
}

}  // namespace fulgurite::lower
