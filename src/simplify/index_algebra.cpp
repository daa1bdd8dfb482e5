#include "simplify/index_algebra.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace fulgurite::simplify {
namespace {

using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Type;

constexpr int deepest = 8;  // of proofs: index expressions are a handful of axes
constexpr std::size_t most_terms = 16;
constexpr std::int64_t most_coefficient = 16, most_constant = std::int64_t{1} << 40;
constexpr double most_magnitude = 0x1p60;

std::int64_t value(Expr constant) {
  return static_cast<std::int64_t>(constant.bits());
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
    } else if (may_miss(result)) {
      const auto indices = result.args().subspan(1);
      const scalar::Axes known = result.inside();
      const scalar::Axes proven = known | inside(result);
      const bool is_whole = std::cmp_equal(std::popcount(proven), indices.size());
      result = is_whole ? arena_.index(result.arg(0), indices)
                        : arena_.index(result.arg(0), indices, result.site(), proven);
    }
    memo_.emplace(e, result);
  });
  return memo_.at(root);
}

bool IndexAlgebra::is_inside(Expr index) const {
  return std::cmp_equal(std::popcount(inside(index)), index.args().size() - 1);
}

scalar::Axes IndexAlgebra::inside(Expr index) const {
  const std::vector<Expr> shape = arena_.info(index.arg(0).var()).shape;
  scalar::Axes axes = 0;
  for (std::size_t axis = 0; axis < std::min(shape.size(), scalar::most_axes); ++axis) {
    const Expr extent = canonical_ ? canonical_(shape[axis]) : shape[axis];
    if (is_below(index.arg(axis + 1), extent)) axes |= scalar::Axes{1} << axis;
  }
  return axes;
}

void IndexAlgebra::range(scalar::Var var, Expr extent) {
  if (extent.is_name()) size(extent.var());
  iterations(var, extent);
}

void IndexAlgebra::iterations(scalar::Var var, Expr trips) {
  extents_.insert_or_assign(var, trips);
  // An index below max(n, 0) is below n.
  if (trips.op() == Op::max && trips.arg(1).is_constant(0)) trips = trips.arg(0);
  const Sum limit(trips);
  if (!is_exact_extent(limit)) return;
  const Sum index(arena_.name(var));
  add_fact(index);
  add_fact(limit.plus(-1, index).plus(-1, Sum(arena_.i64(1))));
  for (const Term& t : limit.terms()) add_quotient(t.atom);
}

void IndexAlgebra::size(scalar::Var name) {
  if (sizes_.insert(name).second) names_of_sizes_.push_back(name);
}

void IndexAlgebra::learn(Expr condition) {
  const std::size_t n_facts = atoms_of_facts_.size();
  assume(condition);
  if (atoms_of_facts_.size() == n_facts) return;
  memo_.clear();
  n_learned_ = atoms_of_facts_.size();
}

// c * (d / c) <= d, for d >= 0.
void IndexAlgebra::add_quotient(Expr e) {
  if (!e || !divides_by_constant(e) || !is_small(e)) return;
  const Sum dividend(e.arg(0));
  if (is_not_negative(dividend)) add_fact(dividend.plus(-value(e.arg(1)), Sum(e)));
}

