#include "simplify/simplify.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/match.h"
#include "simplify/cost.h"
#include "simplify/dead.h"
#include "simplify/equal_components.h"
#include "simplify/index_algebra.h"
#include "simplify/same.h"
#include "soac/count.h"
#include "soac/equal_sizes.h"
#include "soac/outputs.h"
#include "soac/rename.h"

namespace fulgurite::simplify {

using base::as;
using base::match;
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
using soac::Soac;
using soac::Stm;

namespace {

/// One walk from the first statement to the last. The new meaning of a name is in rename_; statements of this
/// and the enclosing scopes that a later one may equal are in earlier_, conditions of Checks passed in
/// checked_.
class Simplifier {
 public:
  Simplifier(Program& program, PassContext& context)
      : arena_(*program.arena),
        context_(context),
        rename_(arena_, soac::Renaming::Binders::keep),
        algebra_(arena_, [this](Expr size) { return rename_(size); }) {}

  void program(Program& p) {
    at_top_ = true;
    for (std::size_t v = 0; v < arena_.n_vars(); ++v)
      soac::add_mentioned(arena_.info(static_cast<Var>(v)).shape, sizes_);
    add_sizes_of_iteration_spaces(p.body);
    add_sizes_of(p.params);
    p.body = scope(std::move(p.body));
    rename_.in_place(p.results);
    algebra(p.results);
  }

 private:
  /// Inside a function of elements such sizes may be any expressions.
  void add_sizes_of_iteration_spaces(const std::vector<Stm>& stms) {
    for (const Stm& stm : stms) {
      if (const auto* soac = as<Soac>(stm.op)) {
        soac::add_mentioned(soac->dims, sizes_);
      } else {
        for (const auto& inner : soac::nested_in(stm)) add_sizes_of_iteration_spaces(inner.lambda->body);
      }
    }
  }

  std::vector<Stm> scope(std::vector<Stm> stms) {
    std::vector<Stm> out;
    for (Stm& stm : stms) statement(std::move(stm), out);
    return out;
  }

  void lambda(Lambda& l) {
    const bool was_top = std::exchange(at_top_, false);
    const std::size_t n_earlier = earlier_.size(), n_checked = checked_.size();
    const IndexAlgebra::Scope passed(algebra_);
    for (Var& p : l.params) p = rename_.binder(p);
    add_sizes_of(l.params);
    l.body = scope(std::move(l.body));
    rename_.in_place(l.results);
    algebra(l.results);
    earlier_.resize(n_earlier);
    checked_.resize(n_checked);
    at_top_ = was_top;
  }

  /// Extents of arrays that are there.
  void add_sizes_of(const std::vector<Var>& names) {
    for (Var name : names)
      for (Expr extent : std::vector<Expr>(arena_.info(name).shape))
        if (const Expr known = rename_(extent); known.is_name()) algebra_.size(known.var());
  }

  void algebra(std::vector<Expr>& exprs) {
    for (Expr& e : exprs) e = algebra_(e);
  }

  void statement(Stm stm, std::vector<Stm>& out) {
    rename_.roots(stm);
    soac::map_roots(stm, [this](Expr e) { return algebra_(e); });
    const bool gone = match(
        stm.op, [&](Soac& s) { return soac(stm, s); },
        [&](soac::Scan& s) {
          lambda(s.reduction.op);
          join_equal(s.reduction, s.operands, stm.names);
          return false;
        },
        [&](soac::Sort& s) {
          lambda(s.key);
          return false;
        },
        [&](If& i) { return branches(stm, i, out); }, [&](Loop& l) { return loop(stm, l, out); },
        [&](Check& c) { return check(c); }, [](const soac::Call&) { return false; },
        [&](const soac::Let& l) { return let(stm, l); });
    const auto joined = std::exchange(joined_, {});
    const bool is_replaced = gone || replaced_by_earlier(stm);
    // The names of the first components are known only now.
    for (const auto& [name, first] : joined) rename_.bind(name, rename_(arena_.name(first)));
    if (is_replaced) return;
    for (Var& name : stm.names) name = rename_.binder(name);
    add_sizes_of(stm.names);
    if (const auto* passed = as<Check>(stm.op)) {
      remember_check(*passed);
    } else {
      earlier_.push_back({key_of(stm), stm});
    }
    out.push_back(std::move(stm));
  }

