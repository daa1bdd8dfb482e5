// Bounds of a loop's state, by induction. Hypotheses are tried one after the other:
//   the former value   an iteration gives at most its former value (a filter), or at most a known number
//                      more: all iterations together add their numbers up. Where an iteration gives at most
//                      some number whatever the former value was, that number is the bound if it is less
//   its beginning      a value that is at most its first one, or 0, stays so (it approaches 0)
//   all                every component stays at most the greatest first value of all (they change places)
//   none               whatever its former value, an iteration gives at most some number (a minimum with a
//   size)
// and likewise for lower bounds. In the first the parameter itself stands for its value. The elements of
// arrays stay where the elements of their beginning are, or have no bound.
#include <algorithm>

#include "soac/bounds.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using scalar::Op;

namespace {

constexpr int most_loops = 3;  // in each other: every one is looked at several times

// So far from the ends of its kind that nothing wraps around which is added in an iteration.
Wide far_from_ends(Kind kind) {
  return Wide{1} << (8 * scalar::size_of(kind) - 4);
}

}  // namespace

Interval Bounds::unknown(const State& state) {
  const Interval all = intervals_.any(state.now.kind());
  if (state.is_extent) return intervals_.meet(all, {0, Wide{1} << 47, arena_.i64(0), {}});
  return state.is_positive ? intervals_.meet(all, {0, all.most, arena_.i64(0), {}}) : all;
}

void Bounds::set_state(const std::vector<State>& states) {
  for (const State& state : states) {
    Interval now = unknown(state);
    if (state.has_least) now.least = std::max(now.least, state.found.least), now.low = state.found.low;
    if (state.has_most) now.most = std::min(now.most, state.found.most), now.high = state.found.high;
    set(state.now.var(), now);
  }
}

// The intervals after an iteration, where names_ has the intervals before it.
std::vector<Interval> Bounds::one_iteration(const Loop& loop) {
  Expr condition;
  if (!loop.trips && loop.condition.body.empty()) {
    std::unordered_map<Var, Expr> now;
    for (std::size_t k = 0; k < loop.body.params.size(); ++k)
      if (arena_.info(loop.body.params[k]).type.rank == 0)
        now.emplace(loop.condition.params[k], arena_.name(loop.body.params[k]));
    condition = scalar::substitute(arena_, loop.condition.results[0], now);
  }
  return results_of(loop.body, condition, true);
}

void Bounds::compare_with_former(const Loop& loop, std::vector<State>& states) {
  const auto set_all = [&] {
    for (const State& state : states) {
      const Wide far = far_from_ends(state.now.kind());
      Interval now = intervals_.meet(unknown(state), {-far, far, {}, {}});
      now.low = now.high = cast(state.now, Kind::i64);
      set(state.now.var(), now);
    }
  };
  // Assumes that all components that begin without a sign stay so, and drops the ones that do not.
  for (State& state : states) state.is_positive = state.initial.least >= 0;
  std::vector<Interval> next;
  for (bool changed = true; changed;) {
    set_all();
    next = one_iteration(loop);
    changed = false;
    for (State& state : states) {
      if (!state.is_positive || state.is_extent || next[state.number].least >= 0) continue;
      state.is_positive = false;
      changed = true;
    }
  }
  for (State& state : states) {
    const Interval& given = next[state.number];
    const Expr now = cast(state.now, Kind::i64);
    const Wide far = far_from_ends(state.now.kind());
    if (state.initial.least < -far || state.initial.most > far) continue;
    state.has_most = state.initial.high && given.high && at_most(given.high, now);
    state.has_least = state.initial.low && given.low && at_most(now, given.low);
    state.found = state.initial;
    if ((state.is_extent || state.is_positive) && !state.has_least)
      state.has_least = true, state.found.least = 0, state.found.low = arena_.i64(0);
    // Values that do not depend on the former value have bounds whatever that was.
    const auto depends = [&](Expr value) { return scalar::mentions(value, state.now.var()); };
    if (!state.has_most && state.initial.high && given.high && depends(given.high))
      state.more = increase(given.high, now, Op::max);
    if (!state.has_least && state.initial.low && given.low && depends(given.low))
      state.less = increase(given.low, now, Op::min);
  }
  if (loop.trips) add_steps(loop, states);
}

// By how much the value is more than before. For one of several values: the greatest or least of their
// differences.
Expr Bounds::increase(Expr value, Expr former, Op extreme) {
  const auto of = [&](Expr e) { return increase(e, former, extreme); };
  switch (value.op()) {
    case Op::min:
    case Op::max: return arena_.apply(value.op(), {of(value.arg(0)), of(value.arg(1))});
    case Op::select: return arena_.apply(extreme, {of(value.arg(1)), of(value.arg(2))});
    default: return value - former;
  }
}

