#include "soac/bounds.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/match.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using base::as;
using scalar::Op;

namespace {

constexpr Wide most_extent = Wide{1} << 47;  // trace::check_sizes, and what arguments may have
constexpr int most_steps = 12;               // of a proof

bool is_value(Expr e) {
  return e.type().rank == 0 && e.type().lanes == 1;
}

bool is_integer(Expr e) {
  return is_value(e) && scalar::is_integer(e.kind());
}

std::int64_t value_of(Expr constant) {
  return static_cast<std::int64_t>(constant.bits());
}

// A size that only memory limits, as in the check that every size gets, is no bound.
bool is_limit_of_memory(Expr e) {
  while (e.op() == Op::div) e = e.arg(0);
  return e.is_constant() && value_of(e) > (std::int64_t{1} << 24);
}

}  // namespace

Bounds::Bounds(const Program& program, Knows knows)
    : arena_(*program.arena), knows_(std::move(knows)), intervals_(arena_) {
  for (Var param : program.params)
    for (Expr extent : arena_.info(param).shape)
      if (extent.is_name()) set_extent(extent.var());
  count_extents(program.body);
  points_ = intervals_.any(Kind::i64);
  for (const Stm& s : program.body)
    if (!as<Loop>(s.op) && !as<Call>(s.op))
      for (Var name : s.names)
        if (arena_.info(name).type.rank > 0) made_.emplace(name, &s);
}

// Names that are extents wherever they have a value: sizes in state, of a branch's results, of kept elements.
void Bounds::count_extents(const std::vector<Stm>& body) {
  for (const Stm& s : body) {
    if (as<Soac>(s.op)) {
      for (const OutputView::Partitioned& p : view_of(s).partitions) set_extent(p.kept);
      continue;
    }
    if (as<If>(s.op) || as<Loop>(s.op)) extents_of(s.names);
    for (const auto& inner : nested_in(s)) {
      extents_of(inner.lambda->params);
      count_extents(inner.lambda->body);
    }
  }
}

// Names bound together: one that is an extent of an array among them is a size.
void Bounds::extents_of(std::span<const Var> names) {
  for (Var array : names)
    for (Expr extent : arena_.info(array).shape)
      if (extent.is_name() && std::ranges::find(names, extent.var()) != names.end()) set_extent(extent.var());
}

void Bounds::set_extent(Var name) {
  set(name, {0, most_extent, arena_.i64(0), {}});
}

bool Bounds::has_value(Expr e) {
  const auto [found, is_new] = known_.try_emplace(e.id(), false);
  if (is_new) found->second = knows_(e);
  return found->second;
}

bool Bounds::known(Expr e) {
  return !scalar::can_fail(e) && has_value(e);
}

void Bounds::set(Var name, const Interval& interval) {
  names_[name] = {interval};
  memo_.clear();
}

void Bounds::set_below(Var name, Expr limit) {
  names_[name] = {{}, limit, true};
  memo_.clear();
}

void Bounds::forget(std::size_t mark) {
  if (facts_.size() == mark) return;
  for (; facts_.size() > mark; facts_.pop_back())
    for (Expr e : {facts_.back().a, facts_.back().b, facts_.back().difference})
      if (e)
        if (auto& on = facts_on_.at(e.id()); !on.empty() && on.back() + 1 == facts_.size()) on.pop_back();
  while (!of_sums_.empty() && of_sums_.back() >= mark) of_sums_.pop_back();
  memo_.clear();
}

void Bounds::assume(Expr condition, bool holds) {
  const auto both = [&](bool each) {
    assume(condition.arg(0), each);
    assume(condition.arg(1), each);
  };
  switch (condition.op()) {
    case Op::bit_and:
      if (holds) both(true);
      return;
    case Op::bit_or:
      if (!holds) both(false);
      return;
    case Op::bit_not: return assume(condition.arg(0), !holds);
    case Op::le:
    case Op::lt: {
      const bool is_strict = condition.op() == Op::lt;
      if (holds) return add_fact(condition.arg(0), condition.arg(1), is_strict);
      return add_fact(condition.arg(1), condition.arg(0), !is_strict);
    }
    case Op::eq:
    case Op::ne:
      if (holds != (condition.op() == Op::eq)) return;
      add_fact(condition.arg(0), condition.arg(1), false);
      add_fact(condition.arg(1), condition.arg(0), false);
      return;
    case Op::select: return assume(Choice{condition.arg(0), condition.arg(1), condition.arg(2)}, holds);
    case Op::name:
      if (const auto found = choices_.find(condition.var()); found != choices_.end())
        assume(Choice(found->second), holds);
      return;
    default: return;
  }
}

