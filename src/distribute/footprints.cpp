#include "distribute/footprints.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/match.h"
#include "kernel/resources.h"
#include "kernel/traverse.h"

namespace fulgurite::distribute {
namespace {

using kernel::Arena, kernel::Block, kernel::Expr, kernel::Kernel, kernel::Kind, kernel::Level, kernel::Stm,
    kernel::Var;
using runtime::Footprints, runtime::Formula, runtime::PhaseFootprint;
using Step = std::int32_t;
using Op = Formula::Op;

// The formula's operation; absent: it has none.
std::optional<Op> formula_op(scalar::Op op, Kind kind) {
  switch (op) {
    case scalar::Op::add: return Op::add;
    case scalar::Op::sub: return Op::sub;
    case scalar::Op::mul: return Op::mul;
    case scalar::Op::div: return Op::div;
    case scalar::Op::rem: return Op::rem;
    case scalar::Op::neg: return Op::neg;
    case scalar::Op::abs: return Op::abs;
    case scalar::Op::min: return Op::min;
    case scalar::Op::max: return Op::max;
    case scalar::Op::bit_and: return Op::bit_and;
    case scalar::Op::bit_or: return Op::bit_or;
    case scalar::Op::bit_xor: return Op::bit_xor;
    case scalar::Op::bit_not: return kind == Kind::boolean ? Op::logical_not : Op::bit_not;
    case scalar::Op::shl: return Op::shl;
    case scalar::Op::shr: return Op::shr;
    case scalar::Op::eq: return Op::eq;
    case scalar::Op::ne: return Op::ne;
    case scalar::Op::lt: return Op::lt;
    case scalar::Op::le: return Op::le;
    case scalar::Op::select: return Op::select;
    default: return std::nullopt;
  }
}

std::int64_t bits_of(Kind kind) {
  const auto bits = static_cast<std::int64_t>(8 * scalar::size_of(kind));
  return scalar::is_signed(kind) ? bits : -bits;
}

std::int64_t value_of(Expr constant) {
  const std::int64_t bits = bits_of(constant.kind());
  if (bits < 0 || bits == 64 || constant.kind() == Kind::boolean) return static_cast<std::int64_t>(constant.bits());
  return static_cast<std::int64_t>(constant.bits() << (64 - bits)) >> (64 - bits);
}

// Walks the code of one phase.
class Walk {
 public:
  Walk(const Kernel& kernel, const std::map<Var, std::int32_t>& buffers, PhaseFootprint& to)
      : arena_(*kernel.arena), buffers_(buffers), to_(to) {
    std::int64_t scalar = 0;
    for (const kernel::Param& p : kernel.params)
      if (p.role == kernel::Param::Role::scalar) steps_[p.name] = step({Op::scalar, -1, -1, -1, scalar++});
  }

  void phase(const kernel::Par& par) {
    for_each_stm(par.body, [&](const Stm& s) {
      if (const auto* store = base::as<kernel::Store>(s.op)) stored_.insert(store->to.buffer);
      if (const auto* declare = base::as<kernel::Declare>(s.op)) variables_.insert(declare->name);
    });
    steps_[par.name] = step({Op::task});
    block(par.body);
  }

 private:
  Step step(const Formula& f) {
    const auto [known, is_new] =
        known_.try_emplace({f.op, f.a, f.b, f.c, f.value}, static_cast<Step>(to_.formulas.size()));
    if (is_new) to_.formulas.push_back(f);
    return known->second;
  }
  Step constant(std::int64_t value) { return step({Op::constant, -1, -1, -1, value}); }
  Step unknown() { return step({}); }
  Step both(Step a, Step b) {
    if (a < 0 || b < 0) return std::max(a, b);
    return a == b ? a : step({Op::bit_and, a, b});
  }

  Step of_name(Var name) {
    const auto known = steps_.find(name);
    return known == steps_.end() ? unknown() : known->second;
  }

