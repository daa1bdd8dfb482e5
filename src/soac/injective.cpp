#include "soac/injective.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/match.h"
#include "scalar/width.h"
#include "soac/digits.h"
#include "soac/operation.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using base::as;
using scalar::Op;

namespace {

/// The conditions under which a point stores.
struct Condition {
  Expr condition;
  bool holds;
};

class Prover {
 public:
  Prover(Arena& arena, const EqualSizes& sizes, const Origins& origins)
      : arena_(arena), sizes_(sizes), origins_(origins) {}

  /// Looks at the points of this Soac.
  void enter(const Soac& soac) {
    Vars inside;
    add_bound(soac.body, inside);
    digits_.emplace(arena_, sizes_, soac.body.params, soac.dims, std::move(inside));
    own_ = running_values(soac, names_of(soac.body.params));
  }

  bool is_one_value(Expr given) { return !digits_->varies(expand(scalar::substitute(arena_, given, own_))); }

  bool is_injective(std::span<const Expr> given, std::span<const Expr> shape) {
    std::vector<Expr> places;
    for (std::size_t d = 0; d < given.size(); ++d)
      places.push_back(inside_part(expand(scalar::substitute(arena_, given[d], own_)), shape[d]));
    return std::ranges::any_of(places, [&](Expr e) { return tells_apart(e); }) ||
           digits_->moves_each_axis(places);
  }

 private:
  using Literal = Condition;
  struct Running;

  std::vector<Expr> names_of(const std::vector<Var>& vars) const {
    std::vector<Expr> names;
    for (Var v : vars) names.push_back(arena_.name(v));
    return names;
  }

  // ---- places as functions of the point

  /// The running values that a body binds, as elements of arrays that stand for them, at these indices.
  std::unordered_map<Var, Expr> running_values(const Soac& soac, const std::vector<Expr>& at) {
    std::unordered_map<Var, Expr> values;
    for (const Stm& stm : soac.body.body) {
      const auto* scan = as<Scan>(stm.op);
      for (std::size_t k = 0; scan && k < stm.names.size(); ++k) {
        const auto [found, is_new] = running_.try_emplace(stm.names[k]);
        if (is_new) {
          const Kind kind = arena_.info(stm.names[k]).type.kind;
          found->second = arena_.fresh_array(kind, soac.dims, "running");
          sums_.emplace(found->second.var(), Running{&soac, scan});
        }
        values.emplace(stm.names[k], arena_.index(found->second, at));
      }
    }
    return values;
  }

  /// The expression with elements of computed arrays replaced by their computations.
  Expr expand(Expr e) {
    if (depth_ > 16) return e;
    ++depth_;
    scalar::Substitution substitute(arena_, [&](Expr node) { return element(node); });
    const Expr expanded = substitute(e);
    --depth_;
    return expanded;
  }

  Expr element(Expr read) {
    if (read.op() != Op::index) return {};
    const Origins::Origin* origin = origins_.of(read.arg(0).var());
    const auto* soac = origin ? as<Soac>(origin->stm->op) : nullptr;
    if (!soac) return {};
    Expr result = mapped_result(*origin->stm, read.arg(0).var());
    if (!result || result.type().rank > 0 || read.args().size() != soac->dims.size() + 1) return {};
    std::vector<Expr> at;
    for (Expr index : read.args().subspan(1)) at.push_back(expand(index));
    std::unordered_map<Var, Expr> values = running_values(*soac, at);
    for (std::size_t d = 0; d < at.size(); ++d) values.emplace(soac->body.params[d], at[d]);
    result = scalar::substitute(arena_, result, values);
    Vars bound, mentioned;
    add_bound(soac->body, bound);
    add_mentioned(std::span(&result, 1), mentioned);
    if (std::ranges::any_of(mentioned, [&](Var v) { return bound.contains(v); })) return {};
    return expand(result);
  }

  // ---- places outside

