#include "distribute/touches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/match.h"
#include "distribute/formulas.h"
#include "kernel/traverse.h"

namespace fulgurite::distribute {
namespace {

using kernel::Arena, kernel::Block, kernel::Expr, kernel::Kernel, kernel::Kind, kernel::Level, kernel::Stm,
    kernel::Var;
using runtime::Formula, runtime::PhaseFootprint;
using Op = Formula::Op;

// The values that a variable, or the elements of an array of the task, take: any of these steps'.
using Values = std::set<Step>;

// Walks the code of one phase, again and again until what loops assign is what was assumed before them (the
// least fixpoint of Cousot, Cousot 1977, of sets of steps; what does not settle is unknown).
class Walk {
  // Where the walk is: what names are, and of which of them more is known than what they were bound to.
  struct Known {
    std::unordered_map<Var, Step> steps;
    std::set<Var> bounded;
  };

 public:
  // Arrays that are no entry of `buffers` count as the task's own.
  Walk(const Kernel& kernel, const std::map<Var, std::int32_t>& buffers, PhaseFootprint& to)
      : arena_(*kernel.arena), buffers_(buffers), to_(to), formulas_(to) {
    std::int64_t scalar = 0;
    for (const kernel::Param& p : kernel.params)
      if (p.role == kernel::Param::Role::scalar)
        known_here_.steps[p.name] = step({Op::scalar, -1, -1, -1, scalar++});
  }

  void phase(const kernel::Par& par) {
    for_each_stm(par.body, [&](const Stm& s) {
      if (const auto* store = base::as<kernel::Store>(s.op)) stored_.insert(store->to.buffer);
      if (const auto* declare = base::as<kernel::Declare>(s.op)) variables_.insert(declare->name);
    });
    known_here_.steps[par.name] = step({Op::task});
    const Known outside = known_here_;
    static constexpr int settled_by = 4;
    for (int pass = 0;; ++pass) {
      known_here_ = outside;
      to_.touches.clear();
      to_.loops.clear();
      places_ = {};
      to_.is_divisible = true;
      block(par.body);
      for (const Var name : unsettled_) found_[name] = {unknown()};
      if (found_ == assumed_) break;
      if (pass + 1 >= settled_by)  // at least one more in each pass: there is an end
        for (auto& [name, values] : found_)
          if (const auto before = assumed_.find(name); before == assumed_.end() || before->second != values)
            unsettled_.insert(name);
      for (const Var name : unsettled_) found_[name] = {unknown()};
      assumed_ = std::exchange(found_, {});
    }
  }

  Places places() && { return std::move(places_); }

 private:
  // Notes a value of a variable, or of an element of the task's own array.
  void takes(Var name, Step value) {
    Values& values = found_[name];
    const auto joined = joins_.find(value);
    if (joined == joins_.end())
      values.insert(value);
    else
      values.insert(joined->second.begin(), joined->second.end());
  }
  // Any of what was noted in the pass before.
  Step any_of(Var name) {
    const auto known = assumed_.find(name);
    if (known == assumed_.end()) return unknown();
    const Values& values = known->second;
    if (values.contains(unknown())) {
      const auto first = first_.find(name);
      const bool grows = unsettled_.contains(name) && bounded_.contains(name) && first != first_.end() &&
                         !shrinking_.contains(name);
      return grows ? step({Op::at_least, unknown(), first->second}) : unknown();
    }
    Step all = *values.begin();
    for (const Step value : values)
      if (value != all) all = step({Op::select, unknown(), all, value});
    if (values.size() > 1) joins_[all] = values;
    return all;
  }

  Step step(const Formula& f) { return formulas_.step(f); }
  Step constant(std::int64_t value) { return step({Op::constant, -1, -1, -1, value}); }
  Step unknown() { return step({}); }
  Step both(Step a, Step b) {
    if (a < 0 || b < 0) return std::max(a, b);
    return a == b ? a : step({Op::bit_and, a, b});
  }

  Step of_name(Var name) {
    const auto known = known_here_.steps.find(name);
    return known == known_here_.steps.end() ? unknown() : known->second;
  }

