#include "simplify/index_algebra.h"

#include <algorithm>
#include <map>

namespace fulgurite::simplify {
namespace {

using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Type;

constexpr int deepest = 8;  // of proofs: index expressions are a handful of axes

struct Term {
  Expr atom;  // absent: a constant
  std::int64_t coefficient;
};

std::int64_t value(Expr constant) {
  return static_cast<std::int64_t>(constant.bits());
}

/// The summands of an i64 expression.
void collect(Expr e, std::int64_t factor, std::vector<Term>& terms) {
  switch (e.op()) {
    case Op::constant: terms.push_back({Expr(), factor * value(e)}); return;
    case Op::add:
      collect(e.arg(0), factor, terms);
      collect(e.arg(1), factor, terms);
      return;
    case Op::sub:
      collect(e.arg(0), factor, terms);
      collect(e.arg(1), -factor, terms);
      return;
    case Op::neg: collect(e.arg(0), -factor, terms); return;
    case Op::mul:
      if (e.arg(1).is_constant()) return collect(e.arg(0), factor * value(e.arg(1)), terms);
      [[fallthrough]];
    default: terms.push_back({e, factor});
  }
}

/// The oldest atom whose terms do not cancel; an absent Expr where only a constant is left.
Expr first_atom(Expr e) {
  std::vector<Term> terms;
  collect(e, 1, terms);
  std::map<std::uint32_t, Term> sums;
  for (const Term& t : terms)
    if (t.atom) sums.try_emplace(t.atom.id(), t.atom, 0).first->second.coefficient += t.coefficient;
  for (const auto& [id, term] : sums)
    if (term.coefficient != 0) return term.atom;
  return {};
}

void collect_factors(Expr e, std::vector<Expr>& factors) {
  if (e.op() != Op::mul) return factors.push_back(e);
  collect_factors(e.arg(0), factors);
  collect_factors(e.arg(1), factors);
}

Expr product(Arena& arena, const std::vector<Expr>& factors) {
  Expr result = arena.i64(1);
  for (Expr f : factors) result = result * f;
  return result;
}

/// Takes the factors that both have out of both; true if there were any.
bool cancel(std::vector<Expr>& a, std::vector<Expr>& b, std::vector<Expr>& common) {
  for (std::size_t i = 0; i < a.size();) {
    auto same = std::find(b.begin(), b.end(), a[i]);
    if (same == b.end()) {
      ++i;
      continue;
    }
    common.push_back(a[i]);
    b.erase(same);
    a.erase(a.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return !common.empty();
}

}  // namespace

Expr IndexAlgebra::operator()(Expr root) {
  auto divides = [](Expr e) {
    return (e.op() == Op::div || e.op() == Op::rem) && e.type() == Type{} && e.site() == 0;
  };
  auto may_miss = [](Expr e) { return e.op() == Op::index && e.site() != 0; };
  bool concerned = false;
  scalar::for_each_node(std::span(&root, 1),
                        [&](Expr e) { concerned = concerned || divides(e) || may_miss(e); });
  if (!concerned) return root;
  std::vector<Expr> args;
  scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
    if (memo_.contains(e)) return;
    args.clear();
    for (Expr child : e.args()) args.push_back(memo_.at(child));
    Expr result = scalar::rebuild(arena_, e, args);
    if (divides(result)) {
      if (auto parts = split(result.arg(0), result.arg(1), 0))
        result = result.op() == Op::div ? parts->quotient : parts->remainder;
    } else if (may_miss(result) && is_inside(result)) {
      result = arena_.index(result.arg(0), result.args().subspan(1));
    }
    memo_.emplace(e, result);
  });
  return memo_.at(root);
}

bool IndexAlgebra::is_inside(Expr index) const {
  const std::vector<Expr> shape = arena_.info(index.arg(0).var()).shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (!is_below(index.arg(axis + 1), canonical_ ? canonical_(shape[axis]) : shape[axis])) return false;
  return true;
}

void IndexAlgebra::range(scalar::Var var, Expr extent) {
  extents_.insert_or_assign(var, extent);
  if (extent.is_name()) sizes_.insert(extent.var());
  const Expr name = arena_.name(var);
  if (!is_small(extent)) return;
  add_fact(name);
  add_fact(extent - name - 1);
}

void IndexAlgebra::add_fact(Expr fact) {
  const Expr atom = first_atom(fact);
  facts_about_[atom].push_back(fact);
  atoms_of_facts_.push_back(atom);
}

IndexAlgebra::Assumption::Assumption(IndexAlgebra& algebra, Expr condition)
    : algebra_(algebra), scope_(algebra), memo_(std::move(algebra.memo_)) {
  algebra_.memo_.clear();
  algebra_.assume(condition);
}

// Allocates nothing: it also runs when an allocation has failed.
IndexAlgebra::Assumption::~Assumption() {
  algebra_.memo_ = std::move(memo_);
}

// Allocates nothing either.
void IndexAlgebra::forget(std::size_t n_facts) {
  for (; atoms_of_facts_.size() > n_facts; atoms_of_facts_.pop_back())
    facts_about_.find(atoms_of_facts_.back())->second.pop_back();
}

void IndexAlgebra::assume(Expr condition) {
  if (condition.op() == Op::bit_and) {
    assume(condition.arg(0));
    assume(condition.arg(1));
  }
  if ((condition.op() != Op::lt && condition.op() != Op::le) || condition.arg(0).type() != Type{}) return;
  const Expr a = condition.arg(0), b = condition.arg(1);
  if (!is_small(a) || !is_small(b)) return;
  add_fact(b - a - (condition.op() == Op::lt ? 1 : 0));
}

bool IndexAlgebra::is_small(Expr e) const {
  constexpr std::int64_t most = std::int64_t{1} << 40;  // extents are at most 2^47
  std::vector<Term> terms;
  collect(e, 1, terms);
  return terms.size() <= 16 && std::all_of(terms.begin(), terms.end(), [&](const Term& t) {
           if (!t.atom) return -most <= t.coefficient && t.coefficient <= most;
           if (t.coefficient < -16 || t.coefficient > 16 || !t.atom.is_name()) return false;
           if (sizes_.contains(t.atom.var())) return true;
           auto found = extents_.find(t.atom.var());
           return found != extents_.end() && found->second != e && is_small(found->second);
         });
}

bool IndexAlgebra::is_not_negative(Expr e, int facts) const {
  std::vector<Term> terms;
  collect(e, 1, terms);
  const bool sum_of_such = std::all_of(terms.begin(), terms.end(), [&](const Term& t) {
    if (t.coefficient < 0) return false;
    std::vector<Expr> factors;
    if (t.atom) collect_factors(t.atom, factors);
    return std::all_of(factors.begin(), factors.end(), [&](Expr f) {
      return f.is_name() && (extents_.contains(f.var()) || sizes_.contains(f.var()));
    });
  });
  if (sum_of_such) return true;
  if (facts == 0 || !is_small(e)) return false;
  // A fact has the same first atom as what follows from it; so it is with the rest, which other facts prove:
  // i + l < n follows from i < n - k + 1 and l < k. Of indices that it does not mention there may be none:
  // that 0 < n does not follow from 0 <= i and i < n.
  const auto about = facts_about_.find(first_atom(e));
  return about != facts_about_.end() && std::ranges::any_of(about->second, [&](Expr fact) {
           if (!mentions_indices_of(e, fact)) return false;
           const Expr rest = e - fact;
           return rest.is_constant() ? value(rest) >= 0 : is_not_negative(rest, facts - 1);
         });
}

bool IndexAlgebra::mentions_indices_of(Expr e, Expr fact) const {
  std::vector<Term> terms;
  collect(fact, 1, terms);
  return std::ranges::all_of(terms, [&](const Term& t) {
    return !t.atom || !t.atom.is_name() || !extents_.contains(t.atom.var()) ||
           scalar::mentions(e, t.atom.var());
  });
}

std::optional<IndexAlgebra::Split> IndexAlgebra::split(Expr dividend, Expr divisor, int depth) const {
  if (depth > deepest || scalar::can_fail(dividend)) return {};
  std::vector<Term> terms;
  collect(dividend, 1, terms);
  Expr quotient = arena_.i64(0), remainder = arena_.i64(0);
  auto add = [&](Expr& sum, Expr e, std::int64_t factor) { sum = sum + e * factor; };
  for (const Term& t : terms) {
    const Expr atom = t.atom ? t.atom : arena_.i64(1);
    if (divisor.is_constant()) {
      const std::int64_t d = value(divisor);
      if (d <= 0) return {};
      if (!t.atom) {
        const std::int64_t rest = ((t.coefficient % d) + d) % d;
        add(quotient, atom, (t.coefficient - rest) / d);
        add(remainder, atom, rest);
      } else {
        add(t.coefficient % d == 0 ? quotient : remainder, atom,
            t.coefficient % d == 0 ? t.coefficient / d : t.coefficient);
      }
      continue;
    }
    std::vector<Expr> above, below, common;
    collect_factors(atom, above);
    collect_factors(divisor, below);
    if (cancel(above, below, common)) {
      const Expr rest = product(arena_, above);
      if (below.empty()) {
        add(quotient, rest, t.coefficient);
        continue;
      }
      if (auto inner = split(rest, product(arena_, below), depth + 1)) {
        add(quotient, inner->quotient, t.coefficient);
        add(remainder, inner->remainder * product(arena_, common), t.coefficient);
        continue;
      }
    }
    add(remainder, atom, t.coefficient);
  }
  // Division truncates: of a negative dividend it would be one more. A dividend of other names than indices
  // and sizes may wrap around, even where it is a multiple of the divisor.
  const bool exact = remainder.is_constant(0);
  if (is_not_negative(quotient) && (exact || is_below(remainder, divisor, depth + 1)))
    return Split{quotient, remainder};
  return {};
}

bool IndexAlgebra::is_below(Expr e, Expr limit, int depth) const {
  if (depth > deepest) return false;
  if (e.is_name()) {
    auto found = extents_.find(e.var());
    if (found != extents_.end() && found->second == limit) return true;
  }
  if (limit.is_constant()) {
    const auto most = greatest(e);
    if (most && *most < value(limit)) return true;
  }
  if (depth == 0 && is_not_negative(e) && is_small(limit) && is_small(e) && is_not_negative(limit - e - 1))
    return true;
  // c * q + r with q < b and r < c is below b * c.
  std::vector<Expr> factors;
  collect_factors(limit, factors);
  if (factors.size() < 2) return false;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    std::vector<Expr> others = factors;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const Expr outer = product(arena_, others);
    auto parts = split(e, factors[i], depth + 1);
    // A multiple of c has remainder 0, which is below c unless c is 0.
    if (!parts || (parts->remainder.is_constant(0) && !is_below(arena_.i64(0), factors[i], depth + 1)))
      continue;
    if (is_below(parts->quotient, outer, depth + 1)) return true;
  }
  return false;
}

std::optional<std::int64_t> IndexAlgebra::greatest(Expr e) const {
  std::vector<Term> terms;
  collect(e, 1, terms);
  std::int64_t total = 0;
  for (const Term& t : terms) {
    if (t.coefficient < 0) return {};
    std::int64_t most = 1;
    if (t.atom) {
      if (!t.atom.is_name()) return {};
      auto found = extents_.find(t.atom.var());
      if (found == extents_.end() || !found->second.is_constant()) return {};
      most = value(found->second) - 1;
      if (most < 0) return {};
    }
    if (__builtin_mul_overflow(most, t.coefficient, &most) || __builtin_add_overflow(total, most, &total))
      return {};
  }
  return total;
}

}  // namespace fulgurite::simplify