  bool is_outside(Expr e, Expr extent) const {
    if (e.is_constant()) {
      const int unused = 64 - bits_of(e.kind());
      if (scalar::is_signed(e.kind()) && static_cast<std::int64_t>(e.bits() << unused) < 0) return true;
      // Bits compare as numbers do, as neither is negative.
      return extent.is_constant() && scalar::is_integer(e.kind()) && e.bits() >= extent.bits();
    }
    return e.type() == Type{} && sizes_.equal(e, extent);
  }

  /// The place where it is not certainly outside; the points that are left have to meet conditions.
  Expr inside_part(Expr e, Expr extent) {
    while (true) {
      Expr inner = e;
      while (inner.op() == Op::cast && is_wide(inner.kind()) && is_wide(inner.arg(0).kind()) &&
             bits_of(inner.arg(0).kind()) <= bits_of(inner.kind()) &&
             scalar::is_signed(inner.arg(0).kind()) && scalar::is_signed(inner.kind()))
        inner = inner.arg(0);
      if (inner.op() != Op::select) return e;
      const bool no = is_outside(inner.arg(2), extent);
      if (!no && !is_outside(inner.arg(1), extent)) return e;
      add_condition(inner.arg(0), no);
      e = inner.arg(no ? 1 : 2);
    }
  }

  void add_condition(Expr e, bool holds) {
    if (e.op() == Op::bit_not) return add_condition(e.arg(0), !holds);
    if (e.op() == (holds ? Op::bit_and : Op::bit_or)) {
      add_condition(e.arg(0), holds);
      return add_condition(e.arg(1), holds);
    }
    conditions_.push_back({e, holds});
    // A comparison of one of two constants.
    if (e.args().size() != 2) return;
    for (const std::size_t k : {0u, 1u}) {
      const auto choice = choice_of(e.arg(k));
      if (!choice || !e.arg(1 - k).is_constant()) continue;
      const auto value = [&](Expr chosen) {
        Expr args[] = {chosen, chosen};
        args[1 - k] = e.arg(1 - k);
        return arena_.apply(e.op(), args);
      };
      const Expr yes = value(choice->yes), no = value(choice->no);
      if (yes.is_constant(holds ? 1 : 0) && no.is_constant(holds ? 0 : 1))
        add_condition(choice->condition, true);
      if (yes.is_constant(holds ? 0 : 1) && no.is_constant(holds ? 1 : 0))
        add_condition(choice->condition, false);
    }
  }

  /// One of two constants, as a boolean says.
  struct Choice {
    Expr condition, yes, no;
  };
  std::optional<Choice> choice_of(Expr e) const {
    if (e.op() == Op::select && e.arg(1).is_constant() && e.arg(2).is_constant())
      return Choice{e.arg(0), e.arg(1), e.arg(2)};
    if (e.op() != Op::cast || !scalar::is_integer(e.kind())) return {};
    if (e.arg(0).kind() == Kind::boolean)
      return Choice{e.arg(0), cast(arena_.i64(1), e.kind()), cast(arena_.i64(0), e.kind())};
    auto inner = choice_of(e.arg(0));
    if (inner) inner->yes = cast(inner->yes, e.kind()), inner->no = cast(inner->no, e.kind());
    return inner;
  }

  bool is_known(Expr condition, bool holds) const {
    if (condition.op() == Op::bit_not) return is_known(condition.arg(0), !holds);
    if (condition.op() == (holds ? Op::bit_and : Op::bit_or))
      return is_known(condition.arg(0), holds) && is_known(condition.arg(1), holds);
    return std::ranges::any_of(
        conditions_, [&](const Condition& c) { return c.condition == condition && c.holds == holds; });
  }

  // ---- different values at different points

