// Operators of reductions: how they are traced, and what is known of them from how they are written.
#pragma once

#include "trace/tracer.h"

namespace fulgurite::trace {

/// Each result is a commutative and associative operation of op.def on the two operands' components in its
/// own place: plus, min, and tuples of such.
bool is_known_commutative(const soac::Lambda& op);

/// The neutral elements of such an operator, which keep every bit of what they are combined with (-0.0 for
/// sums of floats, NaN for their minimum); nothing for others.
Exprs known_neutral(Arena&, const soac::Lambda& op);

std::vector<scalar::Kind> kinds_of(std::span<const Expr> exprs);

/// A function of two operands of k components each: f(parameters) gives the k results.
template <class F>
soac::Lambda operation(Tracer& t, std::span<const scalar::Kind> kinds, const std::string& origin,
                       const Here& where, F&& f) {
  Scope scope(t, origin, where);
  for (const char* side : {"a", "b"})
    for (std::size_t i = 0; i < kinds.size(); ++i)
      scope.parameter(kinds[i], kinds.size() == 1 ? side : side + std::to_string(i));
  Exprs results = f(scope.parameters());
  return scope.close(std::move(results));
}

/// Whether it is known to change nothing if a value that began as `initial` is joined with `initial` on its
/// right: parts of the points that have no value leave that.
bool may_be_joined_again(Arena&, const soac::Lambda& op, std::span<const Expr> initial);

/// The user's operator with what is known or said of it. `neutral` and `initial` may be empty; `flipped`: its
/// operands change sides.
struct Operator {
  const detail::Body& op;
  const char* origin;
  bool commutative = false;
  bool flipped = false;
};
soac::Reduction reduction(Tracer&, const Operator&, std::span<const scalar::Kind> kinds, Exprs neutral,
                          Exprs initial, const Here& where);
/// A copy of the reduction, for another place of the program.
soac::Reduction copied(Arena&, const soac::Reduction&);

/// One of op.def on scalars of a kind.
soac::Reduction known_reduction(Tracer&, Op, scalar::Kind, const char* origin, const Here& where);

}  // namespace fulgurite::trace
