#include <algorithm>

#include "lower/emitter.h"
#include "soac/rename.h"

namespace fulgurite::lower {

namespace {

bool is_array(Expr e) {
  return e.type().rank > 0;
}

bool binds(const std::vector<soac::Stm>& body, Var name) {
  return std::ranges::any_of(
      body, [&](const soac::Stm& s) { return std::ranges::find(s.names, name) != s.names.end(); });
}

}  // namespace

bool Emitter::make_there(const std::vector<soac::Stm>& body, Var array, const Destination& to) {
  if (has_destination(array) || !binds(body, array)) return false;
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
    if (Expr yes = op.then_branch.results[k], no = op.else_branch.results[k]; !is_array(yes))
      if (Expr a = bound(yes), b = bound(no); a && b) set_bound(s.names[k], arena_.max(a, b));
  for (std::size_t k = 0; k < s.names.size(); ++k)
    if (!variables[k]) place(s.names[k], s.where);
  auto branch = [&](const soac::Lambda& f) {
    return block(
        [&] {
          std::vector<bool> is_there(f.results.size(), false);
          for (std::size_t k = 0; k < f.results.size(); ++k)
            if (is_array(f.results[k]))
              is_there[k] = make_there(f.body, f.results[k].var(), destination(s.names[k]));
          statements(f.body);
          for (std::size_t k = 0; k < f.results.size(); ++k)
            if (!is_array(f.results[k]))
              assign(variables[k], lower(f.results[k]));
            else if (!is_there[k])
              copy(f.results[k].var(), destination(s.names[k]), s.where);
        },
        Enclosure::branch);
  };
  kernel::Block yes = branch(op.then_branch), no = branch(op.else_branch);
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

std::vector<Emitter::State> Emitter::start_state(const soac::Stm& s, const soac::Loop& op) {
  std::vector<State> state;
  for (std::size_t k = 0; k < op.initial.size(); ++k) {
    Expr initial = op.initial[k];
    const std::string& name = arena_.info(s.names[k]).name;
    if (!is_array(initial)) {
      state.push_back({declare(lower(initial), name)});
      continue;
    }
    // Of the shape that the array has in every iteration: one that depends on the state has no bound.
    Expr size = arena_.i64(1);
    for (Expr extent : arena_.info(op.body.params[k + (op.trips ? 1 : 0)]).shape)
      size = arena_.mul(size, extent);
    Expr most = bound(size);
    const Destination both = scratch(initial.kind(), most ? arena_.mul(arena_.i64(2), most) : size, s.where);
    Expr second = lower(element_of(both, most));
    copy(initial.var(), both, s.where);
    state.push_back({declare(both.base, name + "_at"), both, second});
  }
  return state;
}

// What an iteration, or what comes behind the loop, reads.
std::vector<Expr> Emitter::state_at_start(const soac::Stm& s, const std::vector<State>& state) {
  std::vector<Expr> values;
  for (std::size_t k = 0; k < state.size(); ++k) {
    const scalar::VarInfo info = arena_.info(s.names[k]);
    Expr value = snapshot(state[k].variable, info.name);
    if (info.type.rank > 0) {
      const Expr array = arena_.fresh_array(info.type.kind, info.shape, info.name);
      set_destination(array.var(), {state[k].both.buffer, value, state[k].both.step});
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
    next[k] = {both.buffer, lower(other), both.step};
    is_there[k] = make_there(body.body, body.results[k].var(), next[k]);
  }
  statements(body.body);
  std::vector<Expr> values;
  for (std::size_t k = 0; k < state.size(); ++k) {
    values.push_back(state[k].both.base ? next[k].base : lower(body.results[k]));
    if (state[k].both.base && !is_there[k]) copy(body.results[k].var(), next[k], s.where);
  }
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
    Expr trips = lower(op.trips), most = bound(op.trips);
    Expr i = arena_.fresh({Kind::i64}, "i");
    if (most) set_bound(i.var(), arena_.sub(most, arena_.i64(1)));
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
    while_loop(
        [&] {
          values = state_at_start(s, state);
          return apply(op.condition, values)[0];
        },
        [&] { iterate(s, op, state, values); });
  }
  finish_state(s, state);
}

}  // namespace fulgurite::lower