// Learns from `a && b` and `a || b`, which evaluate b only where it decides.
void Bounds::assume(const Choice& choice, bool holds) {
  const auto is = [](Expr e, bool value) { return e.is_constant(value ? 1 : 0); };
  if (is(choice.no, !holds)) {
    assume(choice.condition, true);
    assume(choice.yes, holds);
  } else if (is(choice.yes, !holds)) {
    assume(choice.condition, false);
    assume(choice.no, holds);
  }
}

// An array's extents as it was declared, and as its statement has them now.
void Bounds::equate(std::span<const Expr> shape, std::span<const Expr> extents) {
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (shape[d] == extents[d]) continue;
    add_fact(shape[d], extents[d], false);
    add_fact(extents[d], shape[d], false);
  }
}

void Bounds::add_fact(Expr a, Expr b, bool strict) {
  if (!is_integer(a) || a.kind() == Kind::u64) return;
  add_fact({a, b, strict, a.kind() == Kind::i64 ? b - a : Expr()});
}

void Bounds::add_fact(const Fact& fact) {
  for (Expr e : {fact.a, fact.b, fact.difference})
    if (e && (facts_on_[e.id()].empty() || facts_on_[e.id()].back() != facts_.size()))
      facts_on_[e.id()].push_back(facts_.size());
  if (fact.a.op() == Op::add || fact.b.op() == Op::add) of_sums_.push_back(facts_.size());
  facts_.push_back(fact);
  memo_.clear();
}

// ---- intervals

Interval Bounds::of(Expr root) {
  if (auto found = memo_.find(root.id()); found != memo_.end()) return found->second;
  std::vector<Expr> stack{root};
  while (!stack.empty()) {
    const Expr e = stack.back();
    bool is_ready = true;
    if (is_value(e) && e.op() != Op::index)
      for (Expr arg : e.args())
        if (!memo_.contains(arg.id())) {
          stack.push_back(arg);
          is_ready = false;
        }
    if (!is_ready) continue;
    stack.pop_back();
    if (!memo_.contains(e.id())) {
      const Interval interval = of_node(e);
      memo_.insert_or_assign(e.id(), interval);
    }
  }
  return memo_.at(root.id());
}

Interval Bounds::of(Expr e, std::size_t mark) {
  if (facts_.size() == mark) return of(e);
  std::vector<Fact> later(facts_.begin() + static_cast<std::ptrdiff_t>(mark), facts_.end());
  forget(mark);
  const Interval interval = of(e);
  for (const Fact& fact : later) add_fact(fact);
  return interval;
}

Interval Bounds::of_node(Expr e) {
  if (!is_value(e)) return {};
  if (e.is_constant() && is_integer(e) && (e.kind() != Kind::u64 || value_of(e) >= 0))
    return intervals_.exactly(value_of(e));
  if (!is_integer(e)) return intervals_.any(e.kind());
  Interval interval;
  if (e.is_name()) {
    interval = of_name(e);
  } else if (e.op() == Op::index) {
    interval = of_elements(e.arg(0));
  } else if (e.args().empty()) {
    interval = intervals_.any(e.kind());
  } else {
    std::vector<Interval> operands;
    for (Expr arg : e.args()) operands.push_back(memo_.at(arg.id()));
    interval = without_neutral(e, intervals_.apply(e, operands));
  }
  interval = with_partial_sums(e, with_facts(e, with_rounding(e, interval)));
  if (e.kind() != Kind::u64 && has_value(e)) interval.low = interval.high = safe(cast(e, Kind::i64));
  return interval;
}

Interval Bounds::of_name(Expr e) {
  const Interval all = intervals_.any(e.kind());
  const auto found = names_.find(e.var());
  if (found == names_.end()) return all;
  const Name name = found->second;
  if (name.neutral) return intervals_.hull(name.interval, of(name.neutral));
  if (!name.limit) return name.interval;
  const Interval limit = of(name.limit);
  const Wide less = name.is_below ? 1 : 0;
  Interval interval{0, std::max<Wide>(limit.most - less, 0), arena_.i64(0), {}};
  if (limit.high) interval.high = limit.high - static_cast<std::int64_t>(less);
  return interval;
}