  bool tells_apart(Expr e) {
    if (digits_->tells_apart(e)) return true;
    if (e.op() == Op::cast && is_wide(e.kind()) && is_wide(e.arg(0).kind()) &&
        bits_of(e.arg(0).kind()) <= bits_of(e.kind()))
      return tells_apart(e.arg(0));
    if (!is_wide(e.kind())) return false;
    if (e.op() == Op::neg || e.op() == Op::bit_not) return tells_apart(e.arg(0));
    if (e.op() == Op::add || e.op() == Op::sub || e.op() == Op::bit_xor) {
      if (!digits_->varies(e.arg(0))) return tells_apart(e.arg(1));
      if (!digits_->varies(e.arg(1))) return tells_apart(e.arg(0));
      return false;
    }
    if (e.op() == Op::select) return is_apart_either_way(e.arg(0), e.arg(1), e.arg(2));
    if (e.op() != Op::index) return false;
    const std::vector<Expr> at(e.args().begin() + 1, e.args().end());
    if (!std::ranges::any_of(at, [&](Expr index) { return tells_apart(index); }) &&
        !digits_->moves_each_axis(at))
      return false;
    const Var array = e.arg(0).var();
    const auto running = sums_.find(array);
    return running != sums_.end() ? grows(running->second, at) : has_no_equals(array);
  }

  /// Different values where the condition holds, and where it does not, and none of them in common.
  bool is_apart_either_way(Expr condition, Expr yes, Expr no) {
    const auto holds_where = [&](bool holds, const auto& test) {
      const std::size_t n = conditions_.size();
      add_condition(condition, holds);
      const bool result = test();
      conditions_.resize(n);
      return result;
    };
    if (is_rotation(condition, yes, no)) return true;
    return holds_where(true, [&] { return tells_apart(yes); }) &&
           holds_where(false, [&] { return tells_apart(no); }) &&
           (holds_where(true, [&] { return is_below(yes, no); }) ||
            holds_where(false, [&] { return is_below(no, yes); }));
  }

  /// i < t ? i + a : i + a - n, for all i below n.
  bool is_rotation(Expr condition, Expr yes, Expr no) const {
    if (digits_->params().size() != 1 || condition.op() != Op::lt || digits_->varies(condition.arg(1)))
      return false;
    const Var i = digits_->params()[0];
    if (condition.arg(0) != arena_.name(i)) return false;
    while (yes.op() == Op::cast && no.op() == Op::cast && yes.kind() == no.kind() && is_wide(yes.kind()) &&
           is_wide(yes.arg(0).kind()))
      yes = yes.arg(0), no = no.arg(0);
    const auto first = scalar::affine_in(arena_, yes, i), second = scalar::affine_in(arena_, no, i);
    if (!first || !second || !first->coefficient.is_constant(1) || !second->coefficient.is_constant(1))
      return false;
    if (digits_->varies(first->base) || digits_->varies(second->base)) return false;
    const Expr turn = first->base - second->base - digits_->dims()[0];
    return is_zero(turn);
  }

  /// A sum whose terms cancel.
  bool is_zero(Expr sum) const {
    std::unordered_map<Expr, std::uint64_t> terms;
    std::uint64_t constant = 0;
    const auto add = [&](const auto& self, Expr e, std::uint64_t times) -> void {
      if (e.is_constant()) {
        constant += times * e.bits();
      } else if (e.op() == Op::add || e.op() == Op::sub) {
        self(self, e.arg(0), times);
        self(self, e.arg(1), e.op() == Op::add ? times : -times);
      } else if (e.op() == Op::neg) {
        self(self, e.arg(0), -times);
      } else if (e.op() == Op::mul && e.arg(1).is_constant()) {
        self(self, e.arg(0), times * e.arg(1).bits());
      } else if (e.op() == Op::mul && e.arg(0).is_constant()) {
        self(self, e.arg(1), times * e.arg(0).bits());
      } else {
        terms[sizes_.canonical(e)] += times;
      }
    };
    add(add, sum, 1);
    return constant == 0 && std::ranges::all_of(terms, [](const auto& term) { return term.second == 0; });
  }

