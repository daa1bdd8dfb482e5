#include "walk/lanes/quotients.h"

namespace fulgurite::walk::lanes {

using schedule::Quotient;

SteppedQuotients::SteppedQuotients(const Emitter& e, std::span<const Quotient> quotients, Expr from, Expr t,
                                   std::int64_t step) {
  const auto narrow = [&](Expr value) { return e.lower(cast(value, Kind::i32)); };
  for (const Quotient& of : quotients) {
    const Expr wide = e.lower(of.divisor), divisor = narrow(wide);
    const Expr dividend = e.lower(of.coefficient * from + e.lower(of.base));
    const Expr stride = e.arena().i64(of.coefficient * step);
    const Expr first = narrow(dividend % wide);
    const Expr lane = e.bind(first + cast(of.coefficient * t, Kind::i32), "lane");
    const Expr whole = narrow(dividend / wide);
    const Expr quotient = e.declare(whole + lane / divisor, "quotient");
    const Expr remainder = e.declare(lane % divisor, "remainder");
    all_.push_back({&of, quotient, remainder, divisor, narrow(stride / wide), narrow(stride % wide)});
  }
}

void SteppedQuotients::name(const Emitter& e) const {
  for (const Stepped& one : all_) {
    e.bind_name(one.of->quotient.var(), e.snapshot(one.quotient, "quotient"));
    e.bind_name(one.of->remainder.var(), e.snapshot(one.remainder, "remainder"));
  }
}

void SteppedQuotients::advance(const Emitter& e) const {
  for (const Stepped& one : all_) {
    const Expr next = e.bind(one.remainder + one.rest_of_step, "next");
    const Expr wraps = e.bind(one.divisor <= next, "wraps");
    e.assign(one.remainder, e.bind(select(wraps, next - one.divisor, next), "remainder"));
    const Expr whole = one.quotient + one.of_step;
    e.assign(one.quotient, e.bind(select(wraps, whole + 1, whole), "quotient"));
  }
}

void name_quotients(const Emitter& e, std::span<const Quotient> quotients, Expr column) {
  for (const Quotient& of : quotients) {
    const Expr dividend = e.lower(of.coefficient * column + e.lower(of.base)), divisor = e.lower(of.divisor);
    e.bind_name(of.quotient.var(), e.bind(cast(dividend / divisor, Kind::i32), "quotient"));
    e.bind_name(of.remainder.var(), e.bind(cast(dividend % divisor, Kind::i32), "remainder"));
  }
}

}  // namespace fulgurite::walk::lanes