// (x + n) / n is x / n + 1, which is at most x + 1, or 1: a quotient that is rounded up.
Interval Bounds::with_rounding(Expr e, Interval interval) {
  if (e.op() != Op::div || e.kind() != Kind::i64 || e.arg(0).args().size() != 2) return interval;
  const Interval divisor = of(e.arg(1));
  if (divisor.least < 1 || divisor.low == divisor.high) return interval;
  const Interval rest = of(e.arg(0) - e.arg(1));
  const Interval all = intervals_.any(Kind::i64);
  const bool is_sum = rest.most + divisor.most <= all.most && rest.least + divisor.least >= all.least;
  if (!is_sum || !rest.high) return interval;
  const Expr most = max(rest.high, 0) + 1;
  return intervals_.meet(interval, {all.least, std::max<Wide>(rest.most, 0) + 1, {}, most});
}

namespace {

// The terms of a sum, in order of their nodes; none: there are more than a few.
std::vector<Expr> terms_of(Expr sum) {
  constexpr std::size_t most = 8;
  std::vector<Expr> terms{sum};
  for (std::size_t k = 0; k < terms.size() && terms.size() <= most;) {
    const Expr term = terms[k];
    if (term.op() != Op::add) {
      ++k;
      continue;
    }
    terms[k] = term.arg(0);
    terms.push_back(term.arg(1));
  }
  if (terms.size() > most) return {};
  std::ranges::sort(terms, {}, [](Expr e) { return e.id(); });
  return terms;
}

}  // namespace

// Bounds of a sum from conditions on a part of it, which another order of its terms does not compute.
Interval Bounds::with_partial_sums(Expr e, Interval interval) {
  if (e.op() != Op::add || e.kind() != Kind::i64 || (interval.low && interval.high) || of_sums_.empty())
    return interval;
  const std::vector<Expr> terms = terms_of(e);
  const auto id = [](Expr term) { return term.id(); };
  for (std::size_t number : std::vector(of_sums_))
    for (const Expr part : {facts_[number].a, facts_[number].b}) {
      const std::vector<Expr> summed = part.op() == Op::add ? terms_of(part) : std::vector<Expr>();
      if (summed.empty() || summed.size() >= terms.size()) continue;
      if (!std::ranges::includes(terms, summed, {}, id, id)) continue;
      std::vector<Expr> others;
      std::ranges::set_difference(terms, summed, std::back_inserter(others), {}, id, id);
      const Expr rest = std::accumulate(others.begin() + 1, others.end(), others[0]);
      const Interval known = of(part), other = of(rest);
      interval = intervals_.meet(interval, intervals_.add(Kind::i64, known, other));
    }
  return interval;
}

// Bounds of e from conditions: on e itself, and on e as the difference of the two sides of one. Differences
// are of the values modulo 2^64, and the right one is the one in the interval.
Interval Bounds::with_facts(Expr e, Interval interval) {
  const auto on = facts_on_.find(e.id());
  if (on == facts_on_.end() || asked_.size() > 4 || !asked_.insert(e.id()).second) return interval;
  const Wide no_least = intervals_.any(e.kind()).least, no_most = intervals_.any(e.kind()).most;
  for (std::size_t number : std::vector(on->second)) {
    const Fact fact = facts_[number];
    const Interval one = intervals_.exactly(fact.strict ? 1 : 0);
    if (fact.a == e) {
      Interval above = intervals_.sub(Kind::i64, of(fact.b), one);
      if (is_limit_of_memory(fact.b)) above.high = {};
      interval = intervals_.meet(interval, {no_least, above.most, {}, above.high});
    } else if (fact.b == e) {
      const Interval below = intervals_.add(Kind::i64, of(fact.a), one);
      interval = intervals_.meet(interval, {below.least, no_most, below.low, {}});
    } else if (fact.difference == e) {
      const Interval less = of(fact.a);
      const Interval difference = intervals_.sub(Kind::i64, of(fact.b), less);
      interval = intervals_.meet(interval, {one.least, difference.most, one.low, difference.high});
    }
  }
  asked_.erase(e.id());
  return interval;
}

// An expression with the value of e where evaluating e does not fail, and some value where it does.
Expr Bounds::safe(Expr e) {
  if (!scalar::can_fail(e)) return e;
  scalar::Substitution without_failures(arena_, [&](Expr node) {
    if (node.site() == 0 || node.op() == Op::index) return Expr();
    const Expr a = safe(node.arg(0)), b = safe(node.arg(1));
    const Expr one = cast(arena_.i64(1), b.kind()), zero = arena_.constant(b.kind(), 0);
    return arena_.apply(node.op(), {a, select(equal(b, zero), one, b)});
  });
  return without_failures(e);
}