  /// `low` counts the points kept so far, `high` begins with the number of all kept points.
  bool is_below(Expr low, Expr high) {
    const auto running_at = [&](Expr e) -> const Running* {
      const auto found = e.op() == Op::index ? sums_.find(e.arg(0).var()) : sums_.end();
      return found == sums_.end() ? nullptr : &found->second;
    };
    const Running* kept = running_at(low);
    if (!kept || !starts_at_zero(*kept)) return false;
    const std::vector<Expr> at(low.args().begin() + 1, low.args().end());
    const std::optional<Literal> what = counted(*kept, at);
    if (!what || !is_known(what->condition, what->holds)) return false;
    std::vector<Term> terms;
    add_terms(high, false, terms);
    const auto others = std::ranges::find_if(terms, [&](const Term& term) {
      const Running* running = term.is_subtracted ? nullptr : running_at(term.value);
      if (!running || !starts_at_zero(*running)) return false;
      return counted(*running, {term.value.args().begin() + 1, term.value.args().end()}).has_value();
    });
    if (others == terms.end()) return false;
    terms.erase(others);
    if (terms.size() == 1) return !terms[0].is_subtracted && is_count_of(terms[0].value, *what, at);
    if (terms.size() != 2 || terms[0].is_subtracted == terms[1].is_subtracted) return false;
    const std::size_t all = terms[0].is_subtracted ? 1 : 0;
    return is_number_of_points(terms[all].value) &&
           is_count_of(terms[1 - all].value, {what->condition, !what->holds}, at);
  }

  struct Term {
    Expr value;
    bool is_subtracted;
  };
  static void add_terms(Expr sum, bool is_subtracted, std::vector<Term>& terms) {
    if (sum.op() != Op::add && sum.op() != Op::sub) return terms.push_back({sum, is_subtracted});
    add_terms(sum.arg(0), is_subtracted, terms);
    add_terms(sum.arg(1), is_subtracted != (sum.op() == Op::sub), terms);
  }

  static Expr without_casts(Expr e) {
    while (e.op() == Op::cast && is_wide(e.kind()) && is_wide(e.arg(0).kind())) e = e.arg(0);
    return e;
  }
  bool is_number_of_points(Expr e) const {
    e = without_casts(e);
    return e.type() == Type{} && digits_->dims().size() == 1 && sizes_.canonical(e) == digits_->dims()[0];
  }

  /// Whether the scalar is the number of points of the space at which the literal, given at point `at`, is
  /// true.
  bool is_count_of(Expr total, const Literal& what, const std::vector<Expr>& at) {
    const std::vector<Var>& params = digits_->params();
    if (at.size() != 1 || params.size() != 1 || at[0] != arena_.name(params[0])) return false;
    total = without_casts(total);
    const Origins::Origin* origin = total.is_name() ? origins_.of(total.var()) : nullptr;
    const auto* soac = origin ? as<Soac>(origin->stm->op) : nullptr;
    if (!soac || soac->dims.size() != 1 || sizes_.canonical(soac->dims[0]) != digits_->dims()[0])
      return false;
    for (const OutputView::Reduced& r : view_of(*origin->stm).reductions) {
      if (r.names[0] != total.var() || !is_sum(r.by)) continue;
      if (!r.by.initial.empty() && !r.by.initial[0].is_constant(0)) return false;
      const Expr added = scalar::substitute(arena_, r.operands[0], {{soac->body.params[0], at[0]}});
      const std::optional<Literal> counts = literal_of(expand(added));
      return counts && counts->condition == what.condition && counts->holds == what.holds;
    }
    return false;
  }

