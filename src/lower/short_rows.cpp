#include "lower/short_rows.h"

namespace fulgurite::lower {

constexpr std::int64_t short_vectors = 4;

std::vector<Expr> reduce_short_row(const Emitter& scalar_code, const soac::Stm& s, const Range& range,
                                   std::int64_t lanes) {
  const Emitter e = scalar_code.in_lanes();
  scalar::Arena& arena = e.arena();
  const auto& op = std::get<soac::Soac>(s.op);
  std::vector<Var> shared;
  for (const soac::Reduction& r : op.reductions)
    for (Expr neutral : r.neutral) shared.push_back(e.allocate_shared(neutral.kind(), lanes));
  e.par(kernel::Level::block, arena.i64(lanes), "t", [&](Expr t) {
    const Running running{start(e, op), {}, 0, {}};
    e.for_loop(range.begin, range.end, arena.i64(lanes), "j", [&](Expr j) {
      Expr index = e.bind(arena.add(j, t), "j");
      const Expr end = arena.cast(range.end, Kind::i32);
      const Expr in_range = arena.lt(arena.cast(index, Kind::i32), end);
      e.if_then(e.bind(in_range, "in_range"),
                [&] { point(e.at_element(index), s, std::span(&index, 1), index, running); });
    });
    std::size_t next = 0;
    for (const auto& group : running.reductions)
      for (Expr variable : group) e.store_plain(shared[next++], t, e.snapshot(variable, "acc"));
  });
  // Indices are constants: the compiler keeps all of this in registers.
  for (std::int64_t width = lanes / 2; width > 1; width /= 2)
    e.par(kernel::Level::block, arena.i64(width), "t",
          [&](Expr t) { join_halves(e, op, shared, t, arena.i64(width)); });
  join_halves(e, op, shared, arena.i64(0), arena.i64(1));
  std::vector<Expr> totals;
  for (Var buffer : shared) totals.push_back(e.load_plain(buffer, arena.i64(0), "total"));
  return totals;
}

bool is_row(const soac::Soac& op, const Policy& policy) {
  std::size_t n_operands = 0;
  for (const soac::Reduction& r : op.reductions) n_operands += r.neutral.size();
  return n_operands > 0 && n_operands == op.body.results.size() && op.dims.size() == 1 && !policy.rows &&
         policy.tail_lanes > 1 && !is_in_order(op);
}

std::vector<Expr> reduce_row(const Emitter& e, const soac::Stm& s, const Range& range, const Policy& policy) {
  scalar::Arena& arena = e.arena();
  const auto& op = std::get<soac::Soac>(s.op);
  std::vector<Expr> totals;
  for (const soac::Reduction& r : op.reductions)
    for (Expr neutral : r.neutral) totals.push_back(e.declare(arena.constant(neutral.kind(), 0), "total"));
  auto assign = [&](const std::vector<Expr>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) e.assign(totals[k], values[k]);
  };
  const std::int64_t lanes = policy.tail_lanes;
  Expr most = arena.add(range.begin, arena.i64(short_vectors * lanes));
  Expr is_short = e.lower(arena.le(range.end, most));
  e.if_then_else(
      is_short, [&] { assign(reduce_short_row(e, s, range, lanes)); },
      [&] { assign(block_loop(e, s, range, policy).totals); });
  for (Expr& total : totals) total = e.snapshot(total, "total");
  return totals;
}

}  // namespace fulgurite::lower
