// What points divide their column by (schedule/rewrites/quotients.h).
#pragma once

#include <span>
#include <vector>

#include "schedule/rewrites/quotients.h"
#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

/// Quotients and remainders that go from one step of a walk to the next:
///
///   s = (coefficient * from + base) % divisor + coefficient * t
///   q = (coefficient * from + base) / divisor + s / divisor,  r = s % divisor
///   for each step {
///     ...
///     r += stride % divisor,  wraps = divisor <= r
///     r -= wraps ? divisor : 0,  q += stride / divisor + (wraps ? 1 : 0)
///   }
class SteppedQuotients {
 public:
  /// The quotients of lane t, whose columns are from + t and others `step` apart.
  SteppedQuotients(const Emitter&, std::span<const schedule::Quotient>, Expr from, Expr t, std::int64_t step);
  /// Names mean what they are in this step.
  void name(const Emitter&) const;
  void advance(const Emitter&) const;

 private:
  struct Stepped {
    const schedule::Quotient* of;
    Expr quotient, remainder;  // variables
    Expr divisor, of_step, rest_of_step;
  };
  std::vector<Stepped> all_;
};

/// Names mean what they are at the column.
void name_quotients(const Emitter&, std::span<const schedule::Quotient>, Expr column);

}  // namespace fulgurite::walk::lanes