  /// A sum that grows from each point that meets the conditions to the next one.
  struct Running {
    const Soac* soac;
    const Scan* scan;
  };
  bool grows(const Running& running, const std::vector<Expr>& at) {
    if (!is_sum(running.scan->reduction)) return false;
    if (added_at(running, at).is_constant(1)) return true;
    const std::optional<Literal> what = counted(running, at);
    return what && is_known(what->condition, what->holds);
  }
  static bool starts_at_zero(const Running& running) {
    const std::vector<Expr>& initial = running.scan->reduction.initial;
    return !running.scan->inclusive && (initial.empty() || initial[0].is_constant(0));
  }

  static bool is_sum(const Reduction& r) {
    return r.op.results.size() == 1 && r.op.body.empty() && is_wide(r.op.results[0].kind()) &&
           operation_of(r.op, 0) == Op::add;
  }

  /// The number that a point adds.
  Expr added_at(const Running& running, const std::vector<Expr>& at) {
    std::unordered_map<Var, Expr> values;
    for (std::size_t d = 0; d < at.size(); ++d) values.emplace(running.soac->body.params[d], at[d]);
    return expand(scalar::substitute(arena_, running.scan->operands[0], values));
  }
  /// The points at which a sum of ones and zeros grows.
  std::optional<Literal> counted(const Running& running, const std::vector<Expr>& at) {
    return is_sum(running.scan->reduction) ? literal_of(added_at(running, at)) : std::nullopt;
  }
  std::optional<Literal> literal_of(Expr added) const {
    const auto choice = choice_of(added);
    if (!choice) return {};
    Literal literal{choice->condition, choice->yes.is_constant(1)};
    if (!(literal.holds ? choice->no : choice->yes).is_constant(0) ||
        !(literal.holds ? choice->yes : choice->no).is_constant(1))
      return {};
    while (literal.condition.op() == Op::bit_not) literal = {literal.condition.arg(0), !literal.holds};
    return literal;
  }

  bool has_no_equals(Var array) {
    const Origins::Origin* origin = origins_.of(array);
    const auto* sort = origin ? as<Sort>(origin->stm->op) : nullptr;
    if (!sort) return false;
    const Expr from = sort->arrays[origin->number];
    Prover of_source(arena_, sizes_, origins_);
    const Expr i = arena_.fresh({}, "i");
    of_source.digits_.emplace(arena_, sizes_, std::vector{i.var()},
                              std::vector{arena_.info(from.var()).shape[0]}, Vars{i.var()});
    return of_source.tells_apart(of_source.expand(arena_.index(from, std::span(&i, 1))));
  }

  Arena& arena_;
  const EqualSizes& sizes_;
  const Origins& origins_;
  std::optional<Digits> digits_;       // of the places of the points
  std::unordered_map<Var, Expr> own_;  // the running values of the Soac itself
  std::vector<Condition> conditions_;
  std::unordered_map<Var, Expr> running_;  // the array that stands for a name's running values
  std::unordered_map<Var, Running> sums_;  // by that array
  int depth_ = 0;
};

}  // namespace

void Origins::add(const Stm& stm) {
  for (std::size_t k = 0; k < stm.names.size(); ++k) origins_.insert_or_assign(stm.names[k], Origin{&stm, k});
}

const Origins::Origin* Origins::of(Var name) const {
  const auto found = origins_.find(name);
  return found == origins_.end() ? nullptr : &found->second;
}

bool stores_apart(Arena& arena, const EqualSizes& sizes, const Origins& origins, const Soac& soac,
                  std::size_t scatter) {
  const OutputView::Scattered scattered = view_of(soac).scatters[scatter];
  Prover prover(arena, sizes, origins);
  prover.enter(soac);
  return prover.is_injective(scattered.place, scattered.to.shape);
}

bool stores_one_value(Arena& arena, const EqualSizes& sizes, const Origins& origins, const Soac& soac,
                      std::size_t scatter) {
  const std::span<const Expr> values = view_of(soac).scatters[scatter].values;
  Prover prover(arena, sizes, origins);
  prover.enter(soac);
  return std::ranges::all_of(values, [&](Expr value) { return prover.is_one_value(value); });
}

}  // namespace fulgurite::soac
