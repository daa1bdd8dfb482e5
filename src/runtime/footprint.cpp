#include "runtime/footprint.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "runtime/strided.h"

namespace fulgurite::runtime {
namespace {

using Op = Formula::Op;
__extension__ using Wide = __int128;

bool are_alike(const Touched& a, const Touched& b) {
  return a.buffer == b.buffer && a.stores == b.stores && a.is_marked == b.is_marked;
}

// The same elements as one set, where the runs of `b` lie beside the runs of `a`, or go on after them.
std::optional<Touched> together(const Touched& a, const Touched& b) {
  if (!are_alike(a, b) || a.is_certain != b.is_certain || a.low == INT64_MIN || b.high == INT64_MAX)
    return std::nullopt;
  Touched to = a;
  to.high = b.high;
  const Wide apart = Wide{b.high} - a.high;
  if (a.has_gaps() && b.has_gaps()) {
    if (a.stride != b.stride || Wide{b.low} - a.low != a.run || apart != b.run ||
        Wide{a.run} + b.run > a.stride)
      return std::nullopt;
    to.run = a.run + b.run;
    if (to.run == to.stride) to.stride = to.run = 1;
    return to;
  }
  const Wide length = Wide{b.high} - b.low + 1;
  if (b.has_gaps() || length != (a.has_gaps() ? Wide{a.run} : Wide{a.high} - a.low + 1) || apart <= length ||
      apart > INT64_MAX || (a.has_gaps() && apart != a.stride))
    return std::nullopt;
  to.stride = static_cast<std::int64_t>(apart);
  to.run = static_cast<std::int64_t>(length);
  return to;
}

// Fewer sets of the same elements: of a loop, a row each.
void join_runs(std::vector<Touched>& all) {
  for (std::size_t k = 0; k < all.size(); ++k)
    for (std::size_t next = k + 1; next < all.size();)
      if (const std::optional<Touched> both = together(all[k], all[next])) {
        all[k] = *both;
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(next));
      } else {
        ++next;
      }
}

// Joins it with one that it meets or lies beside, so that neighbours are one.
void add(std::vector<Touched>& all, Touched now) {
  constexpr std::ptrdiff_t most_apart = 12;  // of one buffer; more of them are taken together
  const auto is_same = [&](const Touched& t) { return are_alike(t, now); };
  const auto has_many = [&] { return std::ranges::count_if(all, is_same) >= most_apart; };
  bool are_many = has_many();
  if (are_many) {
    join_runs(all);
    are_many = has_many();
  }
  for (;;) {
    const auto met = std::ranges::find_if(all, [&](const Touched& t) {
      if (!is_same(t)) return false;
      if (are_many) return true;
      if (t.low == now.low && t.high == now.high && t.stride == now.stride && t.run == now.run) return true;
      return !t.has_gaps() && !now.has_gaps() && Wide{now.low} <= Wide{t.high} + 1 &&
             Wide{t.low} <= Wide{now.high} + 1;
    });
    if (met == all.end()) break;
    if (met->low == now.low && met->high == now.high && met->stride == now.stride && met->run == now.run) {
      met->is_certain |= now.is_certain;
      return;
    }
    const bool is_inside = now.low >= met->low && now.high <= met->high && !met->has_gaps();
    const bool is_around = met->low >= now.low && met->high <= now.high && !now.has_gaps();
    now.is_certain = (is_inside && met->is_certain) || (is_around && now.is_certain) ||
                     (!are_many && met->is_certain && now.is_certain);
    // Rows of a tile that were taken some at a time: a stride of both.
    const std::int64_t stride =
        stride_of({now.low, now.high, now.stride}, {met->low, met->high, met->stride});
    const std::int64_t run = std::max(now.run, met->run);
    const bool keeps_gaps = now.has_gaps() && met->has_gaps() && stride > run;
    now.low = std::min(now.low, met->low);
    now.high = std::max(now.high, met->high);
    now.stride = keeps_gaps ? stride : 1;
    now.run = keeps_gaps ? run : 1;
    now.is_certain &= !keeps_gaps;
    all.erase(met);
  }
  all.push_back(now);
}

// Calls f with each operand.
template <class F>
void for_operands(const Formula& f, const F& take) {
  for (const std::int32_t operand : {f.a, f.b, f.c})
    if (operand >= 0) take(static_cast<std::size_t>(operand));
}

// Steps for which it holds, or for one of whose operands.
template <class Holds>
std::vector<bool> depending(const PhaseFootprint& phase, const Holds& holds) {
  std::vector<bool> all;
  for (const Formula& f : phase.formulas) {
    bool depends = holds(f);
    for_operands(f, [&](std::size_t operand) { depends = depends || all[operand]; });
    all.push_back(depends);
  }
  return all;
}

// What touches of a buffer are among, all of them.
std::vector<Touch> touches_of(const PhaseFootprint& phase, Which which) {
  const std::vector<bool> depends = depending(phase, [](const Formula& f) { return f.op == Op::element; });
  const auto is_by_elements = [&](const Touch& t) {
    return depends[static_cast<std::size_t>(t.at)] ||
           (t.condition >= 0 && depends[static_cast<std::size_t>(t.condition)]);
  };
  std::vector<Touch> all;
  for (const Touch& t : phase.touches) {
    const bool is_moving = std::ranges::any_of(
        phase.touches, [&](const Touch& other) { return other.buffer == t.buffer && is_by_elements(other); });
    if (which == Which::all || is_moving == (which == Which::by_elements)) all.push_back(t);
  }
  return all;
}

}  // namespace

