#include "simplify/index_algebra.h"

#include <algorithm>

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

void collect_factors(Expr e, std::vector<Expr>& factors) {
  if (e.op() != Op::mul) return factors.push_back(e);
  collect_factors(e.arg(0), factors);
  collect_factors(e.arg(1), factors);
}

Expr product(Arena& arena, const std::vector<Expr>& factors) {
  Expr result = arena.i64(1);
  for (Expr f : factors) result = arena.mul(result, f);
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

std::optional<IndexAlgebra::Split> IndexAlgebra::split(Expr dividend, Expr divisor, int depth) const {
  if (depth > deepest || scalar::can_fail(dividend)) return {};
  std::vector<Term> terms;
  collect(dividend, 1, terms);
  Expr quotient = arena_.i64(0), remainder = arena_.i64(0);
  auto add = [&](Expr& sum, Expr e, std::int64_t factor) {
    sum = arena_.add(sum, arena_.mul(e, arena_.i64(factor)));
  };
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
        add(remainder, arena_.mul(inner->remainder, product(arena_, common)), t.coefficient);
        continue;
      }
    }
    add(remainder, atom, t.coefficient);
  }
  if (remainder.is_constant(0) || is_below(remainder, divisor, depth + 1)) return Split{quotient, remainder};
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
    return most && *most < value(limit);
  }
  // c * q + r with q < b and r < c is below b * c.
  std::vector<Expr> factors;
  collect_factors(limit, factors);
  if (factors.size() < 2) return false;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    std::vector<Expr> others = factors;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const Expr outer = product(arena_, others);
    auto parts = split(e, factors[i], depth + 1);
    if (parts && is_below(parts->quotient, outer, depth + 1)) return true;
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
