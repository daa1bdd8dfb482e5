// Branches and loops over scalars.
#include <fmt/format.h>

#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

Exprs fresh_like(Tracer& t, std::span<const Expr> exprs, const char* name) {
  Exprs names;
  for (Expr e : exprs) names.push_back(t.fresh(e.kind(), name));
  return names;
}

soac::Lambda branch(Tracer& t, const detail::Body& body, const Here& where) {
  Scope scope(t, "cond", where);
  Exprs results = t.exprs(body({}), where);
  return scope.close(std::move(results));
}

// A function of the loop's state; `number`: of the iteration, as well.
soac::Lambda step(Tracer& t, const detail::Body& body, std::span<const Expr> initial, bool number,
                  const char* origin, const Here& where) {
  Scope scope(t, origin, where);
  if (number) scope.parameter(scalar::Kind::i64, "k");
  for (Expr e : initial) scope.parameter(e.kind(), "s");
  Exprs results = t.exprs(body(t.values(scope.parameters())), where);
  return scope.close(std::move(results));
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values cond(Value condition, Body then_branch, Body else_branch, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr decides = t.expr(condition, where);
  soac::Lambda yes = branch(t, then_branch, where), no = branch(t, else_branch, where);
  const Exprs names = fresh_like(t, yes.results, "cond");
  t.add(names, soac::If{decides, std::move(yes), std::move(no)}, "cond", where);
  return t.values(names);
}

Values while_loop(Body condition, Body body, std::span<const Value> initial, Here where) {
  Tracer& t = Tracer::current(where);
  Exprs state = t.exprs(initial, where);
  soac::Lambda tests = step(t, condition, state, false, "while_loop", where);
  soac::Lambda steps = step(t, body, state, false, "while_loop", where);
  const Exprs names = fresh_like(t, state, "state");
  t.add(names, soac::Loop{std::move(state), {}, std::move(tests), std::move(steps)}, "while_loop", where);
  return t.values(names);
}

Values iterate(Value trips, Body body, std::span<const Value> initial, Here where) {
  Tracer& t = Tracer::current(where);
  Exprs state = t.exprs(initial, where);
  const Expr times = t.arena().max(t.expr(trips, where), t.arena().i64(0));
  soac::Lambda steps = step(t, body, state, true, "iterate", where);
  const Exprs names = fresh_like(t, state, "state");
  t.add(names, soac::Loop{std::move(state), times, {}, std::move(steps)}, "iterate", where);
  return t.values(names);
}

}  // namespace fulgurite::detail