  // The step that computes an integer or a condition.
  Step of(Expr e) {
    const Kind kind = e.kind();
    if (scalar::is_float(kind)) return unknown();
    if (e.is_constant()) return constant(value_of(e));
    if (e.is_name()) return of_name(e.var());
    if (e.op() == scalar::Op::cast) {
      const Kind from = e.arg(0).kind();
      if (kind == Kind::boolean || scalar::is_float(from)) return unknown();
      return fitting(of(e.arg(0)), kind);
    }
    if (e.op() == scalar::Op::select) return of_select(e);
    const std::optional<Op> op = formula_op(e.op(), kind);
    if (!op || scalar::is_float(e.args().back().kind())) return unknown();
    Formula f{*op};
    if (*op == Op::leading_zeros) f.value = static_cast<std::int64_t>(8 * scalar::size_of(kind));
    f.a = of(e.arg(0));
    if (e.args().size() > 1) f.b = of(e.arg(1));
    if (e.args().size() > 2) f.c = of(e.arg(2));
    return fitting(step(f), kind);
  }
  // Each value is asked for only where the condition is so.
  Step of_select(Expr e) {
    const Step condition = of(e.arg(0));
    const Known before = known_here_;
    const auto value = [&](std::size_t k) {
      assume(e.arg(0), k == 1);
      const Step step = of(e.arg(k));
      known_here_ = before;
      return step;
    };
    const Step yes = value(1), no = value(2);
    return yes == no ? yes : step({Op::select, condition, yes, no});
  }
  Step fitting(Step value, Kind kind) {
    if (kind == Kind::i64 || kind == Kind::boolean) return value;
    return step({Op::fit, value, -1, -1, bits_of(kind)});
  }

  // What follows for names where the condition holds, or does not.
  void assume(Expr condition, bool holds) {
    if (condition.is_name()) {
      if (const Expr value = definition_of(condition)) assume(value, holds);
      return;
    }
    if (condition.op() == scalar::Op::bit_not) return assume(condition.arg(0), !holds);
    const bool is_all = condition.op() == scalar::Op::bit_and, is_any = condition.op() == scalar::Op::bit_or;
    if ((is_all && holds) || (is_any && !holds)) {
      assume(condition.arg(0), holds);
      assume(condition.arg(1), holds);
      return;
    }
    const bool is_less = condition.op() == scalar::Op::lt, is_least = condition.op() == scalar::Op::le;
    const bool is_same = condition.op() == scalar::Op::eq && holds;
    if (!is_less && !is_least && !is_same) return;
    const Expr a = condition.arg(0), b = condition.arg(1);
    if (!scalar::is_integer(a.kind())) return;
    if (is_same) {
      bound(a, Op::at_most, b);
      bound(a, Op::at_least, b);
      bound(b, Op::at_most, a);
      bound(b, Op::at_least, a);
    } else if (holds) {
      bound(a, is_less ? Op::below : Op::at_most, b);
      bound(b, is_less ? Op::above : Op::at_least, a);
      assume_unsigned(a, is_less ? Op::below : Op::at_most, b);
    } else {
      bound(a, is_less ? Op::at_least : Op::above, b);
      bound(b, is_less ? Op::at_most : Op::below, a);
    }
  }
  // Compared as if it had no sign: it is not negative.
  void assume_unsigned(Expr a, Op how, Expr by) {
    const Expr value = a.is_name() ? definition_of(a) : a;
    if (!value || value.op() != scalar::Op::cast || scalar::is_signed(value.kind()) ||
        !value.arg(0).is_name() || !scalar::is_integer(value.arg(0).kind()) ||
        scalar::size_of(value.kind()) < scalar::size_of(value.arg(0).kind()))
      return;
    const Expr of_value = value.arg(0);
    if (variables_.contains(of_value.var())) return;
    const Step at_least = step({Op::at_least, of_name(of_value.var()), constant(0)});
    known_here_.steps[of_value.var()] = step({how, at_least, of(by)});
  }
  // The value of a name that a Let binds; absent for others.
  Expr definition_of(Expr name) const {
    const auto value = definitions_.find(name.var());
    return value == definitions_.end() ? Expr() : value->second;
  }
  void bound(Expr name, Op how, Expr by) { bound(name, how, of(by)); }
  void bound(Expr name, Op how, Step by) {
    if (!name.is_name() || variables_.contains(name.var())) return;
    const Step now = of_name(name.var());
    known_here_.steps[name.var()] = step({how, now, by});
    known_here_.bounded.insert(name.var());
    // j + 16 <= end says something of j.
    const Expr value = definition_of(name);
    if (!value || (value.op() != scalar::Op::add && value.op() != scalar::Op::sub)) return;
    const bool adds = value.op() == scalar::Op::add;
    for (const std::size_t k : {0u, 1u})
      if (value.arg(1 - k).is_constant() && value.arg(k).is_name() && (adds || k == 0))
        bound(value.arg(k), how, step({adds ? Op::sub : Op::add, by, of(value.arg(1 - k))}));
  }