Touches::Touches(const PhaseFootprint& phase, std::span<const std::int64_t> scalars, KnownElements& elements,
                 Which which)
    : phase_(phase),
      scalars_(scalars),
      elements_(elements),
      touches_(touches_of(phase, which)),
      of_loops_(phase.loops.size()) {
  const std::size_t n = phase.formulas.size();
  std::vector<bool> is_needed(n), is_integer(n), is_taken_as_set(n);
  const auto need = [&](std::int32_t step) {
    if (step >= 0)
      is_needed[static_cast<std::size_t>(step)] = is_taken_as_set[static_cast<std::size_t>(step)] = true;
  };
  for (const Touch& t : touches_) {
    need(t.at);
    need(t.condition);
    if (t.loop >= 0) need(phase.loops[static_cast<std::size_t>(t.loop)]);
  }
  for (std::size_t k = n; k-- > 0;)
    if (is_needed[k])
      for_operands(phase.formulas[k], [&](std::size_t operand) { is_needed[operand] = true; });

  const std::vector<bool> depends =
      depending(phase, [](const Formula& f) { return f.op == Op::task || f.op == Op::element; });
  std::size_t n_variables = 0;
  integers_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Formula& f = phase.formulas[k];
    const bool is_variable = f.op == Op::lanes || f.op == Op::range;
    variables_.push_back(is_variable && n_variables < 64 ? std::uint64_t{1} << n_variables : 0);
    n_variables += is_variable ? 1 : 0;
    values_.push_back(is_needed[k] ? value(f, 0) : Strided::unknown());
    if (!depends[k]) {
      is_integer[k] = values_[k].is_point();
      integers_[k].fill(values_[k].low);
      continue;
    }
    is_integer[k] = f.op == Op::task || f.op == Op::element || is_arithmetic(f.op);
    for_operands(f, [&](std::size_t operand) { is_integer[k] = is_integer[k] && is_integer[operand]; });
    if (!is_needed[k]) continue;
    (is_integer[k] ? of_task_ : sets_of_task_).push_back(k);
    if (!is_integer[k]) for_operands(f, [&](std::size_t operand) { is_taken_as_set[operand] = true; });
  }
  std::ranges::copy_if(of_task_, std::back_inserter(taken_as_sets_),
                       [&](std::size_t k) { return is_taken_as_set[k]; });
  for (std::size_t loop = 0; loop < phase.loops.size(); ++loop) {
    const auto step = static_cast<std::size_t>(phase.loops[loop]);
    std::vector<bool> inside(n);
    inside[step] = true;
    for (std::size_t k = step + 1; k < n; ++k) {
      for_operands(phase.formulas[k], [&](std::size_t operand) { inside[k] = inside[k] || inside[operand]; });
      if (inside[k]) of_loops_[loop].push_back(k);
    }
  }
}

Strided Touches::value(const Formula& f, std::int64_t task) {
  static constexpr Strided none;
  const auto operand = [&](std::int32_t step) -> const Strided& {
    return step < 0 ? none : values_[static_cast<std::size_t>(step)];
  };
  // The values of a variable of a loop or of lanes, which nothing else takes.
  const auto variable = [&](Strided values) {
    if (values.is_point()) return values;
    values.variables = variables_[static_cast<std::size_t>(&f - phase_.formulas.data())];
    values.is_exact &= values.variables != 0;
    return values;
  };
  switch (f.op) {
    case Op::unknown: return Strided::unknown();
    case Op::constant: return Strided::point(f.value);
    case Op::scalar: return Strided::point(scalars_[static_cast<std::size_t>(f.value)]);
    case Op::task: return Strided::point(task);
    case Op::lanes: return variable(range(Strided::point(0), Strided::point(f.value), Strided::point(1)));
    case Op::range: return variable(range(operand(f.a), operand(f.b), operand(f.c)));
    case Op::element: return elements_.at(f.value, operand(f.a)).value_or(Strided::unknown());
    default: return computed(f, operand(f.a), operand(f.b), operand(f.c));
  }
}