// Bounds state that becomes more, or less, by a bounded number each time.
void Bounds::add_steps(const Loop& loop, std::vector<State>& states) {
  const Interval trips = of(loop.trips);
  if (!trips.high) return;
  const Expr zero = arena_.i64(0);
  const Interval times{0, std::max<Wide>(trips.most, 0), zero, max(trips.high, zero)};
  set_state(states);
  for (State& state : states) {
    const Wide far = far_from_ends(state.now.kind());
    const auto after_all = [&](Expr step) {
      const Interval each = step ? of(step) : Interval();
      return intervals_.add(Kind::i64, state.initial, intervals_.mul(Kind::i64, each, times));
    };
    // The end of the kind's range, when it is evaluated, where a sum comes near to it.
    const Interval kind = intervals_.any(state.now.kind());
    const auto limited = [&](Expr holds, Expr side, Wide end) {
      return select(holds, side, static_cast<std::int64_t>(end));
    };
    const Expr limit = arena_.i64(static_cast<std::int64_t>(far));
    if (const Interval all = after_all(state.more); state.more && all.high) {
      state.has_most = state.adds_up = true;
      state.found.most = std::max(all.most, state.initial.most);
      state.found.high = max(all.high, state.initial.high);
      if (state.found.most > far)
        state.found.high = limited(state.found.high <= limit, state.found.high, kind.most);
    }
    if (const Interval all = after_all(state.less); state.less && all.low) {
      state.has_least = true;
      state.found.least = std::min(all.least, state.initial.least);
      state.found.low = min(all.low, state.initial.low);
      if (state.found.least < -far)
        state.found.low =
            limited(arena_.apply(Op::neg, {limit}) <= state.found.low, state.found.low, kind.least);
    }
  }
}

// What all steps add up to may be far more than what an iteration gives at most, whatever the former value
// was.
void Bounds::limit_sums(const Loop& loop, std::vector<State>& states) {
  const auto adds_up = [](const State& state) { return state.adds_up; };
  if (std::ranges::none_of(states, adds_up)) return;
  for (State& state : states) state.has_most = state.has_most && !state.adds_up;
  set_state(states);
  const std::vector<Interval> next = one_iteration(loop);
  for (State& state : states) {
    if (!state.adds_up) continue;
    state.has_most = true;
    const Interval& given = next[state.number];
    if (!given.high) continue;
    state.found.most = std::min(state.found.most, std::max(given.most, state.initial.most));
    state.found.high = min(state.found.high, max(given.high, state.initial.high));
  }
}

void Bounds::compare_with_beginning(const Loop& loop, std::vector<State>& states) {
  const auto beginning = [&](const State& state) {
    return intervals_.hull(state.initial, intervals_.exactly(0));
  };
  bool is_any = false;
  for (State& state : states) {
    state.is_below_beginning = !state.has_most && state.initial.high;
    is_any = is_any || state.is_below_beginning;
  }
  for (bool changed = is_any; changed;) {
    changed = false;
    set_state(states);
    for (const State& state : states) {
      if (!state.is_below_beginning) continue;
      const Interval most = beginning(state);
      Interval now = names_.at(state.now.var()).interval;
      now.most = std::min(now.most, most.most), now.high = most.high;
      set(state.now.var(), now);
    }
    const std::vector<Interval> next = one_iteration(loop);
    for (State& state : states) {
      if (!state.is_below_beginning) continue;
      const Expr high = next[state.number].high;
      if (high && at_most(high, beginning(state).high)) continue;
      state.is_below_beginning = false;
      changed = true;
    }
  }
  for (State& state : states) {
    if (!state.is_below_beginning) continue;
    const Interval most = beginning(state);
    state.has_most = true;
    state.found.most = most.most, state.found.high = most.high;
  }
}

void Bounds::compare_with_all(const Loop& loop, std::vector<State>& states) {
  Interval all;
  bool is_first = true;
  for (const State& state : states)
    if (!state.has_most && state.is_extent)
      all = is_first ? state.initial : intervals_.hull(all, state.initial), is_first = false;
  if (is_first || !all.high) return;
  set_state(states);
  for (const State& state : states)
    if (!state.has_most && state.is_extent) set(state.now.var(), {0, all.most, arena_.i64(0), all.high});
  const std::vector<Interval> next = one_iteration(loop);
  for (const State& state : states)
    if (!state.has_most && state.is_extent)
      if (const Expr high = next[state.number].high; !high || !at_most(high, all.high)) return;
  for (State& state : states)
    if (!state.has_most && state.is_extent)
      state.has_most = true, state.found.most = all.most, state.found.high = all.high;
}

