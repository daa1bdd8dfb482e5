#include "walk/lanes/short_rows.h"

#include "parts/operator.h"

namespace fulgurite::walk::lanes {

std::vector<Expr> reduce_short_row(const Emitter& scalar_code, const soac::Stm& s, const Range& range,
                                   std::int64_t lanes) {
  const Emitter e = scalar_code.in_lanes();
  scalar::Arena& arena = e.arena();
  const auto& op = std::get<soac::Soac>(s.op);
  const std::vector<Var> shared = shared_values(e, op.reductions, lanes);
  e.par(kernel::Level::block, arena.i64(lanes), "t", [&](Expr t) {
    const Running running{start(e, op), {}, 0, {}};
    const auto take = [&](Expr index) {
      point(e.at_element(index), s, std::span(&index, 1), index, running);
    };
    const Expr step = arena.i64(lanes);
    const Expr whole = e.lower(range.begin + (range.end - range.begin) / step * step);
    e.for_loop(range.begin, whole, step, "j", [&](Expr j) { take(e.bind(j + t, "j")); });
    e.if_then(e.lower(whole < range.end), [&] {
      const Expr index = e.bind(whole + t, "j");
      const Expr end = cast(range.end, Kind::i32);
      const Expr in_range = cast(index, Kind::i32) < end;
      e.if_then(e.bind(in_range, "in_range"), [&] { take(index); });
    });
    save(e, running.reductions, shared, t);
  });
  // Indices are constants: the compiler keeps all of this in registers.
  for (std::int64_t width = lanes / 2; width > 1; width /= 2)
    e.par(kernel::Level::block, arena.i64(width), "t",
          [&](Expr t) { join_halves(e, op, shared, t, arena.i64(width)); });
  join_halves(e, op, shared, arena.i64(0), arena.i64(1));
  return parts::load_all(e, shared, arena.i64(0), "total");
}

}  // namespace fulgurite::walk::lanes