// ---- proofs

bool Bounds::at_most(Expr a, Expr b, int depth) {
  if (a == b) return true;
  if (depth > most_steps) return false;
  if (a.is_constant() && b.is_constant()) return value_of(a) <= value_of(b);
  const Interval x = of(a), y = of(b);
  if (x.most <= y.least) return true;
  const auto less = [&](Expr left, Expr right) { return at_most(left, right, depth + 1); };
  const auto is_positive = [&](Expr e) { return of(e).least >= 0; };
  switch (b.op()) {
    case Op::max:
      if (less(a, b.arg(0)) || less(a, b.arg(1))) return true;
      break;
    case Op::min:
      if (less(a, b.arg(0)) && less(a, b.arg(1))) return true;
      break;
    case Op::select:
      if (less(a, b.arg(1)) && less(a, b.arg(2))) return true;
      break;
    default: break;
  }
  switch (a.op()) {
    case Op::min:
      if (less(a.arg(0), b) || less(a.arg(1), b)) return true;
      break;
    case Op::max:
      if (less(a.arg(0), b) && less(a.arg(1), b)) return true;
      break;
    case Op::select:
      if (less(a.arg(1), b) && less(a.arg(2), b)) return true;
      break;
    case Op::div:
    case Op::ceil_div:
      if (of(a.arg(1)).least >= 1 && is_positive(a.arg(0)) && less(a.arg(0), b)) return true;
      break;
    case Op::rem:
    case Op::shr:
      if (is_positive(a.arg(0)) && less(a.arg(0), b)) return true;
      break;
    default: break;
  }
  constexpr Wide far = Wide{1} << 62;
  const bool is_exact = x.least >= -far && x.most <= far && y.least >= -far && y.most <= far;
  return is_exact && of(a - b).most <= 0;
}

// ---- statements

void Bounds::learn(const Stm& s) {
  base::match(
      s.op, [&](const Soac& op) { learn_soac(s, op); }, [&](const Scan& op) { learn_scan(s, op); },
      [&](const Sort& op) { learn_sort(s, op); }, [&](const If& op) { learn_if(s, op); },
      [&](const Loop& op) { learn_loop(s, op); }, [&](const Check& op) { assume(op.condition); },
      [](const Call&) {},
      [&](const Let& op) {
        if (is_integer(op.value)) set(s.names[0], of(op.value));
      });
}

std::vector<Interval> Bounds::results_of(const Lambda& f, Expr condition, bool holds) {
  const std::size_t from = mark();
  if (condition) assume(condition, holds);
  for (const Stm& s : f.body) learn(s);
  std::vector<Interval> results;
  for (Expr e : f.results) results.push_back(of_result(e));
  forget(from);
  return results;
}

void Bounds::learn_if(const Stm& s, const If& op) {
  for (std::size_t k = 0; k < s.names.size(); ++k)
    if (op.then_branch.results[k].type() == scalar::Type{Kind::boolean})
      choices_[s.names[k]] = {op.condition, op.then_branch.results[k], op.else_branch.results[k]};
  const auto is_of_integers = [](Expr e) { return scalar::is_integer(e.kind()); };
  if (std::ranges::none_of(op.then_branch.results, is_of_integers)) return;
  const std::vector<Interval> yes = results_of(op.then_branch, op.condition, true);
  const std::vector<Interval> no = results_of(op.else_branch, op.condition, false);
  for (std::size_t k = 0; k < s.names.size(); ++k)
    if (is_integer(op.then_branch.results[k]))
      set(s.names[k], intervals_.hull(yes[k], no[k]));
    else if (is_of_integers(op.then_branch.results[k]))
      set_elements(s.names[k], intervals_.hull(yes[k], no[k]));
  clip_extents(s.names);
}

// Extents are not negative, even if the values that they come from may be.
void Bounds::clip_extents(std::span<const Var> names) {
  for (Var array : names)
    for (Expr extent : arena_.info(array).shape) {
      if (!extent.is_name() || std::ranges::find(names, extent.var()) == names.end()) continue;
      const Interval all{0, most_extent, arena_.i64(0), {}};
      set(extent.var(), intervals_.meet(names_[extent.var()].interval, all));
    }
}

}  // namespace fulgurite::soac