  /// Keeps only the first of a reduction's components that always have one value.
  void join_equal(soac::Reduction& r, std::vector<Expr>& operands, std::vector<Var>& names) {
    const std::size_t n = r.op.results.size();
    const std::vector<std::size_t> first = equal_components(arena_, r, operands);
    bool all_differ = true;
    for (std::size_t k = 0; k < n; ++k) all_differ = all_differ && first[k] == k;
    if (all_differ) return;
    r = join_components(arena_, r, first);
    for (std::size_t k = n; k-- > 0;) {
      if (first[k] == k) continue;
      joined_.emplace_back(names[k], names[first[k]]);
      names.erase(names.begin() + static_cast<std::ptrdiff_t>(k));
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  void join_equal(Stm& stm) {
    soac::Outputs outputs = soac::take_outputs(stm);
    for (soac::Outputs::Reduced& r : std::views::reverse(outputs.reductions))
      join_equal(r.by, r.operands, r.names);
    stm = soac::with_outputs(std::move(stm), std::move(outputs));
  }

  bool soac(Stm& stm, Soac& s) {
    const IndexAlgebra::Scope indices(algebra_);
    for (std::size_t axis = 0; axis < s.dims.size(); ++axis)
      algebra_.range(s.body.params[axis], s.dims[axis]);
    lambda(s.body);
    for (soac::Reduction& r : s.reductions) lambda(r.op);
    for (soac::Scatter& scatter : s.scatters) {
      for (std::size_t axis = 0; axis < scatter.shape.size(); ++axis)
        algebra_.range(scatter.initial.params[axis], scatter.shape[axis]);
      lambda(scatter.initial);
      for (soac::Reduction& r : scatter.combine) lambda(r.op);
    }
    if (!s.reductions.empty()) join_equal(stm);
    if (!is_map(s) || !s.body.body.empty()) return false;
    // A copy of arrays: every element result reads its array at the indices, and the whole array.
    const std::vector<soac::Mapped> mapped = soac::view_of(stm).mapped;
    for (const auto& [e, array] : mapped) {
      if (!soac::reads_at(e, s.body.params)) return false;
      if (arena_.info(e.arg(0).var()).shape != s.dims) return false;
    }
    for (const auto& [e, array] : mapped) rename_.bind(array, e.arg(0));
    removed(stm, "it copies an array");
    return true;
  }

  bool branches(Stm& stm, If& i, std::vector<Stm>& out) {
    if (i.condition.is_constant()) {
      splice(stm, i.condition.bits() ? i.then_branch : i.else_branch, out);
      removed(stm, "its condition is known");
      return true;
    }
    {
      const IndexAlgebra::Assumption holds(algebra_, i.condition);
      lambda(i.then_branch);
    }
    {
      const IndexAlgebra::Assumption fails(algebra_, logical_not(i.condition));
      lambda(i.else_branch);
    }
    if (same_either_way(stm, i)) return true;
    const Lambda &yes = i.then_branch, &no = i.else_branch;
    if (!yes.body.empty() || !no.body.empty() || soac::may_fail(yes) || soac::may_fail(no)) return false;
    if (!is_cheap(cost_of(yes)) || !is_cheap(cost_of(no)) || !loads_are_safe(yes) || !loads_are_safe(no))
      return false;
    for (Var name : stm.names)
      if (arena_.info(name).type.rank > 0) return false;
    for (std::size_t k = 0; k < stm.names.size(); ++k)
      bind(stm, stm.names[k], select(i.condition, yes.results[k], no.results[k]), out);
    removed(stm, "both branches are cheap: a select");
    return true;
  }

  /// Results that are one and the same name or constant of the scopes around the branches need no branch (the
  /// extents of arrays often are). True if nothing is left that could fail.
  bool same_either_way(Stm& stm, If& i) {
    soac::Vars inside;
    soac::add_bound(i.then_branch, inside);
    soac::add_bound(i.else_branch, inside);
    std::vector<Expr> yes, no;
    std::vector<Var> names;
    for (std::size_t k = 0; k < stm.names.size(); ++k) {
      const Expr a = i.then_branch.results[k], b = i.else_branch.results[k];
      const bool is_outer = a.is_constant() || (a.is_name() && !inside.contains(a.var()));
      if (a == b && is_outer) {
        rename_.bind(stm.names[k], a);
        continue;
      }
      yes.push_back(a);
      no.push_back(b);
      names.push_back(stm.names[k]);
    }
    if (names.size() == stm.names.size()) return false;
    stm.names = std::move(names);
    i.then_branch.results = std::move(yes);
    i.else_branch.results = std::move(no);
    if (!stm.names.empty() || soac::may_fail(i.then_branch) || soac::may_fail(i.else_branch)) return false;
    removed(stm, "both branches give the same");
    return true;
  }

  /// Whether every element that it reads exists wherever the statement stands, not only where the branch is
  /// taken.
  bool loads_are_safe(const Lambda& branch) {
    bool safe = true;
    scalar::for_each_node(branch.results,
                          [&](Expr e) { safe = safe && (e.op() != Op::index || algebra_.is_inside(e)); });
    return safe;
  }

  /// Replaces state that no iteration changes by its first value.
  void drop_constant_state(Stm& stm, Loop& l, std::vector<Stm>& out) {
    for (std::size_t k = 0; k < l.initial.size();) {
      const Var param = soac::state_of(l)[k];
      if (l.body.results[k] != arena_.name(param)) {
        ++k;
        continue;
      }
      const bool is_size = sizes_.contains(param) || (!l.trips && sizes_.contains(l.condition.params[k]));
      if (is_size) sizes_.insert(stm.names[k]);
      const Expr always = bind(stm, stm.names[k], l.initial[k], out);
      rename_.bind(param, always);
      if (!l.trips) rename_.bind(l.condition.params[k], always);
      soac::erase_state(stm, k);
    }
  }

  bool loop(Stm& stm, Loop& l, std::vector<Stm>& out) {
    drop_constant_state(stm, l, out);
    if (l.trips && l.trips.is_constant() && static_cast<std::int64_t>(l.trips.bits()) <= 0) {
      for (std::size_t k = 0; k < stm.names.size(); ++k) bind(stm, stm.names[k], l.initial[k], out);
      removed(stm, "it has no iterations");
      return true;
    }
    if (l.trips && l.trips.is_constant(1)) {
      rename_.bind(l.body.params[0], arena_.i64(0));
      for (std::size_t k = 0; k < l.initial.size(); ++k) bind(stm, l.body.params[k + 1], l.initial[k], out);
      splice(stm, l.body, out);
      removed(stm, "it has one iteration");
      return true;
    }
    const IndexAlgebra::Scope indices(algebra_);
    if (l.trips) {
      algebra_.iterations(l.body.params[0], l.trips);
    } else {
      lambda(l.condition);
    }
    lambda(l.body);
    return false;
  }

  /// The function's statements in place of the statement, its results under the statement's names. Parameters
  /// are bound.
  void splice(const Stm& stm, Lambda& l, std::vector<Stm>& out) {
    for (Stm& inner : l.body) statement(std::move(inner), out);
    for (std::size_t k = 0; k < stm.names.size(); ++k)
      bind(stm, stm.names[k], algebra_(rename_(l.results[k])), out);
  }

  /// The value in place of a name of the statement. Where the name is a size and the value may not stand in a
  /// shape, a Let keeps the name. Returns the new meaning of the name.
  Expr bind(const Stm& stm, Var name, Expr value, std::vector<Stm>& out) {
    if (sizes_.contains(name) && !may_be_size(value)) {
      const Var kept = rename_.binder(name);
      out.push_back({{kept}, soac::Let{value}, stm.where, stm.origin});
      return arena_.name(kept);
    }
    rename_.bind(name, value);
    return value;
  }

  static bool may_be_size(Expr value) {
    return value.is_constant() || value.is_name() || soac::is_extent(value);
  }

  /// The value in place of the name, wherever the name may stand.
  bool let(const Stm& stm, const soac::Let& l) {
    if (!may_be_size(l.value)) return false;
    rename_.bind(stm.names[0], l.value);
    return true;
  }

  bool check(Check& c) {
    if (compares_bounds(c.condition)) c.condition = algebra_.simpler(c.condition);
    return c.condition.is_constant(1) ||
           std::find(checked_.begin(), checked_.end(), c.condition) != checked_.end();
  }

  /// Slices compare start <= stop. Checks of places stay, as former_elements reads what is replaced there by
  /// what they say.
  static bool compares_bounds(Expr condition) {
    if (condition.op() == Op::bit_and)
      return compares_bounds(condition.arg(0)) || compares_bounds(condition.arg(1));
    return condition.op() == Op::le && !condition.arg(0).is_constant() && !condition.arg(1).is_constant();
  }

  /// Whatever follows a Check may rely on it; sizes that a Check at the top proves equal are one size from
  /// there on.
  void remember_check(const Check& c) {
    checked_.push_back(c.condition);
    algebra_.learn(c.condition);
    if (!at_top_) return;
    for (const auto& [name, value] : soac::equations_of(arena_, c.condition)) rename_.bind_late(name, value);
  }

  /// Statements that compute the same have equal keys: what bound names are called, and the order of
  /// operands, does not count.
  static std::size_t key_of(const Stm& stm) {
    soac::Vars bound;
    soac::add_bound(stm, bound);
    std::vector<Expr> roots;
    soac::for_each_root(stm, [&](Expr e) { roots.push_back(e); });
    std::size_t key = stm.op.index() * 31 + stm.names.size();
    scalar::for_each_node(roots, [&](Expr e) {
      std::size_t part = static_cast<std::size_t>(e.op()) + 1;
      if (e.is_constant()) part += e.bits() * 31;
      if (e.is_name() && !bound.contains(e.var())) part += (static_cast<std::size_t>(e.var()) + 7) * 1009;
      key += part * 0x9e3779b97f4a7c15u ^ part >> 7;
    });
    return key;
  }

  bool replaced_by_earlier(const Stm& stm) {
    if (as<Check>(stm.op)) return false;
    const std::size_t key = key_of(stm);
    for (const auto& [known_key, known] : earlier_) {
      if (known_key != key || !is_same(arena_, known, stm)) continue;
      for (std::size_t k = 0; k < stm.names.size(); ++k)
        rename_.bind(stm.names[k], arena_.name(known.names[k]));
      removed(stm, "an earlier statement computes the same");
      return true;
    }
    return false;
  }

  void removed(const Stm& stm, std::string reason) {
    context_.log.push_back(event_of(Event::Kind::removed, stm, std::move(reason)));
  }

  Arena& arena_;
  PassContext& context_;
  soac::Renaming rename_;
  IndexAlgebra algebra_;
  std::vector<std::pair<std::size_t, Stm>> earlier_;  // with their keys
  std::vector<Expr> checked_;
  // Components of the statement that equal an earlier one, and that one.
  std::vector<std::pair<Var, Var>> joined_;
  bool at_top_ = false;
  soac::Vars sizes_;  // names that shapes and sizes of iteration spaces mention
};

Program run_simplify(Program program, PassContext& context) {
  // A loop that nothing needs must not leave the checks of its one iteration in the program.
  remove_dead(program);
  Simplifier(program, context).program(program);
  remove_dead(program);
  return program;
}

}  // namespace

const soac::Pass simplify{
    "simplify",
    "known branches and loops, copies, equal statements, equal sizes, Checks that hold, dead code",
    run_simplify};

}  // namespace fulgurite::simplify