  // Of an integer or a condition.
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
    const std::optional<Op> op = formula_op(e.op(), kind);
    if (!op || scalar::is_float(e.args().back().kind())) return unknown();
    Formula f{*op};
    f.a = of(e.arg(0));
    if (e.args().size() > 1) f.b = of(e.arg(1));
    if (e.args().size() > 2) f.c = of(e.arg(2));
    return fitting(step(f), kind);
  }
  Step fitting(Step value, Kind kind) {
    if (kind == Kind::i64 || kind == Kind::boolean) return value;
    return step({Op::fit, value, -1, -1, bits_of(kind)});
  }

  // What follows for names where the condition holds, or does not.
  void assume(Expr condition, bool holds) {
    if (condition.is_name()) {
      if (const auto value = conditions_.find(condition.var()); value != conditions_.end())
        assume(value->second, holds);
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
    } else {
      bound(a, is_less ? Op::at_least : Op::above, b);
      bound(b, is_less ? Op::at_most : Op::below, a);
    }
  }
  void bound(Expr name, Op how, Expr by) {
    if (!name.is_name() || variables_.contains(name.var())) return;
    const Step now = of_name(name.var());
    steps_[name.var()] = step({how, now, of(by)});
  }

  void touch(Var buffer, Expr index, bool stores, Expr mask, Step more = -1) {
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end()) return;  // the task's own
    const std::unordered_map<Var, Step> before = steps_;
    Step condition = condition_;
    if (mask) {
      condition = both(condition, of(mask));
      assume(mask, true);
    }
    Step at = of(index);
    if (more >= 0) at = step({Op::add, at, more});
    const runtime::Touch now{found->second, stores, at, condition};
    if (std::ranges::find(to_.touches, now) == to_.touches.end()) to_.touches.push_back(now);
    steps_ = before;
  }
  // Somewhere in it, by an operation of memory that others see.
  void touch_anywhere(Var buffer) {
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end()) return;
    to_.is_divisible = false;
    for (const bool stores : {false, true}) to_.touches.push_back({found->second, stores, unknown(), -1});
  }

  void forget(const Block& changed) {
    for (const Var v : names_of(changed).assigns) steps_[v] = unknown();
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
    steps_[s.name] = decided == decided_.end() ? of(s.value) : decided->second;
    if (s.value.kind() == Kind::boolean) conditions_[s.name] = s.value;
  }
  void statement(const kernel::Declare& s) { steps_[s.name] = of(s.value); }
  void statement(const kernel::Assign& s) { steps_[s.name] = s.mask ? unknown() : of(s.value); }
  void statement(const kernel::Load& s) {
    touch(s.from.buffer, s.from.index, false, s.from.mask);
    const auto found = buffers_.find(s.from.buffer);
    const Kind kind = arena_.info(s.name).type.kind;
    const bool is_known = found != buffers_.end() && scalar::is_integer(kind) && !stored_.contains(s.from.buffer);
    // The value 0 where the mask does not hold.
    steps_[s.name] = is_known && !s.from.mask ? step({Op::element, of(s.from.index), -1, -1, found->second}) : unknown();
  }
  void statement(const kernel::Store& s) { touch(s.to.buffer, s.to.index, true, s.to.mask); }
  void statement(const kernel::WideLoad& s) {
    touch(s.buffer, s.index, false, {}, step({Op::lanes, -1, -1, -1, static_cast<std::int64_t>(s.names.size())}));
  }
  void statement(const kernel::WideStore& s) {
    touch(s.buffer, s.index, true, {}, step({Op::lanes, -1, -1, -1, static_cast<std::int64_t>(s.values.size())}));
  }
  void statement(const kernel::Prefetch&) {}
  void statement(const kernel::Permute&) {}
  void statement(const kernel::Transpose& s) {
    const Step lane = step({Op::lanes, -1, -1, -1, s.lanes}), next = step({Op::lanes, -1, -1, -1, s.steps});
    touch(s.from.buffer, s.from.index, false, s.from.mask,
          step({Op::add, step({Op::mul, lane, of(s.from.stride)}), next}));
  }
  void statement(const kernel::Shift& s) { steps_[s.name] = unknown(); }
  void statement(const kernel::Pick& s) { steps_[s.name] = unknown(); }
  void statement(const kernel::Pack& s) {
    steps_[s.next] = unknown();
    for (const Var buffer : s.buffers) touch_anywhere(buffer);
  }
  void statement(const kernel::Atomic& s) {
    touch_anywhere(s.at.buffer);
    if (s.name) steps_[*s.name] = unknown();
  }
  void statement(const kernel::Shuffle& s) { steps_[s.name] = unknown(); }
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
    steps_[s.name] = step({Op::range, begin, end, of(s.step)});
    block(s.body, step({Op::lt, begin, end}));
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
  void statement(const kernel::While& s) {
    forget(s.head);
    forget(s.body);
    block(s.head);
    const std::unordered_map<Var, Step> before = steps_;
    assume(s.condition, true);
    block(s.body, of(s.condition));
    steps_ = before;
    forget(s.head);
    forget(s.body);
  }
  void statement(const kernel::If& s) {
    const Step condition = of(s.condition);
    const std::unordered_map<Var, Step> before = steps_;
    assume(s.condition, true);
    block(s.then_branch, condition);
    std::unordered_map<Var, Step> yes = std::exchange(steps_, before);
    assume(s.condition, false);
    block(s.else_branch, step({Op::logical_not, condition}));
    const std::unordered_map<Var, Step> no = std::exchange(steps_, before);
    std::set<Var> changed = names_of(s.then_branch).assigns;
    changed.merge(names_of(s.else_branch).assigns);
    for (const Var v : changed) {
      const auto in = [&](const std::unordered_map<Var, Step>& steps) {
        const auto found = steps.find(v);
        return found == steps.end() ? unknown() : found->second;
      };
      const Step a = in(yes), b = in(no);
      steps_[v] = a == b ? a : step({Op::select, condition, a, b});
    }
  }
  void statement(const kernel::Par& s) {
    FULGURITE_CHECK(s.level == Level::block, "a phase in a phase");
    forget(s.body);
    steps_[s.name] = step({Op::lanes, -1, -1, -1, static_cast<std::int64_t>(s.n.bits())});
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

  const Arena& arena_;
  const std::map<Var, std::int32_t>& buffers_;
  PhaseFootprint& to_;
  std::map<std::tuple<Op, Step, Step, Step, std::int64_t>, Step> known_;
  std::set<Var> stored_, variables_;
  std::unordered_map<Var, Step> decided_;  // conditions, in a half of a loop
  std::unordered_map<Var, Step> steps_;
  std::unordered_map<Var, Expr> conditions_;
  Step condition_ = -1;
};

}  // namespace

Footprints footprints_of(const Kernel& kernel, std::span<const std::int32_t> tasks_of,
                         std::span<const std::int32_t> own_tasks_of) {
  Footprints all;
  std::map<Var, std::int32_t> buffers;
  for (const kernel::Param& p : kernel.params) {
    if (p.role == kernel::Param::Role::scalar) continue;
    buffers.emplace(p.name, static_cast<std::int32_t>(buffers.size()));
    all.element_bytes.push_back(static_cast<std::int32_t>(scalar::size_of(kernel.arena->info(p.name).type.kind)));
  }
  all.own_tasks_of.assign(own_tasks_of.begin(), own_tasks_of.end());
  for (std::size_t p = 0; p < kernel.body.size(); ++p) {
    PhaseFootprint phase;
    phase.tasks_of = tasks_of[p];
    Walk(kernel, buffers, phase).phase(std::get<kernel::Par>(kernel.body[p].op));
    all.phases.push_back(std::move(phase));
  }
  return all;
}

}  // namespace fulgurite::distribute
