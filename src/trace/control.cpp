// Branches and loops, over scalars and arrays. An array that a branch gives, or that a loop carries, has
// extents of its own: results, or state, that stand before it. Extents that are the same on every path need
// no names: a branch's result of a size that is known outside has that size, and so has an array that every
// iteration gives the size it got (kept_extents.h).
#include <algorithm>

#include "soac/rename.h"
#include "trace/kept_extents.h"
#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

// How staged values lie among the values of a branch or a loop's state.
struct Group {
  std::size_t width;  // components
  std::size_t rank;   // of each; extents before them, for the IR
};
using Groups = std::vector<Group>;

Groups groups_of(std::span<const Expr> values, detail::Widths widths) {
  Groups groups;
  std::size_t first = 0;
  for (std::size_t width : widths) {
    groups.push_back({width, values[first].type().rank});
    first += width;
  }
  return groups;
}

// The values with the extents of each array before it.
Exprs with_extents(Tracer& t, const Groups& groups, std::span<const Expr> values) {
  Exprs all;
  for (const Group& g : groups) {
    if (g.rank > 0) all.insert(all.end(), t.shape(values[0]).begin(), t.shape(values[0]).end());
    all.insert(all.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(g.width));
    values = values.subspan(g.width);
  }
  return all;
}

// Whether each of with_extents() is an extent.
std::vector<bool> are_extents(const Groups& groups) {
  std::vector<bool> marks;
  for (const Group& g : groups) {
    marks.insert(marks.end(), g.rank, true);
    marks.insert(marks.end(), g.width, false);
  }
  return marks;
}

// Names for with_extents(): `known` are extents that need none. What they bind goes to `bound`, what the user
// sees of them is returned.
Exprs named(Tracer& t, const Groups& groups, std::span<const Expr> like, std::span<const Expr> known,
            const char* name, Exprs& bound) {
  Exprs seen;
  std::size_t at = 0, number = 0;
  for (const Group& g : groups) {
    Exprs shape;
    ++number;
    for (std::size_t k = 0; k < g.rank; ++k, ++at) {
      shape.push_back(known[at] ? known[at] : t.fresh(scalar::Kind::i64, "n"));
      if (known[at]) continue;
      bound.push_back(shape.back());
      t.number_size(shape.back(), number);
    }
    for (std::size_t k = 0; k < g.width; ++k, ++at) {
      seen.push_back(g.rank > 0 ? t.fresh_array(like[at].kind(), shape, name)
                                : t.fresh(like[at].kind(), name));
      bound.push_back(seen.back());
    }
  }
  return seen;
}

template <class T>
void erase_known(std::vector<T>& list, std::span<const Expr> known, std::size_t first = 0) {
  std::vector<T> kept(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = 0; i < known.size(); ++i)
    if (!known[i]) kept.push_back(list[first + i]);
  list = std::move(kept);
}

struct Branch {
  soac::Lambda lambda;
  Groups groups;
  // For each result, an equal expression of names outside the branch; absent where there is none.
  Exprs outer;
};

Branch branch(Tracer& t, const detail::Body& body, detail::Widths widths, const Here& where) {
  Scope scope(t, "cond", where, Runs::in_place);
  const Exprs given = t.exprs(body({}), where);
  Branch result;
  result.groups = groups_of(given, widths);
  Exprs all = with_extents(t, result.groups, given);
  for (Expr e : all) {
    const Expr known = e.type().rank > 0 ? e : t.unsettled(e);
    result.outer.push_back(t.is_outer(known) ? known : Expr());
  }
  result.lambda = scope.close(std::move(all));
  return result;
}

// A loop's state: its first values, and how its arrays lie.
struct State {
  Groups groups;
  Exprs initial;  // with extents
};

State state_of(Tracer& t, std::span<const Value> initial, detail::Widths widths, const Here& where) {
  const Exprs values = t.exprs(initial, where);
  Groups groups = groups_of(values, widths);
  Exprs all = with_extents(t, groups, values);
  return {std::move(groups), std::move(all)};
}

