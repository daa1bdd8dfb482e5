#include "lower/inner.h"

#include "lower/block_loop.h"
#include "lower/lift.h"

namespace fulgurite::lower {

void inner_combinator(Launches& launches, Emitter& e, const soac::Stm& original) {
  scalar::Arena& arena = launches.arena();
  soac::Stm s = lift_missing_neutral(arena, original);
  const auto& op = std::get<soac::Soac>(s.op);
  Policy policy = choose(arena, op, launches.sizes(), launches.options().target);
  Range range;
  range.begin = arena.i64(0);
  if (op.dims.size() > 1 && !policy.linear) {
    range.first_row = arena.i64(0);
    range.last_row = e.lower(launches.product(std::span(op.dims).first(op.dims.size() - 1)));
  }
  range.end = e.lower(policy.linear ? launches.product(op.dims) : op.dims.back());
  e.finish(s, block_loop(e, s, range, policy).totals);
}

}  // namespace fulgurite::lower
