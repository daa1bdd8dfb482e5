#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "lower/emitter.h"
#include "soac/rename.h"

namespace fulgurite::lower {

namespace {

bool is_array(Expr e) {
  return e.type().rank > 0;
}

// How many elements the array has, as its shape was declared.
Expr elements(scalar::Arena& arena, Var array) {
  Expr size = arena.i64(1);
  const std::vector<Expr> shape = arena.info(array).shape;
  for (Expr extent : shape) size = arena.mul(size, extent);
  return size;
}

// Whether one of the arrays that are bound beside it has the name as an extent.
bool is_extent(const scalar::Arena& arena, const std::vector<Var>& names, Var name) {
  return std::ranges::any_of(names, [&](Var array) {
    const std::vector<Expr>& shape = arena.info(array).shape;
    return std::ranges::find(shape, arena.name(name)) != shape.end();
  });
}

}  // namespace

// What a partition keeps is made where it had room for all points, wherever the rest goes.
bool Emitter::make_there(const std::vector<soac::Stm>& body, Var array, const Destination& to) {
  if (has_destination(array)) return false;
  const auto makes = [&](const soac::Stm& s) { return std::ranges::find(s.names, array) != s.names.end(); };
  const auto made_by = std::ranges::find_if(body, makes);
  if (made_by == body.end()) return false;
  const auto* op = base::as<soac::Soac>(made_by->op);
  if (to.capacity && op && !op->partitions.empty()) {
    Expr points = arena_.i64(1);
    for (Expr extent : op->dims) points = arena_.mul(points, extent);
    const Expr most = bounds_->of(points).high;
    if (!most || !bounds_->at_most(most, to.capacity)) return false;
  }
  set_destination(array, to);
  return true;
}

void Emitter::conditional(const soac::Stm& s, const soac::If& op) {
  Expr condition = lower(op.condition);
  const bool makes_scalars =
      std::ranges::all_of(s.names, [&](Var name) { return arena_.info(name).type.rank == 0; });
  if (condition.is_constant() && makes_scalars) {
    const soac::Lambda& taken = condition.is_constant(1) ? op.then_branch : op.else_branch;
    statements(taken.body);
    for (std::size_t k = 0; k < s.names.size(); ++k) bind_name(s.names[k], lower(taken.results[k]));
    return;
  }
  std::vector<Expr> variables;
  for (Var name : s.names) {
    const scalar::VarInfo& info = arena_.info(name);
    variables.push_back(info.type.rank > 0 ? Expr() : declare(arena_.constant(info.type.kind, 0), info.name));
  }
  for (std::size_t k = 0; k < s.names.size(); ++k)
    if (!variables[k]) place(s.names[k], elements(arena_, s.names[k]), s.where);
  auto branch = [&](const soac::Lambda& f, bool holds) {
    return block(
        [&] {
          if (bounds_) bounds_->assume(op.condition, holds);
          std::vector<bool> is_there(f.results.size(), false);
          for (std::size_t k = 0; k < f.results.size(); ++k)
            if (is_array(f.results[k]))
              is_there[k] = make_there(f.body, f.results[k].var(), destination(s.names[k]));
          statements(f.body);
          for (std::size_t k = 0; k < f.results.size(); ++k)
            if (!is_array(f.results[k]))
              assign(variables[k],
                     is_extent(arena_, s.names, s.names[k]) ? extent(f.results[k]) : lower(f.results[k]));
            else if (!is_there[k])
              copy(f.results[k].var(), destination(s.names[k]), s.where);
        },
        Enclosure::branch);
  };
  kernel::Block yes = branch(op.then_branch, true), no = branch(op.else_branch, false);
  append(kernel::If{condition, std::move(yes), std::move(no)});
  for (std::size_t k = 0; k < s.names.size(); ++k)
    if (variables[k])
      bind_name(s.names[k], snapshot(variables[k], arena_.info(s.names[k]).name));
    else
      made(s.names[k]);
}

// A scalar in a variable, which the iterations work on immutable snapshots of, so that expressions stay pure;
// an array in one half of memory for two, while the next iteration's is made in the other.
struct Emitter::State {
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

std::vector<Emitter::State> Emitter::start_state(const soac::Stm& s, const soac::Loop& op) {
  std::vector<State> state;
  for (std::size_t k = 0; k < op.initial.size(); ++k) {
    Expr initial = op.initial[k];
    const std::string& name = arena_.info(s.names[k]).name;
    if (!is_array(initial)) {
      state.push_back({declare(lower(initial), name)});
      continue;
    }
    // Of the shape that the array has in every iteration.
    const std::size_t param = k + (op.trips ? 1 : 0);
    const std::string what =
        fmt::format("component {} of the state of {} ({}), which has another size in each iteration,",
                    component(arena_, s, k), s.origin, scalar::to_string(arena_.info(s.names[k]).type));
    const Destination both =
        scratch(initial.kind(), elements(arena_, op.body.params[param]), s.where, 2, what);
    Expr second = lower(element_of(both, both.room));
    copy(initial.var(), both, s.where);
    state.push_back({declare(both.base, name + "_at"), both, second});
  }
  return state;
}

// What an iteration, or what comes behind the loop, reads. Extents that change are state themselves.
std::vector<Expr> Emitter::state_at_start(const soac::Stm& s, const std::vector<State>& state) {
  std::vector<Expr> values;
  std::unordered_map<Var, Expr> now;
  for (std::size_t k = 0; k < state.size(); ++k) {
    const scalar::VarInfo info = arena_.info(s.names[k]);
    Expr value = snapshot(state[k].variable, info.name);
    if (info.type.rank == 0) {
      now.emplace(s.names[k], value);
      if (bounds_) bounds_->set(value.var(), bounds_->of(arena_.name(s.names[k])));
    } else {
      std::vector<Expr> shape;
      for (Expr extent : info.shape) shape.push_back(scalar::substitute(arena_, extent, now));
      const Expr array = arena_.fresh_array(info.type.kind, std::move(shape), info.name);
      const Destination& both = state[k].both;
      set_destination(array.var(), {both.buffer, value, both.step, both.capacity, both.room});
      made(array.var());
      value = array;
    }
    values.push_back(value);
  }
  return values;
}

void Emitter::iterate(const soac::Stm& s, const soac::Loop& op, std::vector<State>& state,
                      std::span<const Expr> args) {
  soac::Applied body = soac::apply(arena_, op.body, args);
  // Results that the body's own statements make are made where they belong.
  std::vector<Destination> next(state.size());
  std::vector<bool> is_there(state.size(), false);
  const std::size_t n_before = args.size() - state.size();
  for (std::size_t k = 0; k < state.size(); ++k) {
    const Destination& both = state[k].both;
    if (!both.base) continue;
    Expr now = destination(args[n_before + k].var()).base;
    Expr other = arena_.sub(arena_.add(both.base, state[k].second), now);
    next[k] = {both.buffer, lower(other), both.step, both.capacity, both.room};
    is_there[k] = make_there(body.body, body.results[k].var(), next[k]);
  }
  statements(body.body);
  std::vector<Expr> values;
  for (std::size_t k = 0; k < state.size(); ++k)
    if (state[k].both.base && !is_there[k]) copy(body.results[k].var(), next[k], s.where);
  for (std::size_t k = 0; k < state.size(); ++k)
    values.push_back(state[k].both.base                       ? next[k].base
                     : is_extent(arena_, s.names, s.names[k]) ? extent(body.results[k])
                                                              : lower(body.results[k]));
  for (std::size_t k = 0; k < state.size(); ++k) assign(state[k].variable, values[k]);
}

void Emitter::finish_state(const soac::Stm& s, const std::vector<State>& state) {
  const std::vector<Expr> finals = state_at_start(s, state);
  for (std::size_t k = 0; k < finals.size(); ++k) {
    if (!is_array(finals[k])) {
      bind_name(s.names[k], finals[k]);
    } else if (has_destination(s.names[k])) {
      copy(finals[k].var(), destination(s.names[k]), s.where);
      made(s.names[k]);
    } else {
      set_destination(s.names[k], destination(finals[k].var()));
      made(s.names[k]);
    }
  }
}

void Emitter::loop(const soac::Stm& s, const soac::Loop& op) {
  std::vector<State> state = start_state(s, op);
  if (op.trips) {
    Expr trips = extent(op.trips);
    Expr i = arena_.fresh({Kind::i64}, "i");
    if (bounds_) bounds_->set_below(i.var(), op.trips);
    depth_[i.var()] = open_.size();
    kernel::Block body = block(
        [&] {
          std::vector<Expr> args = state_at_start(s, state);
          args.insert(args.begin(), i);
          iterate(s, op, state, args);
        },
        Enclosure::iteration);
    append(kernel::For{i.var(), arena_.i64(0), trips, arena_.i64(1), std::move(body)});
  } else {
    std::vector<Expr> values;
    Expr holds;
    while_loop(
        [&] {
          values = state_at_start(s, state);
          const soac::Applied condition = soac::apply(arena_, op.condition, values);
          statements(condition.body);
          holds = condition.results[0];
          return lower(holds);
        },
        [&] {
          if (bounds_) bounds_->assume(holds);
          iterate(s, op, state, values);
        });
  }
  finish_state(s, state);
}

}  // namespace fulgurite::lower