// A function of the loop's state; `number`: of the iteration, as well.
soac::Lambda step(Tracer& t, const detail::Body& body, const State& state, bool number, bool is_condition,
                  const char* origin, const Here& where) {
  Scope scope(t, origin, where, Runs::in_place);
  Exprs arguments;
  if (number) arguments.push_back(scope.parameter(scalar::Kind::i64, "k"));
  std::size_t at = 0;
  for (const Group& g : state.groups) {
    Exprs shape;
    for (std::size_t k = 0; k < g.rank; ++k) shape.push_back(scope.parameter(scalar::Kind::i64, "n"));
    at += g.rank;
    for (std::size_t k = 0; k < g.width; ++k, ++at) {
      const scalar::Kind kind = state.initial[at].kind();
      arguments.push_back(g.rank > 0 ? scope.parameter(kind, shape, "s") : scope.parameter(kind, "s"));
    }
  }
  const Exprs results = t.exprs(body(t.values(arguments)), where);
  return scope.close(is_condition ? results : with_extents(t, state.groups, results));
}

// The function with its parameters, and names inside of it, for known extents replaced by these.
soac::Lambda with_known(Tracer& t, soac::Lambda lambda, std::span<const Expr> known, std::size_t first_param,
                        const Known& inner) {
  soac::Renaming rename(t.arena(), soac::Renaming::Binders::keep);
  drop(lambda.body, inner);
  for (const auto& [name, extent] : inner) rename.bind(name, extent);
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i]) rename.bind(lambda.params[first_param + i], known[i]);
  erase_known(lambda.params, known, first_param);
  return rename(std::move(lambda));
}

// Ends a loop: `tests` is empty for one with trips.
Values loop(Tracer& t, State state, Expr trips, soac::Lambda tests, soac::Lambda steps, const char* origin,
            const Here& where) {
  const std::size_t first = trips ? 1 : 0;
  const std::vector<bool> is_extent = are_extents(state.groups);
  Exprs extents(state.initial.size());
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (is_extent[i]) extents[i] = state.initial[i];
  const auto [known, inner] = kept_extents(t, std::move(extents), steps, first);
  erase_known(steps.results, known);
  steps = with_known(t, std::move(steps), known, first, inner);
  if (!trips) tests = with_known(t, std::move(tests), known, 0, {});
  Exprs bound;
  const Exprs seen = named(t, state.groups, state.initial, known, "state", bound);
  erase_known(state.initial, known);
  t.add(bound, soac::Loop{std::move(state.initial), trips, std::move(tests), std::move(steps)}, origin,
        where);
  return t.values(seen);
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values cond(Value condition, Body then_branch, Body else_branch, Widths results, Here where) {
  Tracer& t = Tracer::current(where);
  if (Control* made = t.control()) return made->cond(condition, then_branch, else_branch, where);
  const Expr decides = t.expr(condition, where);
  Branch yes = branch(t, then_branch, results, where), no = branch(t, else_branch, results, where);
  Exprs& given = yes.lambda.results;
  const std::vector<bool> is_extent = are_extents(yes.groups);
  Exprs known(given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    if (is_extent[i] && yes.outer[i] && no.outer[i] && t.is_same(yes.outer[i], no.outer[i]))
      known[i] = t.settled(yes.outer[i], where);  // whichever branch is taken needs it
  Exprs bound;
  const Exprs seen = named(t, yes.groups, given, known, "cond", bound);
  erase_known(yes.lambda.results, known);
  erase_known(no.lambda.results, known);
  t.add(bound, soac::If{decides, std::move(yes.lambda), std::move(no.lambda)}, "cond", where);
  return t.values(seen);
}

Values while_loop(Body condition, Body body, std::span<const Value> initial, Widths widths, Here where) {
  Tracer& t = Tracer::current(where);
  if (Control* made = t.control()) return made->while_loop(condition, body, initial, where);
  State state = state_of(t, initial, widths, where);
  soac::Lambda tests = step(t, condition, state, false, true, "while_loop", where);
  soac::Lambda steps = step(t, body, state, false, false, "while_loop", where);
  return loop(t, std::move(state), {}, std::move(tests), std::move(steps), "while_loop", where);
}

Values iterate(Value trips, Body body, std::span<const Value> initial, Widths widths, Here where) {
  Tracer& t = Tracer::current(where);
  if (Control* made = t.control()) return made->iterate(trips, body, initial, where);
  State state = state_of(t, initial, widths, where);
  const Expr times = scalar::max(t.expr(trips, where), 0);
  soac::Lambda steps = step(t, body, state, true, false, "iterate", where);
  return loop(t, std::move(state), times, {}, std::move(steps), "iterate", where);
}

}  // namespace fulgurite::detail
