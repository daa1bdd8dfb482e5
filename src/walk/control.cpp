#include "walk/control.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "schedule/rewrites/inside.h"
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
  for (std::size_t k = 0; k < f.results.size(); ++k) {
    if (!is_array(f.results[k])) continue;
    const Var array = f.results[k].var();
    // Statements may read the array whose memory the result takes.
    const std::optional<Var> from = e.reused(s.names[k]);
    is_there[k] = from ? e.lies_in(array, *from) : make_there(e, f.body, array, e.destination(s.names[k]));
  }
  statements(e, f.body);
  // Scalars first: they may read the array whose memory an array is then copied to.
  for (std::size_t k = 0; k < f.results.size(); ++k)
    if (!is_array(f.results[k]))
      e.assign(variables[k],
               is_extent(e.arena(), s.names, s.names[k]) ? extent(e, f.results[k]) : e.lower(f.results[k]));
  for (std::size_t k = 0; k < f.results.size(); ++k)
    if (is_array(f.results[k]) && !is_there[k])
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
  for (std::size_t k = 0; k < s.names.size(); ++k) {
    if (variables[k]) continue;
    if (const auto from = e.reused(s.names[k])) e.set_destination(s.names[k], e.destination(*from));
    place(e, s.names[k], elements(e, s.names[k]), s.where);
  }
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

/// A component of the state: a scalar in a variable, which the iterations work on immutable snapshots of, so
/// that expressions stay pure, or an array. One that iterations change where it lies has one place in memory;
/// arrays that change places with each other have one each; other arrays are in one half of memory for two,
/// while the next iteration's is made in the other.
struct State {
  Expr variable;            // the scalar, or where the array begins; absent: an array that stays there
  Destination memory = {};  // an array's, where it begins first
  Expr second = {};         // where the other half begins; absent: there is none
  bool changes_places = false;
  bool is_array() const { return static_cast<bool>(memory.base); }
};

// The number, from 1, of a component of the state as the user sees it: extents are not among them.
std::size_t component(const scalar::Arena& arena, const soac::Stm& s, std::size_t k) {
  std::size_t number = 1;
  for (std::size_t i = 0; i < k; ++i)
    if (!is_extent(arena, s.names, s.names[i])) ++number;
  return number;
}

/// Gives the state of a loop its memory.
class Start {
 public:
  Start(const Emitter& e, const soac::Stm& s, const soac::Loop& op)
      : e_(e), arena_(e.arena()), s_(s), op_(op), places_(soac::kept_places(arena_, op)) {}

  std::vector<State> run() {
    state_.resize(op_.initial.size());
    for (std::size_t k = 0; k < state_.size(); ++k) {
      if (!is_array(op_.initial[k]))
        state_[k].variable = e_.declare(e_.lower(op_.initial[k]), name(k));
      else if (!state_[k].is_array())  // else it has a place beside that of an array before it
        array(k);
    }
    return std::move(state_);
  }

 private:
  const std::string& name(std::size_t k) const { return arena_.info(s_.names[k]).name; }

  Destination memory(std::size_t k, int copies) const {
    // The array has this shape in every iteration.
    const std::size_t param = k + (op_.trips ? 1 : 0);
    const std::string what =
        fmt::format("component {} of the state of {} ({}), which has another size in each iteration,",
                    component(arena_, s_, k), s_.origin, scalar::to_string(arena_.info(s_.names[k]).type));
    return scratch(e_, op_.initial[k].kind(), elements(e_, op_.body.params[param]), s_.where, {copies}, what);
  }

  void array(std::size_t k) {
    if (const auto from = e_.reused(s_.names[k])) {
      state_[k].memory = e_.destination(*from);
    } else if (places_[k] == k) {
      state_[k].memory = memory(k, 1);
      begin(k);
    } else if (places_[k]) {
      beside_each_other(k);
    } else {
      state_[k].memory = memory(k, 2);
      state_[k].second = e_.lower(first_of_lanes(state_[k].memory, state_[k].memory.room));
      begin(k);
      state_[k].variable = e_.declare(state_[k].memory.base, name(k) + "_at");
    }
  }

  // The arrays that change places with this one.
  void beside_each_other(std::size_t first) {
    std::vector<std::size_t> all{first};
    while (*places_[all.back()] != first) all.push_back(*places_[all.back()]);
    const Destination of_all = memory(first, static_cast<int>(all.size()));
    for (std::size_t n = 0; n < all.size(); ++n) {
      const std::size_t k = all[n];
      State& state = state_[k];
      state.memory = of_all;
      if (n > 0)
        state.memory.base =
            e_.lower(first_of_lanes(of_all, e_.lower(of_all.room * static_cast<std::int64_t>(n))));
      begin(k);
      state.changes_places = true;
      state.variable = e_.declare(state.memory.base, name(k) + "_at");
    }
  }

  void begin(std::size_t k) const { copy(e_, op_.initial[k].var(), state_[k].memory, s_.where); }