  // The expression with its names replaced by their values, of which more may be known now than when they
  // were bound.
  Expr expanded(Expr e, int depth = 0) {
    static constexpr int deepest = 16;
    if (e.is_name()) {
      const Expr value = known_here_.bounded.contains(e.var()) ? Expr() : definition_of(e);
      if (!value || depth == deepest) return e;
      return mentions_variable(value) ? e : expanded(value, depth + 1);
    }
    std::vector<Expr> args(e.args().begin(), e.args().end());
    for (Expr& arg : args) arg = expanded(arg, depth);
    return args.empty() || std::ranges::equal(args, e.args()) ? e : scalar::rebuild(arena_, e, args);
  }
  bool mentions_variable(Expr e) const {
    if (e.is_name()) return variables_.contains(e.var());
    return std::ranges::any_of(e.args(), [&](Expr arg) { return mentions_variable(arg); });
  }

  // The step of its places; nothing for an array of the task's own.
  std::optional<Step> touch(Var buffer, Expr index, bool stores, Expr mask, Step more = -1) {
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end()) return std::nullopt;
    const Known before = known_here_;
    Step condition = condition_;
    if (mask) {
      condition = both(condition, of(mask));
      assume(mask, true);
    }
    Step at = of(expanded(index));
    if (more >= 0) at = step({Op::add, at, more});
    const runtime::Touch now{found->second, stores, at, condition, loop_};
    if (std::ranges::find(to_.touches, now) == to_.touches.end()) to_.touches.push_back(now);
    known_here_ = before;
    return at;
  }
  // Somewhere in it, by an operation of memory that others see.
  void touch_anywhere(Var buffer) {
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end()) return;
    to_.is_divisible = false;
    for (const bool stores : {false, true})
      to_.touches.push_back({found->second, stores, unknown(), -1, loop_});
  }

  // Around a loop its variables have any of their values; in the first pass the first one.
  void forget(const Block& changed) {
    if (assumed_.empty()) return;
    for (const Var v : names_of(changed).assigns) known_here_.steps[v] = any_of(v);
  }

  void block(const Block& statements) {
    for (const Stm& s : statements) base::match(s.op, [&](const auto& op) { statement(op); });
  }
  void block(const Block& statements, Step condition) {
    const Step around = condition_;
    condition_ = both(condition_, condition);
    block(statements);
    condition_ = around;
  }

