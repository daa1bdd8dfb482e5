// Hoisting: statements of a function's body that depend on nothing that the function binds are computed once,
// before the statement that holds the function (the addSum example of the Barracuda thesis, section 3.4.8).
//
// Moving a statement out makes it run where the function might not have run at all, or before a Check that it
// relies on: an element that it reads may not exist, a divisor be 0. Therefore:
//   - a statement that cannot fail, certainly ends, and whose reads are inside their arrays whatever else
//     holds moves out of Soac and Loop bodies, unless a Check comes before it in the body;
//   - any statement moves out of a body that certainly runs (all extents, or the trips of a for-Loop,
//     are positive constants);
//   - a Check that reads and divides nothing moves out of any Soac body, for-Loop body and branch,
//     guarded: it holds or the body does not run. Shapes inside nested functions are thus checked
//     before anything runs. If only its message depends on the element, the message is that of the first
//     one;
//   - another statement with scalar results moves out of a Soac or Loop body guarded by an If, with
//     zeros where the body does not run;
//   - after a Check that stays, only statements whose reads are inside whatever else holds move;
//   - nothing else moves out of branches, operators and conditions of while-Loops.
// At the top of a program, Checks of what is known from the arguments go first, in their order.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/match.h"
#include "scalar/value.h"
#include "simplify/hoist_reads.h"
#include "simplify/index_algebra.h"
#include "simplify/simplify.h"
#include "soac/equal_sizes.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Check;
using soac::Event;
using soac::If;
using soac::Lambda;
using soac::Loop;
using soac::PassContext;
using soac::Program;
using soac::Role;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

/// When a function's body runs at all: absent = not known to, constant true = always.
using Guard = Expr;

class Hoister {
 public:
  Hoister(Program& program, PassContext& context)
      : arena_(*program.arena), context_(context), sizes_(program) {}

  void scope(std::vector<Stm>& stms) {
    std::vector<Stm> out;
    for (Stm& stm : stms) {
      for (auto& inner : soac::nested_in(stm)) {
        const std::size_t depth = axes_.size();
        if (as<Soac>(stm.op))
          for (std::size_t axis = 0; axis < inner.extents.size(); ++axis)
            axes_.emplace_back(inner.lambda->params[axis], sizes_.canonical(inner.extents[axis]));
        scope(inner.lambda->body);
        axes_.resize(depth);
        leave(*inner.lambda, inner.role, guard_of(stm, *inner.lambda), stm, out);
      }
      out.push_back(std::move(stm));
    }
    stms = std::move(out);
  }

 private:
  Guard guard_of(const Stm& stm, const Lambda& lambda) {
    if (const auto* s = as<Soac>(stm.op)) {
      if (&lambda != &s->body) return {};
      Expr runs = arena_.boolean(true);
      for (Expr extent : s->dims) runs = runs & (0 < extent);
      return can_fail(runs) ? Expr() : runs;
    }
    if (const auto* i = as<If>(stm.op)) {
      if (can_fail(i->condition)) return {};
      return &lambda == &i->then_branch ? i->condition : logical_not(i->condition);
    }
    if (const auto* l = as<Loop>(stm.op)) return runs_at_all(arena_, *l);
    return {};
  }

  /// Moves what may move from the function's body to `out`, in order.
  void leave(Lambda& lambda, Role role, Guard guard, const Stm& holder, std::vector<Stm>& out) {
    if (role == Role::operation || role == Role::condition) guard = {};
    Vars bound;
    soac::add_bound(lambda, bound);
    std::vector<Stm> staying;
    check_left_guarded_ = check_stays_ = false;
    for (Stm& stm : lambda.body) {
      if (auto* check = as<Check>(stm.op)) quote_first(*check, lambda, holder, bound);
      Vars mentioned, own;
      soac::add_mentioned(stm, mentioned);
      soac::add_bound(stm, own);
      // Nested names count too: what a shape mentions must be bound around it, even if no size mentions it.
      for (Var name : own) add_shape(name, mentioned);
      // A running value differs from point to point even if what it runs over does not.
      const bool invariant = !as<soac::Scan>(stm.op) &&
                             std::none_of(mentioned.begin(), mentioned.end(),
                                          [&](Var v) { return bound.contains(v) && !own.contains(v); });
      if (!invariant || !move(stm, role, guard, out)) {
        check_stays_ = check_stays_ || as<Check>(stm.op);
        staying.push_back(std::move(stm));
        continue;
      }
      for (Var name : own) bound.erase(name);
      context_.log.push_back(
          event_of(Event::Kind::hoisted, out.back(), holder, "it does not depend on the element"));
    }
    lambda.body = std::move(staying);
  }

  /// A Check that fails for all elements or for none fails for the first one: its message quotes that.
  void quote_first(Check& check, const Lambda& lambda, const Stm& holder, const Vars& bound) {
    const auto* soac = as<Soac>(holder.op);
    const auto* loop = as<Loop>(holder.op);
    const bool has_indices = soac ? &lambda == &soac->body : loop && loop->trips && &lambda == &loop->body;
    const auto is_invariant = [&](const std::vector<Expr>& exprs) {
      Vars mentioned;
      soac::add_mentioned(exprs, mentioned);
      return std::ranges::none_of(mentioned, [&](Var v) { return bound.contains(v); });
    };
    if (!has_indices || !is_invariant({check.condition})) return;
    std::unordered_map<Var, Expr> first;
    const std::size_t n_indices = soac ? lambda.params.size() : 1;
    for (std::size_t k = 0; k < n_indices; ++k) first.emplace(lambda.params[k], arena_.i64(0));
    std::vector<Expr> operands = check.operands;
    for (Expr& e : operands) e = scalar::substitute(arena_, e, first);
    if (is_invariant(operands)) check.operands = std::move(operands);
  }