  const Emitter& e_;
  scalar::Arena& arena_;
  const soac::Stm& s_;
  const soac::Loop& op_;
  const std::vector<std::optional<std::size_t>> places_;
  std::vector<State> state_;
};

// What an iteration, or what comes after the loop, reads. Extents that change are state themselves.
std::vector<Expr> state_at_start(const Emitter& e, const soac::Stm& s, const std::vector<State>& state) {
  scalar::Arena& arena = e.arena();
  std::vector<Expr> values;
  std::unordered_map<Var, Expr> now;
  for (std::size_t k = 0; k < state.size(); ++k) {
    const scalar::VarInfo info = arena.info(s.names[k]);
    Expr value = state[k].variable ? e.snapshot(state[k].variable, info.name) : state[k].memory.base;
    if (info.type.rank == 0) {
      now.emplace(s.names[k], value);
      if (Sizes* sizes = e.sizes())
        sizes->bounds().set(value.var(), sizes->bounds().of(arena.name(s.names[k])));
    } else {
      std::vector<Expr> shape;
      for (Expr extent : info.shape) shape.push_back(scalar::substitute(arena, extent, now));
      const Expr array = arena.fresh_array(info.type.kind, std::move(shape), info.name);
      Destination memory = state[k].memory;
      memory.base = value;
      e.set_destination(array.var(), memory);
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
  const std::span<const Expr> former = args.last(state.size());
  soac::Vars own;
  for (Expr value : former)
    if (is_array(value)) own.insert(value.var());
  if (e.sizes()) e.reuse(soac::reuse_of(arena, body.body, body.results, own));
  // Results that the body's own statements make are made where they belong.
  std::vector<Destination> next(state.size());
  std::vector<bool> is_there(state.size(), false);
  for (std::size_t k = 0; k < state.size(); ++k) {
    if (!state[k].second) continue;
    Expr other = state[k].memory.base + state[k].second - e.destination(former[k].var()).base;
    next[k] = state[k].memory;
    next[k].base = e.lower(other);
    is_there[k] = make_there(e, body.body, body.results[k].var(), next[k]);
  }
  statements(e, body.body);
  for (std::size_t k = 0; k < state.size(); ++k)
    if (state[k].second && !is_there[k]) copy(e, body.results[k].var(), next[k], s.where);
  std::vector<Expr> values;
  for (std::size_t k = 0; k < state.size(); ++k)
    values.push_back(state[k].second                         ? next[k].base
                     : state[k].changes_places               ? e.destination(body.results[k].var()).base
                     : state[k].is_array()                   ? Expr()
                     : is_extent(arena, s.names, s.names[k]) ? extent(e, body.results[k])
                                                             : e.lower(body.results[k]));
  for (std::size_t k = 0; k < state.size(); ++k)
    if (values[k]) e.assign(state[k].variable, values[k]);
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

void iterations(const Emitter& e, const soac::Stm& s, Expr trips, const std::vector<State>& state) {
  const auto& op = std::get<soac::Loop>(s.op);
  const Expr zero = e.arena().i64(0), one = e.arena().i64(1);
  const auto iteration = [&](Expr i) {
    if (e.sizes()) e.sizes()->bounds().set_below(i.var(), op.trips);
    std::vector<Expr> args = state_at_start(e, s, state);
    args.insert(args.begin(), i);
    iterate(e, s, op, state, args);
  };
  e.for_loop(zero, trips, one, "i", iteration, kernel::Enclosure::iteration);
}

// Where the first iteration and the last one are sound, none between them asks for itself.
void repeat(const Emitter& e, const soac::Stm& s, const soac::Loop& op, const std::vector<State>& state) {
  const Expr trips = extent(e, op.trips);
  const bool is_apart = e.context().in_lanes && !e.context().lane;
  const auto inside = is_apart ? std::nullopt : schedule::inside_loop(e.arena(), s, trips);
  if (!inside || !e.keeps(schedule::rewrite::inside, s, inside->stm)) return iterations(e, s, trips, state);
  const Expr holds = e.lower(inside->holds), guard = e.guard();
  e.if_then_else(
      e.lower(guard ? Expr(guard & holds) : holds),
      [&] {
        if (guard) e.rely_on_nothing();
        iterations(e.scattering_inside(inside->scatters_inside), inside->stm, trips, state);
      },
      [&] { iterations(e, s, trips, state); });
}

void repeat_while(const Emitter& e, const soac::Stm& s, const soac::Loop& op,
                  const std::vector<State>& state) {
  std::vector<Expr> values;
  Expr holds;
  e.endless_loop(
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
  const std::vector<State> state = Start(e, s, op).run();
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

std::vector<Expr> apply(const Emitter& around, const soac::Lambda& f, std::span<const Expr> args) {
  const Emitter e = around.scattering_inside(false);
  soac::Applied instance = soac::apply(e.arena(), f, args);
  if (e.sizes()) e.reuse(soac::reuse_of(e.arena(), instance.body, instance.results));
  statements(e, instance.body);
  return e.lower(instance.results);
}

}  // namespace fulgurite::walk