  void statement(const kernel::Let& s) {
    const auto decided = decided_.find(s.name);
    known_here_.steps[s.name] = decided == decided_.end() ? of(s.value) : decided->second;
    definitions_[s.name] = s.value;
  }
  void statement(const kernel::Declare& s) {
    takes(s.name, known_here_.steps[s.name] = of(s.value));
    first_[s.name] = known_here_.steps[s.name];
    if (s.value.is_constant() && scalar::is_integer(s.value.kind()) && value_of(s.value) >= 0)
      never_negative_.insert(s.name);
  }
  // Whether it is the variable, or more: such as the distance that doubles in a tree.
  bool grows_from(Expr value, Var variable) const {
    while (value.is_name()) {
      if (value.var() == variable) return true;
      value = definition_of(value);
      if (!value) return false;
    }
    const bool adds = value.op() == scalar::Op::add, multiplies = value.op() == scalar::Op::mul;
    if (!adds && !multiplies) return false;
    for (const std::size_t k : {0u, 1u}) {
      const Expr other = value.arg(1 - k);
      if (other.is_constant() && value_of(other) >= (multiplies ? 1 : 0) &&
          grows_from(value.arg(k), variable) && (adds || never_negative_.contains(variable)))
        return true;
    }
    return false;
  }
  void statement(const kernel::Assign& s) {
    FULGURITE_CHECK(!s.mask, "a mask before vectorise");
    if (!grows_from(s.value, s.name)) shrinking_.insert(s.name);
    takes(s.name, known_here_.steps[s.name] = of(s.value));
  }
  void statement(const kernel::Load& s) {
    if (const auto at = touch(s.from.buffer, s.from.index, false, s.from.mask))
      places_.loads.emplace(&s, *at);
    const auto found = buffers_.find(s.from.buffer);
    const Kind kind = arena_.info(s.name).type.kind;
    const bool is_known = found != buffers_.end() && (kind == Kind::i64 || kind == Kind::i32) &&
                          !stored_.contains(s.from.buffer);
    // The value 0 where the mask does not hold.
    Step value = unknown();
    if (is_known)
      value = step({Op::element, of(s.from.index), -1, -1, found->second});
    else if (found == buffers_.end() && scalar::is_integer(kind))
      value = any_of(s.from.buffer);
    const bool may_be_zero = s.from.mask && value != unknown();
    known_here_.steps[s.name] = may_be_zero ? step({Op::select, of(s.from.mask), value, constant(0)}) : value;
  }
  void statement(const kernel::Store& s) {
    if (const auto at = touch(s.to.buffer, s.to.index, true, s.to.mask)) places_.stores.emplace(&s, *at);
    if (!buffers_.contains(s.to.buffer) && scalar::is_integer(s.value.kind()))
      takes(s.to.buffer, of(s.value));
  }
  void statement(const kernel::WideLoad& s) {
    touch(s.buffer, s.index, false, {},
          step({Op::lanes, -1, -1, -1, static_cast<std::int64_t>(s.names.size())}));
  }
  void statement(const kernel::WideStore& s) {
    takes(s.buffer, unknown());
    touch(s.buffer, s.index, true, {},
          step({Op::lanes, -1, -1, -1, static_cast<std::int64_t>(s.values.size())}));
  }
  void statement(const kernel::Prefetch&) {}
  void statement(const kernel::Permute&) {}
  void statement(const kernel::Transpose& s) {
    takes(s.tile, unknown());
    const Step lane = step({Op::lanes, -1, -1, -1, s.lanes}), next = step({Op::lanes, -1, -1, -1, s.steps});
    touch(s.from.buffer, s.from.index, false, s.from.mask,
          step({Op::add, step({Op::mul, lane, of(s.from.stride)}), next}));
  }
  void statement(const kernel::Shift& s) { known_here_.steps[s.name] = unknown(); }
  void statement(const kernel::Pick& s) { known_here_.steps[s.name] = unknown(); }
  void statement(const kernel::Pack& s) {
    takes(s.next, known_here_.steps[s.next] = unknown());
    for (const Var buffer : s.buffers) {
      touch_anywhere(buffer);
      takes(buffer, unknown());
    }
  }
  void statement(const kernel::Atomic& s) {
    touch_anywhere(s.at.buffer);
    takes(s.at.buffer, unknown());
    if (s.name) known_here_.steps[*s.name] = unknown();
  }
  void statement(const kernel::Shuffle& s) { known_here_.steps[s.name] = unknown(); }
  // Where the body asks whether its iteration is before some other one, the loop is two.
  struct Halves {
    Var name;
    Expr middle;
  };
  std::optional<Halves> halves_of(const kernel::For& s) const {
    if (!s.step.is_constant(1)) return std::nullopt;
    const kernel::Names inside = names_of(s.body);
    for (const Stm& first : s.body) {
      const auto* let = base::as<kernel::Let>(first.op);
      if (let == nullptr || let->value.op() != scalar::Op::lt || !let->value.arg(0).is_name() ||
          let->value.arg(0).var() != s.name)
        continue;
      const Expr middle = let->value.arg(1);
      if (middle.is_constant() || (middle.is_name() && !inside.binds.contains(middle.var()) &&
                                   !inside.assigns.contains(middle.var()) && middle.var() != s.name))
        return Halves{let->name, middle};
    }
    return std::nullopt;
  }
  void iterations(const kernel::For& s, Step begin, Step end) {
    const Step taken = known_here_.steps[s.name] = step({Op::range, begin, end, of(s.step)});
    const bool is_outermost = loop_ < 0;
    if (is_outermost) {
      loop_ = static_cast<std::int32_t>(to_.loops.size());
      to_.loops.push_back(taken);
    }
    block(s.body, step({Op::lt, begin, end}));
    if (is_outermost) loop_ = -1;
    forget(s.body);
  }
  void statement(const kernel::For& s) {
    forget(s.body);
    const Step begin = of(s.begin), end = of(s.end);
    const std::optional<Halves> halves = halves_of(s);
    if (!halves) return iterations(s, begin, end);
    const Step middle = of(halves->middle);
    for (const bool is_first : {true, false}) {
      decided_[halves->name] = constant(is_first ? 1 : 0);
      if (is_first)
        iterations(s, begin, step({Op::min, end, middle}));
      else
        iterations(s, step({Op::max, begin, middle}), end);
    }
    decided_.erase(halves->name);
  }
  // The variable that the condition keeps below something: it cannot wrap.
  void note_bounded(Expr condition) {
    while (condition && condition.is_name()) condition = definition_of(condition);
    if (!condition || (condition.op() != scalar::Op::lt && condition.op() != scalar::Op::le)) return;
    for (Expr name = condition.arg(0); name && name.is_name(); name = definition_of(name))
      if (variables_.contains(name.var())) bounded_.insert(name.var());
  }
  void statement(const kernel::While& s) {
    forget(s.head);
    forget(s.body);
    block(s.head);
    note_bounded(s.condition);
    const Known before = known_here_;
    assume(s.condition, true);
    block(s.body, of(s.condition));
    known_here_ = before;
    forget(s.head);
    forget(s.body);
  }
  void statement(const kernel::If& s) {
    const Step condition = of(s.condition);
    const Known before = known_here_;
    assume(s.condition, true);
    block(s.then_branch, condition);
    const Known yes = std::exchange(known_here_, before);
    assume(s.condition, false);
    block(s.else_branch, step({Op::logical_not, condition}));
    const Known no = std::exchange(known_here_, before);
    std::set<Var> changed = names_of(s.then_branch).assigns;
    changed.merge(names_of(s.else_branch).assigns);
    for (const Var v : changed) {
      const auto in = [&](const Known& branch) {
        const auto found = branch.steps.find(v);
        return found == branch.steps.end() ? unknown() : found->second;
      };
      const Step a = in(yes), b = in(no);
      known_here_.steps[v] = a == b ? a : step({Op::select, condition, a, b});
    }
  }
  void statement(const kernel::Par& s) {
    FULGURITE_CHECK(s.level == Level::block, "a phase in a phase");
    forget(s.body);
    known_here_.steps[s.name] = step({Op::lanes, -1, -1, -1, static_cast<std::int64_t>(s.n.bits())});
    block(s.body);
    forget(s.body);
  }
  void statement(const kernel::InOrder& s) {
    to_.is_divisible = false;
    touch_anywhere(s.turn);
    block(s.body);
  }
  void statement(const kernel::Allocate&) {}
  void statement(const kernel::Sync&) {}
  void statement(const kernel::Fail&) { to_.can_fail = true; }

  Arena& arena_;
  const std::map<Var, std::int32_t>& buffers_;
  PhaseFootprint& to_;
  Formulas formulas_;
  std::set<Var> stored_, variables_, unsettled_, shrinking_, never_negative_, bounded_;
  Places places_;
  std::unordered_map<Var, Step> first_;    // what a variable is declared with
  std::map<Var, Values> assumed_, found_;  // by the pass before, and by this one
  std::map<Step, Values> joins_;           // what a step is any of
  std::unordered_map<Var, Step> decided_;  // conditions, in a half of a loop
  Known known_here_;
  std::unordered_map<Var, Expr> definitions_;
  Step condition_ = -1;
  std::int32_t loop_ = -1;
};

}  // namespace

Places find_touches(const Kernel& kernel, const std::map<Var, std::int32_t>& buffers,
                    const kernel::Par& phase, PhaseFootprint& to) {
  Walk walk(kernel, buffers, to);
  walk.phase(phase);
  return std::move(walk).places();
}

}  // namespace fulgurite::distribute
