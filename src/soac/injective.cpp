#include "soac/injective.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "base/match.h"
#include "soac/layout.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using base::as;
using scalar::Op;

namespace {

constexpr int point_bits = 47;  // of the number of points of a space that is ever walked

int bits_of(Kind kind) {
  return 8 * static_cast<int>(scalar::size_of(kind));
}
bool is_wide(Kind kind) {
  return scalar::is_integer(kind) && bits_of(kind) >= 32;
}

/// The sum of invariants and of terms, modulo a power of two. Atoms are parameters, or their quotients and
/// remainders.
struct Sum {
  struct Term {
    Expr atom, coefficient;  // i64
  };
  std::vector<Term> terms;
  int bits = 64;
};

/// What has to hold of a point for it to store.
struct Condition {
  Expr expression;
  bool holds;
};

class Prover {
 public:
  Prover(Arena& arena, const EqualSizes& sizes, const Origins& origins)
      : arena_(arena), sizes_(sizes), origins_(origins) {}

  /// At the points of this one.
  void enter(const Soac& soac) {
    enter(soac.body.params, soac.dims);
    add_bound(soac.body, variant_);
    own_ = running_values(soac, names_of(soac.body.params));
  }

  bool is_one_value(Expr given) { return !varies(expand(scalar::substitute(arena_, given, own_))); }

  bool is_injective(std::span<const Expr> given, std::span<const Expr> shape) {
    std::vector<Expr> places;
    for (std::size_t d = 0; d < given.size(); ++d)
      places.push_back(inside_part(expand(scalar::substitute(arena_, given[d], own_)), shape[d]));
    return std::ranges::any_of(places, [&](Expr e) { return tells_apart(e); }) || moves_each_axis(places);
  }

 private:
  void enter(const std::vector<Var>& params, const std::vector<Expr>& dims) {
    params_ = params;
    dims_ = sizes_.canonical(dims);
    variant_ = Vars(params.begin(), params.end());
    conditions_.clear();
  }

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

  /// The expression with elements of computed arrays replaced by what computes them.
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
    const Layout::Part mapped = layout_of(*soac).mapped;
    if (origin->number < mapped.name) return {};
    Expr result = soac->body.results[mapped.result + origin->number - mapped.name];
    if (result.type().rank > 0 || read.args().size() != soac->dims.size() + 1) return {};
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

  bool varies(Expr e) const {
    Vars mentioned;
    add_mentioned(std::span(&e, 1), mentioned);
    return std::ranges::any_of(mentioned, [&](Var v) { return variant_.contains(v); });
  }

  // ---- places outside

  bool is_outside(Expr e, Expr extent) const {
    if (e.is_constant()) {
      const int unused = 64 - bits_of(e.kind());
      if (scalar::is_signed(e.kind()) && static_cast<std::int64_t>(e.bits() << unused) < 0) return true;
      return extent.is_constant() && scalar::is_integer(e.kind()) && e.bits() >= extent.bits();  // neither is
                                                                                                 // negative
    }
    return e.type() == Type{} && sizes_.canonical(e) == sizes_.canonical(extent);
  }

  /// What the place is where it is not outside for sure; the points that are left have to meet conditions.
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
    for (const std::size_t k : {0, 1}) {
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
      return Choice{e.arg(0), arena_.cast(arena_.i64(1), e.kind()), arena_.cast(arena_.i64(0), e.kind())};
    auto inner = choice_of(e.arg(0));
    if (inner) inner->yes = arena_.cast(inner->yes, e.kind()), inner->no = arena_.cast(inner->no, e.kind());
    return inner;
  }

  bool is_known(Expr condition, bool holds) const {
    if (condition.op() == Op::bit_not) return is_known(condition.arg(0), !holds);
    if (condition.op() == (holds ? Op::bit_and : Op::bit_or))
      return is_known(condition.arg(0), holds) && is_known(condition.arg(1), holds);
    return std::ranges::any_of(
        conditions_, [&](const Condition& c) { return c.expression == condition && c.holds == holds; });
  }