bool Bounds::take_whatever_it_was(const Loop& loop, std::vector<State>& states) {
  set_state(states);
  const std::vector<Interval> next = one_iteration(loop);
  bool found = false;
  for (State& state : states) {
    const Interval& given = next[state.number];
    if (!state.has_most && given.high && state.initial.high) {
      state.has_most = found = true;
      state.found.most = std::max(given.most, state.initial.most);
      state.found.high = max(given.high, state.initial.high);
    }
    if (!state.has_least && given.low && state.initial.low) {
      state.has_least = found = true;
      state.found.least = std::min(given.least, state.initial.least);
      state.found.low = min(given.low, state.initial.low);
    }
  }
  return found;
}

// Learns elements of arrays of integers, whatever the other components are.
void Bounds::keep_elements(const Stm& s, const Loop& loop) {
  const std::size_t first = loop.trips ? 1 : 0;
  struct Elements {
    std::size_t number;
    Var now;
    Interval initial;
    bool stay;
  };
  std::vector<Elements> arrays;
  for (std::size_t k = 0; k < loop.initial.size(); ++k) {
    const Expr initial = loop.initial[k];
    if (initial.type().rank == 0 || !scalar::is_integer(initial.kind())) continue;
    const Interval elements = of_result(initial);
    const bool may_stay = loops_ < most_loops && (elements.low || elements.high);
    arrays.push_back({k, loop.body.params[first + k], elements, may_stay});
  }
  if (arrays.empty()) return;
  ++loops_;
  for (bool changed = true; changed;) {
    for (const Elements& a : arrays)
      set_elements(a.now, a.stay ? a.initial : intervals_.any(loop.initial[a.number].kind()));
    changed = false;
    if (std::ranges::none_of(arrays, &Elements::stay)) break;
    const std::vector<Interval> next = one_iteration(loop);
    for (Elements& a : arrays) {
      if (!a.stay) continue;
      const Interval& to = next[a.number];
      const bool is_inside = a.initial.least <= to.least && to.most <= a.initial.most;
      const bool is_above = !a.initial.low || (to.low && at_most(a.initial.low, to.low));
      const bool is_below = !a.initial.high || (to.high && at_most(to.high, a.initial.high));
      a.stay = is_inside && is_above && is_below;
      changed = changed || !a.stay;
    }
  }
  --loops_;
  for (const Elements& a : arrays) set_elements(s.names[a.number], elements_.at(a.now));
}

void Bounds::learn_loop(const Stm& s, const Loop& loop) {
  const std::size_t first = loop.trips ? 1 : 0;
  if (loop.trips) set_below(loop.body.params[0], loop.trips);
  extents_of(loop.body.params);
  extents_of(s.names);
  std::vector<State> states;
  for (std::size_t k = 0; k < loop.initial.size(); ++k) {
    const Var param = loop.body.params[first + k];
    const scalar::Type type = arena_.info(param).type;
    if (type.rank > 0 || !scalar::is_integer(type.kind) || type.kind == Kind::u64) continue;
    const auto is_extent = [&](Var array) {
      return std::ranges::find(arena_.info(array).shape, arena_.name(param)) !=
             arena_.info(array).shape.end();
    };
    states.push_back(
        {k, arena_.name(param), of(loop.initial[k]), std::ranges::any_of(loop.body.params, is_extent)});
  }
  for (const State& state : states) set(state.now.var(), unknown(state));
  keep_elements(s, loop);
  if (states.empty() || loops_ == most_loops) {
    for (const State& state : states) set(s.names[state.number], unknown(state));
    return;
  }
  ++loops_;
  compare_with_former(loop, states);
  limit_sums(loop, states);
  const auto are_all_found = [&] {
    return std::ranges::all_of(states, [](const State& state) { return state.has_least && state.has_most; });
  };
  if (!are_all_found()) compare_with_beginning(loop, states);
  if (!are_all_found()) compare_with_all(loop, states);
  for (int round = 0; round < 2 && !are_all_found(); ++round)
    if (!take_whatever_it_was(loop, states)) break;
  --loops_;
  set_state(states);
  for (const State& state : states) set(s.names[state.number], names_.at(state.now.var()).interval);
}

}  // namespace fulgurite::soac
