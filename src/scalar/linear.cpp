// Sums of i64 in canonical form: terms `coefficient * atom` in the order of the atoms' numbers, positive ones
// first, the constant last. Wrapping arithmetic is a ring, so that collecting terms is exact, and sizes that
// are written differently
// ((n - 1) - 0 and n - 1) become one node. Index arithmetic of nested blocks, (x / c) * c + x % c, becomes x
// again.
#include <algorithm>

#include "scalar/formula.h"
#include "scalar/intern.h"
#include "scalar/value.h"

namespace fulgurite::scalar {
namespace {

// Longer sums stay as they were written: to collect their terms again for each sum within would be quadratic.
constexpr std::size_t most_terms = 24;

struct Term {
  Expr atom;
  std::uint64_t coefficient;
};

struct Sum {
  std::vector<Term> terms;  // in order of atom number, no coefficient 0
  std::uint64_t constant = 0;
  bool lost_failure = false;  // a term that may fail has cancelled

  void add(Expr atom, std::uint64_t coefficient) {
    auto place = std::lower_bound(terms.begin(), terms.end(), atom,
                                  [](const Term& t, Expr e) { return t.atom.id() < e.id(); });
    if (place == terms.end() || place->atom != atom) place = terms.insert(place, {atom, 0});
    place->coefficient += coefficient;
    if (place->coefficient != 0) return;
    lost_failure = lost_failure || can_fail(atom);
    terms.erase(place);
  }
  void add(const Sum& other, std::uint64_t factor) {
    constant += factor * other.constant;
    for (const Term& t : other.terms) add(t.atom, factor * t.coefficient);
    lost_failure = lost_failure || other.lost_failure;
  }
};

bool is_negative(std::uint64_t coefficient) {
  return static_cast<std::int64_t>(coefficient) < 0;
}

/// An operand's terms. Canonical sums lean left, so the walk goes along one spine; a long or foreign one is
/// an atom.
Sum collect(Expr e) {
  Sum sum;
  Expr spine = e;
  std::uint64_t factor = 1;
  for (std::size_t n = 0; n <= most_terms; ++n) {
    auto leaf = [&](Expr x, std::uint64_t f) {
      if (x.is_constant()) {
        sum.constant += f * x.bits();
        return true;
      }
      if (x.op() == Op::mul && x.arg(1).is_constant()) {
        sum.add(x.arg(0), f * x.arg(1).bits());
        return true;
      }
      if (x.op() == Op::neg) {
        sum.add(x.arg(0), 0 - f);
        return true;
      }
      if (x.op() == Op::add || x.op() == Op::sub) return false;
      sum.add(x, f);
      return true;
    };
    if (leaf(spine, factor)) return sum;
    const Expr right = spine.arg(1);
    if (!leaf(right, spine.op() == Op::add ? factor : 0 - factor))
      sum.add(right, spine.op() == Op::add ? factor : 0 - factor);
    spine = spine.arg(0);
  }
  Sum whole;
  whole.add(e, 1);
  return whole;
}

/// k * (x / m) * m + k * (x % m) -> k * x, for divisors that cannot be 0.
void join_quotients(Sum& sum) {
  for (std::size_t r = 0; r < sum.terms.size(); ++r) {
    const Expr rem = sum.terms[r].atom;
    if (rem.op() != Op::rem || rem.site() != 0 || can_fail(rem.arg(1))) continue;
    const Expr x = rem.arg(0), m = rem.arg(1);
    const std::uint64_t k = sum.terms[r].coefficient;
    auto is_quotient = [&](Expr q) {
      return q.op() == Op::div && q.site() == 0 && q.arg(0) == x && q.arg(1) == m;
    };
    auto matches = [&](const Term& t) {
      if (m.is_constant()) return is_quotient(t.atom) && t.coefficient == k * m.bits();
      return t.atom.op() == Op::mul && t.coefficient == k &&
             ((is_quotient(t.atom.arg(0)) && t.atom.arg(1) == m) ||
              (is_quotient(t.atom.arg(1)) && t.atom.arg(0) == m));
    };
    auto found = std::find_if(sum.terms.begin(), sum.terms.end(), matches);
    if (found == sum.terms.end()) continue;
    const Expr product = found->atom;
    std::erase_if(sum.terms, [&](const Term& t) { return t.atom == rem || t.atom == product; });
    sum.add(collect(x), k);
    r = static_cast<std::size_t>(-1);  // start again: x may be a sum
  }
}

Expr multiple(Interner& in, Expr atom, std::uint64_t coefficient) {
  if (coefficient == 1) return atom;
  return in.intern(Op::mul, Type{}, {atom, in.arena().constant(Kind::i64, coefficient)});
}

Expr build(Interner& in, const Sum& sum) {
  Expr result;
  for (const Term& t : sum.terms) {
    if (is_negative(t.coefficient)) continue;
    const Expr term = multiple(in, t.atom, t.coefficient);
    result = result ? in.intern(Op::add, Type{}, {result, term}) : term;
  }
  std::uint64_t constant = sum.constant;
  for (const Term& t : sum.terms) {
    if (!is_negative(t.coefficient)) continue;
    if (!result && constant == 0) {
      result = t.coefficient == ~std::uint64_t{0} ? in.intern(Op::neg, Type{}, {t.atom})
                                                  : multiple(in, t.atom, t.coefficient);
      continue;
    }
    if (!result) {
      result = in.arena().constant(Kind::i64, constant);
      constant = 0;
    }
    result = in.intern(Op::sub, Type{}, {result, multiple(in, t.atom, 0 - t.coefficient)});
  }
  const Expr last = in.arena().constant(Kind::i64, constant);
  if (!result) return last;
  return constant == 0 ? result : in.intern(Op::add, Type{}, {result, last});
}

}  // namespace

std::optional<Expr> fold_linear(Interner& in, Op op, std::span<const Expr> args) {
  Sum sum;
  if (op == Op::mul) {
    if (!args[1].is_constant()) return {};
    const Sum factor = collect(args[0]);
    // Products of longer sums stay: distributing would cost multiplications.
    if (factor.terms.size() > 1) {
      if (args[1].is_constant(1)) return args[0];
      if (args[1].is_constant(0) || args[1].is_constant(-1))
        sum.add(factor, args[1].bits());
      else
        return {};
    } else {
      sum.add(factor, args[1].bits());
    }
  } else if (op == Op::neg) {
    sum.add(collect(args[0]), ~std::uint64_t{0});
  } else {
    sum = collect(args[0]);
    sum.add(collect(args[1]), op == Op::add ? 1 : ~std::uint64_t{0});
  }
  join_quotients(sum);
  if (sum.lost_failure || sum.terms.size() > most_terms) return {};
  return build(in, sum);
}

std::optional<Expr> fold_linear_equality(Interner& in, Op op, Expr a, Expr b) {
  Sum difference = collect(a);
  difference.add(collect(b), ~std::uint64_t{0});
  join_quotients(difference);
  if (difference.lost_failure) return {};
  if (difference.terms.empty()) return in.arena().boolean((difference.constant == 0) == (op == Op::eq));
  if (is_negative(difference.terms.front().coefficient)) {
    Sum opposite;
    opposite.add(difference, ~std::uint64_t{0});
    difference = opposite;
  }
  Sum left, right;
  for (const Term& t : difference.terms)
    is_negative(t.coefficient) ? right.add(t.atom, 0 - t.coefficient) : left.add(t.atom, t.coefficient);
  right.constant = 0 - difference.constant;
  Expr x = build(in, left), y = build(in, right);
  if (!y.is_constant() && y.id() < x.id()) std::swap(x, y);
  return in.intern(op, {Kind::boolean, 0, 1}, {x, y});
}

}  // namespace fulgurite::scalar