  // ---- different values at different points

  bool tells_apart(Expr e) {
    if (const auto sum = sum_of(e); sum && is_one_to_one(*sum)) return true;
    if (e.op() == Op::cast && is_wide(e.kind()) && is_wide(e.arg(0).kind()) &&
        bits_of(e.arg(0).kind()) <= bits_of(e.kind()))
      return tells_apart(e.arg(0));
    if (!is_wide(e.kind())) return false;
    if (e.op() == Op::neg || e.op() == Op::bit_not) return tells_apart(e.arg(0));
    if (e.op() == Op::add || e.op() == Op::sub || e.op() == Op::bit_xor) {
      if (!varies(e.arg(0))) return tells_apart(e.arg(1));
      if (!varies(e.arg(1))) return tells_apart(e.arg(0));
      return false;
    }
    if (e.op() != Op::index) return false;
    const std::vector<Expr> at(e.args().begin() + 1, e.args().end());
    if (!std::ranges::any_of(at, [&](Expr index) { return tells_apart(index); }) && !moves_each_axis(at))
      return false;
    const Var array = e.arg(0).var();
    const auto running = sums_.find(array);
    return running != sums_.end() ? grows(running->second, at) : has_no_equals(array);
  }

  /// A sum that grows from each point that meets the conditions to the next one.
  struct Running {
    const Soac* soac;
    const Scan* scan;
  };
  bool grows(const Running& running, const std::vector<Expr>& at) {
    const Reduction& r = running.scan->reduction;
    if (r.op.results.size() != 1 || !r.op.body.empty() || r.op.results[0].op() != Op::add) return false;
    const Expr sum = r.op.results[0];
    const auto is_param = [&](Expr e, std::size_t k) { return e.is_name() && e.var() == r.op.params[k]; };
    if (!(is_param(sum.arg(0), 0) && is_param(sum.arg(1), 1)) &&
        !(is_param(sum.arg(0), 1) && is_param(sum.arg(1), 0)))
      return false;
    if (!is_wide(sum.kind())) return false;
    std::unordered_map<Var, Expr> values;
    for (std::size_t d = 0; d < at.size(); ++d) values.emplace(running.soac->body.params[d], at[d]);
    const Expr added = expand(scalar::substitute(arena_, running.scan->operands[0], values));
    const auto is_one = [](Expr e) { return e.is_constant(1); };
    const auto is_zero = [](Expr e) { return e.is_constant(0); };
    if (is_one(added)) return true;
    const auto choice = choice_of(added);
    if (!choice) return false;
    if (is_one(choice->yes) && is_zero(choice->no)) return is_known(choice->condition, true);
    if (is_zero(choice->yes) && is_one(choice->no)) return is_known(choice->condition, false);
    return false;
  }

  bool has_no_equals(Var array) {
    const Origins::Origin* origin = origins_.of(array);
    const auto* sort = origin ? as<Sort>(origin->stm->op) : nullptr;
    if (!sort) return false;
    const Expr from = sort->arrays[origin->number];
    Prover of_source(arena_, sizes_, origins_);
    const Expr i = arena_.fresh({}, "i");
    of_source.enter({i.var()}, {arena_.info(from.var()).shape[0]});
    return of_source.tells_apart(of_source.expand(arena_.index(from, std::span(&i, 1))));
  }

  // ---- sums