void IndexAlgebra::add_fact(Sum fact) {
  if (fact.first() == nullptr || !is_linear(fact)) return;
  const Expr atom = fact.first()->atom;
  facts_about_[atom].push_back(std::move(fact));
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
IndexAlgebra::Scope::~Scope() {
  for (; algebra_.atoms_of_facts_.size() > n_facts_; algebra_.atoms_of_facts_.pop_back())
    algebra_.facts_about_.find(algebra_.atoms_of_facts_.back())->second.pop_back();
  const bool is_known_outside =
      algebra_.n_learned_ <= n_facts_ && algebra_.names_of_sizes_.size() == n_sizes_;
  for (; algebra_.names_of_sizes_.size() > n_sizes_; algebra_.names_of_sizes_.pop_back())
    algebra_.sizes_.erase(algebra_.names_of_sizes_.back());
  if (is_known_outside) return;
  algebra_.n_learned_ = std::min(algebra_.n_learned_, n_facts_);
  algebra_.memo_.clear();
}

// a < b and a <= b of i64: by how much b is more, which is not negative where it holds. Absent: a bound may
// wrap around, or it is something else.
std::optional<Sum> IndexAlgebra::more_of(Expr comparison) const {
  const bool is_strict = comparison.op() == Op::lt;
  if ((!is_strict && comparison.op() != Op::le) || comparison.arg(0).type() != Type{}) return {};
  const Sum a(comparison.arg(0)), b(comparison.arg(1));
  if (!is_exact(a) || !is_exact(b)) return {};
  return b.plus(-1, a).plus(is_strict ? -1 : 0, Sum(arena_.i64(1)));
}

void IndexAlgebra::assume(Expr condition) {
  if (condition.op() == Op::bit_and) {
    assume(condition.arg(0));
    assume(condition.arg(1));
  } else if (auto more = more_of(condition)) {
    add_fact(*std::move(more));
  }
}

Expr IndexAlgebra::simpler(Expr condition) const {
  if (condition.op() == Op::bit_and) {
    const Expr a = simpler(condition.arg(0)), b = simpler(condition.arg(1));
    return a & b;
  }
  const auto more = more_of(condition);
  if (!more) return condition;
  if (is_not_negative(*more)) return arena_.boolean(true);
  const Expr rest = more->atom();
  return rest ? Expr(0 <= rest) : condition;
}

bool IndexAlgebra::is_linear(const Sum& sum) const {
  return sum.terms().size() <= most_terms && std::ranges::all_of(sum.terms(), [](const Term& t) {
           const std::int64_t most = t.atom ? most_coefficient : most_constant;
           return -most <= t.coefficient && t.coefficient <= most;
         });
}

// It is 2^64 for what is not known. Extents are at most 2^47.
double IndexAlgebra::magnitude(Expr atom) const {
  constexpr double unknown = 0x1p64;
  if (atom.is_name()) {
    if (sizes_.contains(atom.var())) return 0x1p47;
    const auto found = extents_.find(atom.var());
    const bool is_index = found != extents_.end() && !mentions(found->second, atom.var());
    return is_index ? magnitude(Sum(found->second)) : unknown;
  }
  if (atom.op() == Op::cast)
    return is_integer(atom.arg(0).kind()) && size_of(atom.arg(0).kind()) < 8 ? 0x1p32 : unknown;
  return divides_by_constant(atom) ? magnitude(Sum(atom.arg(0))) : unknown;
}

double IndexAlgebra::magnitude(const Sum& sum) const {
  double all = 0;
  for (const Term& t : sum.terms())
    all += std::abs(static_cast<double>(t.coefficient)) * (t.atom ? magnitude(t.atom) : 1);
  return all;
}

// Whether no sum of a few of such things wraps around.
bool IndexAlgebra::is_small(const Sum& sum) const {
  return is_linear(sum) && magnitude(sum) <= most_magnitude;
}
bool IndexAlgebra::is_small(Expr atom) const {
  return magnitude(atom) <= most_magnitude;
}

// From below: at most one atom may be any number, and no other term is negative. From above: a fact bounds
// it.
bool IndexAlgebra::is_exact(const Sum& sum) const {
  if (sum.atom() || is_small(sum)) return true;
  const auto is_any = [&](const Term& t) {
    return t.coefficient < 0 || (t.atom && !is_not_negative(t.atom));
  };
  const auto is_large = [&](const Term& t) { return t.atom && !is_small(t.atom); };
  const auto any = std::ranges::find_if(sum.terms(), is_any);
  const auto large = std::ranges::find_if(sum.terms(), is_large);
  if (std::ranges::count_if(sum.terms(), is_any) > 1 || large == sum.terms().end()) return false;
  if (any != sum.terms().end() && any->coefficient != 1) return false;
  return std::ranges::any_of(facts_about_, [&](const auto& facts) {
    return std::ranges::any_of(facts.second, [&](const Sum& fact) {
      const bool has_it = std::ranges::any_of(fact.terms(), [&](const Term& t) {
        return t.atom == large->atom && t.coefficient == -large->coefficient;
      });
      return has_it && is_small(sum.plus(1, fact));
    });
  });
}

// The value of an extent is not negative. With r >= 0, neither can r + w wrap around for it, nor r - 1 - w.
bool IndexAlgebra::is_exact_extent(const Sum& sum) const {
  if (sum.atom() || is_small(sum)) return true;
  const auto is_large = [&](const Term& t) { return t.atom && !is_small(t.atom); };
  const auto large = std::ranges::find_if(sum.terms(), is_large);
  if (large == sum.terms().end() || (large->coefficient != 1 && large->coefficient != -1)) return false;
  const Sum rest = sum.plus(-1, Sum(std::vector<Term>{*large}));
  return is_small(rest) && is_not_negative(rest.plus(large->coefficient < 0 ? 1 : 0, Sum(arena_.i64(1))));
}

bool IndexAlgebra::divides_by_constant(Expr e) {
  return e.op() == Op::div && e.type() == Type{} && e.arg(1).is_constant() && value(e.arg(1)) > 0;
}

// A product might wrap around though none of its factors is negative. Facts about a dividend may mention the
// quotient, so that none is asked.
bool IndexAlgebra::is_not_negative(Expr atom) const {
  if (atom.is_name()) return extents_.contains(atom.var()) || sizes_.contains(atom.var());
  if (atom.op() == Op::cast) {
    const scalar::Kind from = atom.arg(0).kind();
    return is_integer(from) && !is_signed(from) && size_of(from) < 8;
  }
  return divides_by_constant(atom) && is_not_negative(Sum(atom.arg(0)), 0);
}

bool IndexAlgebra::is_not_negative(const Sum& sum, int facts) const {
  const bool sum_of_such = std::ranges::all_of(
      sum.terms(), [&](const Term& t) { return t.coefficient > 0 && (!t.atom || is_not_negative(t.atom)); });
  if (sum_of_such) return true;
  if (facts == 0 || sum.first() == nullptr || !is_linear(sum)) return false;
  // A fact has the same first atom as what follows from it; so it is with the rest, which other facts prove:
  // i + l < n follows from i < n - k + 1 and l < k. Of indices that it does not mention there may be none:
  // that 0 < n does not follow from 0 <= i and i < n.
  const auto about = facts_about_.find(sum.first()->atom);
  return about != facts_about_.end() && std::ranges::any_of(about->second, [&](const Sum& fact) {
           const std::int64_t times = sum.first()->coefficient / fact.first()->coefficient;
           if (times <= 0 || sum.first()->coefficient % fact.first()->coefficient != 0) return false;
           return mentions_indices_of(sum, fact) && is_not_negative(sum.plus(-times, fact), facts - 1);
         });
}

bool IndexAlgebra::is_sum_of_products(Expr e) const {
  const Sum sum(e);
  if (is_not_negative(sum)) return true;
  return std::ranges::all_of(sum.terms(), [&](const Term& t) {
    std::vector<Expr> factors;
    if (t.atom) collect_factors(t.atom, factors);
    return t.coefficient > 0 && std::ranges::all_of(factors, [&](Expr f) { return is_not_negative(f); });
  });
}

bool IndexAlgebra::mentions_indices_of(const Sum& sum, const Sum& fact) const {
  return std::ranges::all_of(fact.terms(), [&](const Term& t) {
    const bool is_index = t.atom && t.atom.is_name() && extents_.contains(t.atom.var());
    return !is_index || std::ranges::any_of(sum.terms(), [&](const Term& other) {
      return other.atom && scalar::mentions(other.atom, t.atom.var());
    });
  });
}

std::optional<IndexAlgebra::Split> IndexAlgebra::split(Expr dividend, Expr divisor, int depth) const {
  if (depth > deepest || scalar::can_fail(dividend)) return {};
  const std::vector<Term> terms = terms_of(dividend);
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
  if (is_sum_of_products(quotient) && (exact || is_below(remainder, divisor, depth + 1)))
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
  if (depth == 0 && is_below_by_facts(e, limit)) return true;
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

// As integers, the sum lies below the limit, whose value it is: so nothing wraps around.
bool IndexAlgebra::is_below_by_facts(Expr e, Expr limit) const {
  const Sum sum(e), most(limit);
  const Sum one(arena_.i64(1));
  if (!is_exact_extent(most)) return false;
  if (is_linear(sum) && is_not_negative(sum) && is_not_negative(most.plus(-1, sum).plus(-1, one)))
    return true;
  // d / c < limit where d < c * limit, for d >= 0.
  if (!divides_by_constant(e)) return false;
  const Sum dividend(e.arg(0)), times = Sum().plus(value(e.arg(1)), most);
  return is_small(times) && is_linear(dividend) && is_not_negative(dividend) &&
         is_not_negative(times.plus(-1, dividend).plus(-1, one));
}

std::optional<std::int64_t> IndexAlgebra::greatest(Expr e) const {
  const std::vector<Term> terms = terms_of(e);
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
