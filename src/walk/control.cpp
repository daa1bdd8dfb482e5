#include "walk/control.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "soac/rename.h"
#include "walk/arrays.h"

namespace fulgurite::walk {

namespace {

bool is_array(Expr e) {
  return e.type().rank > 0;
}

// How many elements the array has, as its shape was declared.
Expr elements(const Emitter& e, Var array) {
  return product(e, e.arena().info(array).shape);
}

// Whether one of the arrays that are bound beside it has the name as an extent.
bool is_extent(const scalar::Arena& arena, const std::vector<Var>& names, Var name) {
  return std::ranges::any_of(names, [&](Var array) {
    const std::vector<Expr>& shape = arena.info(array).shape;
    return std::ranges::find(shape, arena.name(name)) != shape.end();
  });
}

// ---- branches

void branch(const Emitter& e, const soac::Stm& s, const soac::Lambda& f, std::span<const Expr> variables) {
  std::vector<bool> is_there(f.results.size(), false);
  for (std::size_t k = 0; k < f.results.size(); ++k)
    if (is_array(f.results[k]))
      is_there[k] = make_there(e, f.body, f.results[k].var(), e.destination(s.names[k]));
  statements(e, f.body);
  for (std::size_t k = 0; k < f.results.size(); ++k)
    if (!is_array(f.results[k]))
      e.assign(variables[k],
               is_extent(e.arena(), s.names, s.names[k]) ? extent(e, f.results[k]) : e.lower(f.results[k]));
    else if (!is_there[k])
      copy(e, f.results[k].var(), e.destination(s.names[k]), s.where);
}

void conditional(const Emitter& e, const soac::Stm& s, const soac::If& op) {
  scalar::Arena& arena = e.arena();
  Expr condition = e.lower(op.condition);
  const bool makes_scalars =
      std::ranges::all_of(s.names, [&](Var name) { return arena.info(name).type.rank == 0; });
  if (condition.is_constant() && makes_scalars) {
    const soac::Lambda& taken = condition.is_constant(1) ? op.then_branch : op.else_branch;
    statements(e, taken.body);
    for (std::size_t k = 0; k < s.names.size(); ++k) e.bind_name(s.names[k], e.lower(taken.results[k]));
    return;
  }
  std::vector<Expr> variables;
  for (Var name : s.names) {
    const scalar::VarInfo& info = arena.info(name);
    variables.push_back(info.type.rank > 0 ? Expr()
                                           : e.declare(arena.constant(info.type.kind, 0), info.name));
  }
  for (std::size_t k = 0; k < s.names.size(); ++k)
    if (!variables[k]) place(e, s.names[k], elements(e, s.names[k]), s.where);
  auto block = [&](const soac::Lambda& f, bool holds) {
    return e.block(
        [&] {
          if (e.sizes()) e.sizes()->bounds().assume(op.condition, holds);
          branch(e, s, f, variables);
        },
        kernel::Enclosure::branch);
  };
  kernel::Block yes = block(op.then_branch, true), no = block(op.else_branch, false);
  e.append(kernel::If{condition, std::move(yes), std::move(no)});
  for (std::size_t k = 0; k < s.names.size(); ++k)
    if (variables[k])
      e.bind_name(s.names[k], e.snapshot(variables[k], arena.info(s.names[k]).name));
    else
      e.made(s.names[k]);
}

// ---- loops

// A scalar in a variable, which the iterations work on immutable snapshots of, so that expressions stay pure;
// an array in one half of memory for two, while the next iteration's is made in the other.
struct State {
  Expr variable;          // the scalar, or where the array's half begins
  Destination both = {};  // an array's, at its first half
  Expr second = {};       // where the other half begins
};

// The number, from 1, of a component of the state as the user sees it: extents are not among them.
std::size_t component(const scalar::Arena& arena, const soac::Stm& s, std::size_t k) {
  std::size_t number = 1;
  for (std::size_t i = 0; i < k; ++i)
    if (!is_extent(arena, s.names, s.names[i])) ++number;
  return number;
}

std::vector<State> start_state(const Emitter& e, const soac::Stm& s, const soac::Loop& op) {
  scalar::Arena& arena = e.arena();
  std::vector<State> state;
  for (std::size_t k = 0; k < op.initial.size(); ++k) {
    Expr initial = op.initial[k];
    const std::string& name = arena.info(s.names[k]).name;
    if (!is_array(initial)) {
      state.push_back({e.declare(e.lower(initial), name)});
      continue;
    }
    // Of the shape that the array has in every iteration.
    const std::size_t param = k + (op.trips ? 1 : 0);
    const std::string what =
        fmt::format("component {} of the state of {} ({}), which has another size in each iteration,",
                    component(arena, s, k), s.origin, scalar::to_string(arena.info(s.names[k]).type));
    const Destination both = scratch(e, initial.kind(), elements(e, op.body.params[param]), s.where, 2, what);
    Expr second = e.lower(element_of(both, both.room));
    copy(e, initial.var(), both, s.where);
    state.push_back({e.declare(both.base, name + "_at"), both, second});
  }
  return state;
}

// What an iteration, or what comes behind the loop, reads. Extents that change are state themselves.
std::vector<Expr> state_at_start(const Emitter& e, const soac::Stm& s, const std::vector<State>& state) {
  scalar::Arena& arena = e.arena();
  std::vector<Expr> values;
  std::unordered_map<Var, Expr> now;
  for (std::size_t k = 0; k < state.size(); ++k) {
    const scalar::VarInfo info = arena.info(s.names[k]);
    Expr value = e.snapshot(state[k].variable, info.name);
    if (info.type.rank == 0) {
      now.emplace(s.names[k], value);
      if (Sizes* sizes = e.sizes())
        sizes->bounds().set(value.var(), sizes->bounds().of(arena.name(s.names[k])));
    } else {
      std::vector<Expr> shape;
      for (Expr extent : info.shape) shape.push_back(scalar::substitute(arena, extent, now));
      const Expr array = arena.fresh_array(info.type.kind, std::move(shape), info.name);
      const Destination& both = state[k].both;
      e.set_destination(array.var(), {both.buffer, value, both.step, both.capacity, both.room});
      e.made(array.var());
      value = array;
    }
    values.push_back(value);
  }
  return values;
}

void iterate(const Emitter& e, const soac::Stm& s, const soac::Loop& op, const std::vector<State>& state,
             std::span<const Expr> args) {
  scalar::Arena& arena = e.arena();
  soac::Applied body = soac::apply(arena, op.body, args);
  // Results that the body's own statements make are made where they belong.
  std::vector<Destination> next(state.size());
  std::vector<bool> is_there(state.size(), false);
  const std::size_t n_before = args.size() - state.size();
  for (std::size_t k = 0; k < state.size(); ++k) {
    const Destination& both = state[k].both;
    if (!both.base) continue;
    Expr now = e.destination(args[n_before + k].var()).base;
    Expr other = both.base + state[k].second - now;
    next[k] = {both.buffer, e.lower(other), both.step, both.capacity, both.room};
    is_there[k] = make_there(e, body.body, body.results[k].var(), next[k]);
  }
  statements(e, body.body);
  std::vector<Expr> values;
  for (std::size_t k = 0; k < state.size(); ++k)
    if (state[k].both.base && !is_there[k]) copy(e, body.results[k].var(), next[k], s.where);
  for (std::size_t k = 0; k < state.size(); ++k)
    values.push_back(state[k].both.base                      ? next[k].base
                     : is_extent(arena, s.names, s.names[k]) ? extent(e, body.results[k])
                                                             : e.lower(body.results[k]));
  for (std::size_t k = 0; k < state.size(); ++k) e.assign(state[k].variable, values[k]);
}

void finish_state(const Emitter& e, const soac::Stm& s, const std::vector<State>& state) {
  const std::vector<Expr> finals = state_at_start(e, s, state);
  for (std::size_t k = 0; k < finals.size(); ++k) {
    if (!is_array(finals[k])) {
      e.bind_name(s.names[k], finals[k]);
    } else if (e.has_destination(s.names[k])) {
      copy(e, finals[k].var(), e.destination(s.names[k]), s.where);
      e.made(s.names[k]);
    } else {
      e.set_destination(s.names[k], e.destination(finals[k].var()));
      e.made(s.names[k]);
    }
  }
}

void repeat(const Emitter& e, const soac::Stm& s, const soac::Loop& op, const std::vector<State>& state) {
  const Expr trips = extent(e, op.trips), zero = e.arena().i64(0), one = e.arena().i64(1);
  const auto iteration = [&](Expr i) {
    if (e.sizes()) e.sizes()->bounds().set_below(i.var(), op.trips);
    std::vector<Expr> args = state_at_start(e, s, state);
    args.insert(args.begin(), i);
    iterate(e, s, op, state, args);
  };
  e.for_loop(zero, trips, one, "i", iteration, kernel::Enclosure::iteration);
}

void repeat_while(const Emitter& e, const soac::Stm& s, const soac::Loop& op,
                  const std::vector<State>& state) {
  std::vector<Expr> values;
  Expr holds;
  e.while_loop(
      [&] {
        values = state_at_start(e, s, state);
        const soac::Applied condition = soac::apply(e.arena(), op.condition, values);
        statements(e, condition.body);
        holds = condition.results[0];
        return e.lower(holds);
      },
      [&] {
        if (e.sizes()) e.sizes()->bounds().assume(holds);
        iterate(e, s, op, state, values);
      });
}

void loop(const Emitter& e, const soac::Stm& s, const soac::Loop& op) {
  const std::vector<State> state = start_state(e, s, op);
  if (op.trips)
    repeat(e, s, op, state);
  else
    repeat_while(e, s, op, state);
  finish_state(e, s, state);
}

}  // namespace

// What follows a failed Check may rely on what it checked: its reads are masked off, and its combinators have
// no points.
void statements(const Emitter& e, const std::vector<soac::Stm>& body) {
  for (const soac::Stm& s : body) {
    if (e.sizes()) e.sizes()->learn(s);
    base::match(
        s.op, [&](const soac::Soac&) { e.lower_soac(s); },
        [&](const soac::Scan&) { FULGURITE_CHECK(false, "a Scan outside the walk over its points"); },
        [&](const soac::Sort&) {
          FULGURITE_CHECK(!e.context().in_lanes, "a lane sorts");
          e.lower_soac(s);
        },
        [&](const soac::If& op) { conditional(e, s, op); }, [&](const soac::Loop& op) { loop(e, s, op); },
        [&](const soac::Check& op) { e.check(op.condition, op.site, op.operands); },
        [](const soac::Call&) { FULGURITE_CHECK(false, "a Call in a kernel"); },
        [&](const soac::Let& op) { e.bind_name(s.names[0], e.lower(op.value)); });
  }
}

std::vector<Expr> apply(const Emitter& e, const soac::Lambda& f, std::span<const Expr> args) {
  soac::Applied instance = soac::apply(e.arena(), f, args);
  statements(e, instance.body);
  return e.lower(instance.results);
}

}  // namespace fulgurite::walk