  /// Nothing if there is something else in it.
  std::optional<Sum> sum_of(Expr e) const {
    if (!is_wide(e.kind())) return {};
    if (!varies(e)) return Sum{{}, bits_of(e.kind())};
    const auto atom = [&] { return Sum{{{e, arena_.i64(1)}}, 64}; };
    if (e.is_name())
      return std::ranges::find(params_, e.var()) == params_.end() ? std::nullopt : std::optional(atom());
    std::optional<Sum> sum;
    switch (e.op()) {
      case Op::div:
      case Op::rem:
        if (params_.size() != 1 || !e.arg(0).is_name() || e.arg(0).var() != params_[0] || varies(e.arg(1)))
          return {};
        return atom();
      case Op::cast: sum = is_wide(e.arg(0).kind()) ? sum_of(e.arg(0)) : std::nullopt; break;
      case Op::neg:
        sum = sum_of(e.arg(0));
        if (sum) scale(*sum, arena_.i64(-1));
        break;
      case Op::add:
      case Op::sub: {
        sum = sum_of(e.arg(0));
        std::optional<Sum> other = sum_of(e.arg(1));
        if (!sum || !other) return {};
        if (e.op() == Op::sub) scale(*other, arena_.i64(-1));
        for (const Sum::Term& term : other->terms) {
          const auto known = std::ranges::find(sum->terms, term.atom, &Sum::Term::atom);
          if (known == sum->terms.end())
            sum->terms.push_back(term);
          else
            known->coefficient = arena_.add(known->coefficient, term.coefficient);
        }
        sum->bits = std::min(sum->bits, other->bits);
        break;
      }
      case Op::mul: {
        const bool left = varies(e.arg(0));
        if (left && varies(e.arg(1))) return {};
        sum = sum_of(e.arg(left ? 0 : 1));
        if (sum) scale(*sum, arena_.cast(e.arg(left ? 1 : 0), Kind::i64));
        break;
      }
      default: return {};
    }
    if (sum) sum->bits = std::min(sum->bits, bits_of(e.kind()));
    return sum;
  }
  void scale(Sum& sum, Expr factor) const {
    for (Sum::Term& term : sum.terms) term.coefficient = arena_.mul(term.coefficient, factor);
  }

  /// How many values the atom has, from 0 on. Of a quotient only what makes it one axis of two: n = count *
  /// d.
  Expr count_of(Expr atom) const {
    if (atom.op() == Op::rem) return sizes_.canonical(atom.arg(1));
    const auto param = std::ranges::find(params_, atom.var());
    return dims_[static_cast<std::size_t>(param - params_.begin())];
  }

  /// Different points, different sums: the terms are the digits of the point's number, times a constant, in
  /// one of their orders.
  bool is_one_to_one(const Sum& sum) const {
    constexpr std::size_t most_terms = 4;
    std::vector<Sum::Term> terms;
    for (const Sum::Term& term : sum.terms)
      if (!count_is_one(term.atom)) terms.push_back(term);
    if (!has_all_digits(terms) || terms.size() > most_terms) return false;
    if (terms.empty()) return n_points_is_one();
    std::vector<std::size_t> order(terms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      std::vector<Sum::Term> ordered;
      for (std::size_t k : order) ordered.push_back(terms[k]);
      if (are_digits(ordered, sum.bits)) return true;
    } while (std::ranges::next_permutation(order).found);
    return false;
  }

  /// From the lowest on: each coefficient is the one before times how many values the digit before has.
  bool are_digits(const std::vector<Sum::Term>& terms, int bits) const {
    if (!is_unit(terms[0].coefficient, bits)) return false;
    for (std::size_t k = 0; k + 1 < terms.size(); ++k) {
      const Sum::Term &low = terms[k], &high = terms[k + 1];
      if (low.atom.op() == Op::div) {
        // A quotient below the remainder: as many values as the remainder's coefficient says.
        return low.coefficient.is_constant(1) &&
               sizes_.canonical(arena_.mul(high.coefficient, low.atom.arg(1))) == dims_[0];
      }
      const Expr wanted = arena_.mul(low.coefficient, count_of(low.atom));
      if (!is_plus_or_minus(high.coefficient, wanted) && !leaves_room(wanted, high.coefficient, bits))
        return false;
    }
    return true;
  }