// What the step is for each of some tasks; false where one is no integer that is known.
bool Touches::evaluate(const Formula& f, Integers& to) {
  const auto operand = [&](std::int32_t step) -> const Integers& {
    return integers_[step < 0 ? 0 : static_cast<std::size_t>(step)];
  };
  const Integers &a = operand(f.a), &b = operand(f.b), &c = operand(f.c);
  bool are_known = true;
  const auto set = [&](std::size_t k, std::optional<std::int64_t> value) {
    to[k] = value.value_or(0);
    are_known &= value.has_value();
  };
  if (f.op == Op::task) {
    std::iota(to.begin(), to.end(), first_);
  } else if (f.op == Op::element) {
    for (std::size_t k = 0; k < to.size() && are_known; ++k) {
      const std::optional<Strided> element = elements_.at(f.value, Strided::point(a[k]));
      set(k, element && element->is_point() ? std::optional(element->low) : std::nullopt);
    }
  } else {
    with_operation(f, [&](const auto& result) {
      for (std::size_t k = 0; k < to.size(); ++k) set(k, result(a[k], b[k], c[k]));
    });
  }
  return are_known;
}

// Made in its place: copies of what has just been stored are slow.
void Touches::set(std::size_t step, std::int64_t task) {
  ::new (&values_[step]) Strided(value(phase_.formulas[step], task));
}

// Most steps are integers once the task is known, and many times faster as such than as sets, for some tasks
// at once.
void Touches::evaluate(std::int64_t task) {
  if (task < first_ || task >= first_ + n_at_once) {
    first_ = task;
    are_integers_ = std::ranges::all_of(
        of_task_, [&](std::size_t k) { return evaluate(phase_.formulas[k], integers_[k]); });
  }
  if (are_integers_)
    for (const std::size_t k : taken_as_sets_)
      values_[k] = Strided::point(integers_[k][static_cast<std::size_t>(task - first_)]);
  else
    for (const std::size_t k : of_task_) set(k, task);
  for (const std::size_t k : sets_of_task_) set(k, task);
}

// Those in the loop; -1: outside of all loops.
void Touches::add(std::vector<Touched>& all, std::int32_t loop) const {
  for (const Touch& touch : touches_) {
    if (touch.loop != loop) continue;
    bool is_certain = true;
    if (touch.condition >= 0) {
      const Strided& condition = values_[static_cast<std::size_t>(touch.condition)];
      if (condition.is_point() && condition.low == 0) continue;
      is_certain = condition.is_point();
    }
    const Strided& at = values_[static_cast<std::size_t>(touch.at)];
    runtime::add(all, {touch.buffer, touch.stores, at.low, at.high, at.stride, at.run,
                       is_certain && at.is_exact && at.is_bounded(), touch.is_marked});
  }
}

std::span<const Touched> Touches::of(std::int64_t task, Look look) {
  static constexpr std::int64_t most_iterations = 256;
  evaluate(task);
  std::vector<Touched>& all = touched_;
  all.clear();
  add(all, -1);
  for (std::size_t k = 0; k < phase_.loops.size(); ++k) {
    const auto step = static_cast<std::size_t>(phase_.loops[k]);
    const Strided taken = values_[step];
    const bool is_apart = look == Look::iterations && taken.is_exact && !taken.is_point() &&
                          (taken.high - taken.low) / taken.stride < most_iterations;
    if (!is_apart) {
      add(all, static_cast<std::int32_t>(k));
      continue;
    }
    for (std::int64_t iteration = taken.low; iteration <= taken.high; iteration += taken.stride) {
      values_[step] = Strided::point(iteration);
      for (const std::size_t inside : of_loops_[k]) set(inside, task);
      add(all, static_cast<std::int32_t>(k));
    }
    join_runs(all);
    values_[step] = taken;
    for (const std::size_t inside : of_loops_[k]) set(inside, task);
  }
  return all;
}

std::vector<Touched> touched(const PhaseFootprint& phase, std::int64_t task,
                             std::span<const std::int64_t> scalars, KnownElements& elements, Look look) {
  Touches touches(phase, scalars, elements);
  const std::span<const Touched> all = touches.of(task, look);
  return {all.begin(), all.end()};
}

}  // namespace fulgurite::runtime