  bool move(Stm& stm, Role role, Guard guard, std::vector<Stm>& out) {
    const bool always = guard && guard.is_constant(1);
    if (auto* check = as<Check>(stm.op)) {
      if (!guard || ((check_stays_ || !always) && !soac::is_total(soac::roots_of(stm)))) return false;
      check_left_guarded_ = !always;
      check->condition = logical_not(guard) | check->condition;
      out.push_back(std::move(stm));
      return true;
    }
    if (role == Role::branch) return false;
    IndexAlgebra algebra(arena_, [this](Expr size) { return sizes_.canonical(size); });
    for (const auto& [var, extent] : axes_) algebra.range(var, extent);
    const bool safe = soac::is_total(soac::roots_of(stm)) && reads_are_inside(stm, algebra);
    if (check_stays_ && !safe) return false;
    const bool sure =
        safe && !check_stays_ && !check_left_guarded_ && !soac::may_fail(stm) && soac::surely_ends(stm);
    if (always || sure) {
      out.push_back(std::move(stm));
      return true;
    }
    const bool may_guard = role == Role::points || role == Role::iteration;
    return may_guard && guard && move_guarded(stm, guard, out);
  }

  /// Every read in it is inside its array by the ranges of its own axes.
  bool reads_are_inside(const Stm& stm, IndexAlgebra& algebra) const {
    if (as<Soac>(stm.op))
      for (const auto& inner : soac::nested_in(stm))
        for (std::size_t axis = 0; axis < inner.extents.size(); ++axis)
          algebra.range(inner.lambda->params[axis], sizes_.canonical(inner.extents[axis]));
    bool inside = true;
    auto look = [&](const std::vector<Expr>& roots) {
      scalar::for_each_node(roots, [&](Expr e) {
        inside = inside && (e.op() != Op::index || e.site() != 0 || algebra.is_inside(e));
      });
    };
    look(soac::roots_of(stm));
    const auto* branches = as<If>(stm.op);
    for (const auto& inner : soac::nested_in(stm)) {
      std::optional<IndexAlgebra::Assumption> holds;
      if (branches) {
        const bool is_then = inner.lambda == &branches->then_branch;
        holds.emplace(algebra, is_then ? branches->condition : logical_not(branches->condition));
      }
      for (const Stm& s : inner.lambda->body) inside = inside && reads_are_inside(s, algebra);
      look(inner.lambda->results);
    }
    return inside;
  }

  /// If (the body runs) the statement else zeros.
  bool move_guarded(Stm& stm, Guard guard, std::vector<Stm>& out) {
    If guarded{guard, {}, {}};
    Stm outer{stm.names, {}, stm.where, stm.origin};
    for (Var& name : stm.names) {
      const scalar::VarInfo info = arena_.info(name);
      if (info.type.rank > 0) return false;
      const Expr inner = arena_.fresh(info.type, info.name);
      guarded.then_branch.results.push_back(inner);
      guarded.else_branch.results.push_back(arena_.constant(info.type.kind, scalar::zero(info.type.kind)));
    }
    for (std::size_t k = 0; k < stm.names.size(); ++k) stm.names[k] = guarded.then_branch.results[k].var();
    guarded.then_branch.body.push_back(std::move(stm));
    outer.op = std::move(guarded);
    out.push_back(std::move(outer));
    return true;
  }

  void add_shape(Var name, Vars& mentioned) const {
    const std::vector<Expr> shape = arena_.info(name).shape;
    soac::add_mentioned(shape, mentioned);
  }

  Arena& arena_;
  PassContext& context_;
  soac::EqualSizes sizes_;
  std::vector<std::pair<Var, Expr>> axes_;                 // around the place that statements move to
  bool check_left_guarded_ = false, check_stays_ = false;  // before the statement, in the body at hand
};

/// Checks of what is known from the arguments first.
void checks_first(Program& program) {
  Vars known(program.params.begin(), program.params.end());
  for (Var p : program.params) soac::add_mentioned(program.arena->info(p).shape, known);
  auto is_of_arguments = [&](const Stm& stm) {
    if (!as<Check>(stm.op)) return false;
    Vars mentioned;
    soac::add_mentioned(stm, mentioned);
    return std::all_of(mentioned.begin(), mentioned.end(),
                       [&](Var v) { return known.contains(v) && program.arena->info(v).type.rank == 0; });
  };
  std::vector<Stm> first, rest;
  for (Stm& stm : program.body) (is_of_arguments(stm) ? first : rest).push_back(std::move(stm));
  first.insert(first.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  program.body = std::move(first);
}

Program run_hoist(Program program, PassContext& context) {
  check_reads_before_loops(program, context);
  Hoister(program, context).scope(program.body);
  checks_first(program);
  return program;
}

}  // namespace

const soac::Pass hoist{
    "hoist", "what does not depend on the element leaves the function; Checks of the arguments go first",
    run_hoist};

}  // namespace fulgurite::simplify