  /// Constants that are small beside the greatest integer.
  static bool leaves_room(Expr wanted, Expr coefficient, int bits) {
    constexpr std::uint64_t most = std::uint64_t{1} << (63 - point_bits);
    return bits == 64 && wanted.is_constant() && coefficient.is_constant() && coefficient.bits() <= most &&
           wanted.bits() <= coefficient.bits();
  }

  bool count_is_one(Expr atom) const { return atom.is_name() && count_of(atom).is_constant(1); }
  bool n_points_is_one() const {
    return std::ranges::all_of(dims_, [](Expr n) { return n.is_constant(1); });
  }

  /// All axes of the space, or the quotient and the remainder of its one index by one divisor.
  bool has_all_digits(const std::vector<Sum::Term>& terms) const {
    const auto has = [&](Expr atom) {
      return std::ranges::find(terms, atom, &Sum::Term::atom) != terms.end();
    };
    if (terms.size() == 2 && !terms[0].atom.is_name()) {
      const Expr a = terms[0].atom, b = terms[1].atom;
      return !b.is_name() && a.op() != b.op() && a.arg(0) == b.arg(0) && a.arg(1) == b.arg(1);
    }
    if (std::ranges::any_of(terms, [](const Sum::Term& t) { return !t.atom.is_name(); })) return false;
    for (std::size_t d = 0; d < params_.size(); ++d)
      if (!dims_[d].is_constant(1) && !has(arena_.name(params_[d]))) return false;
    return true;
  }

  /// A constant whose multiples by the numbers of all points differ modulo 2^bits.
  static bool is_unit(Expr coefficient, int bits) {
    if (!coefficient.is_constant() || coefficient.is_constant(0)) return false;
    const int zeros = std::countr_zero(coefficient.bits());
    return bits == 64 ? zeros + point_bits < 64 : zeros == 0;
  }
  bool is_plus_or_minus(Expr coefficient, Expr stride) const {
    const Expr a = sizes_.canonical(coefficient), b = sizes_.canonical(stride);
    return a == b || a == sizes_.canonical(arena_.mul(stride, arena_.i64(-1))) ||
           sizes_.canonical(arena_.mul(coefficient, arena_.i64(-1))) == b;
  }

  /// Every axis of the space moves an index of its own, and alone.
  bool moves_each_axis(const std::vector<Expr>& places) const {
    std::vector<std::optional<Sum>> sums;
    for (Expr e : places) sums.push_back(sum_of(e));
    for (std::size_t d = 0; d < params_.size(); ++d) {
      if (dims_[d].is_constant(1)) continue;
      const Expr p = arena_.name(params_[d]);
      const bool moves = std::ranges::any_of(sums, [&](const std::optional<Sum>& sum) {
        return sum && sum->terms.size() == 1 && sum->terms[0].atom == p &&
               is_unit(sum->terms[0].coefficient, sum->bits);
      });
      if (!moves) return false;
    }
    return true;
  }

  Arena& arena_;
  const EqualSizes& sizes_;
  const Origins& origins_;
  std::vector<Var> params_;
  std::vector<Expr> dims_;
  Vars variant_;                       // what differs from point to point
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
  const Scatter& s = soac.scatters[scatter];
  const std::size_t first = layout_of(soac).scatters[scatter].result;
  Prover prover(arena, sizes, origins);
  prover.enter(soac);
  return prover.is_injective(std::span(soac.body.results).subspan(first, s.shape.size()), s.shape);
}

bool stores_one_value(Arena& arena, const EqualSizes& sizes, const Origins& origins, const Soac& soac,
                      std::size_t scatter) {
  const Layout::Part part = layout_of(soac).scatters[scatter];
  const auto values = std::span(soac.body.results)
                          .subspan(part.result, part.n_results)
                          .subspan(soac.scatters[scatter].shape.size());
  Prover prover(arena, sizes, origins);
  prover.enter(soac);
  return std::ranges::all_of(values, [&](Expr value) { return prover.is_one_value(value); });
}

}  // namespace fulgurite::soac
