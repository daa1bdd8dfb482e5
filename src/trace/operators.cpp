#include "trace/operators.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "scalar/value.h"
#include "soac/rename.h"

namespace fulgurite::trace {

namespace {

scalar::Bits neutral_of(Op op, scalar::Kind kind) {
  switch (op) {
    case Op::add:
    case Op::bit_or: return scalar::zero(kind);
    case Op::mul:
    case Op::bit_and: return scalar::one(kind);  // of booleans
    case Op::min: return scalar::highest(kind);
    case Op::max: return scalar::lowest(kind);
    default: break;
  }
  FULGURITE_CHECK(false, "no neutral element of {}", scalar::info(op).name);
  return 0;
}

// Whether x op it == x, bit for bit.
Expr exact_neutral(Arena& arena, Op op, scalar::Kind kind) {
  const bool is_float = scalar::is_float(kind);
  const auto of_float = [&](double value) {
    return cast(arena.constant(scalar::Kind::f64, scalar::to_bits(value)), kind);
  };
  switch (op) {
    case Op::add: return is_float ? of_float(-0.0) : arena.constant(kind, scalar::zero(kind));
    case Op::mul: return arena.constant(kind, scalar::one(kind));
    case Op::min:
    case Op::max:
      if (is_float) return of_float(std::numeric_limits<double>::quiet_NaN());
      return arena.constant(kind, op == Op::min ? scalar::highest(kind) : scalar::lowest(kind));
    case Op::bit_and: return cast(arena.i64(-1), kind);
    case Op::bit_or:
    case Op::bit_xor: return arena.constant(kind, scalar::zero(kind));
    default: break;
  }
  FULGURITE_CHECK(false, "no neutral element of {}", scalar::info(op).name);
  return {};
}

}  // namespace

bool is_known_commutative(const soac::Lambda& op) {
  const std::size_t k = op.results.size();
  if (!op.body.empty() || op.params.size() != 2 * k) return false;
  for (std::size_t i = 0; i < k; ++i) {
    const Expr e = op.results[i];
    const scalar::OpInfo& row = scalar::info(e.op());
    if (!row.has('c') || !row.has('a') || e.args().size() != 2) return false;
    if (!e.arg(0).is_name() || !e.arg(1).is_name()) return false;
    const Var a = e.arg(0).var(), b = e.arg(1).var(), left = op.params[i], right = op.params[k + i];
    if (!(a == left && b == right) && !(a == right && b == left)) return false;
  }
  return true;
}

Exprs known_neutral(Arena& arena, const soac::Lambda& op) {
  if (!is_known_commutative(op)) return {};
  Exprs neutral;
  for (Expr e : op.results) neutral.push_back(exact_neutral(arena, e.op(), e.kind()));
  return neutral;
}

std::vector<scalar::Kind> kinds_of(std::span<const Expr> exprs) {
  std::vector<scalar::Kind> kinds;
  for (Expr e : exprs) kinds.push_back(e.kind());
  return kinds;
}

bool may_be_joined_again(Arena& arena, const soac::Lambda& op, std::span<const Expr> initial) {
  if (is_known_commutative(op)) {
    const auto may_be = [&](Expr result, Expr begin) {
      const Op by = result.op();
      if (by == Op::min || by == Op::max || by == Op::bit_and || by == Op::bit_or) return true;
      const scalar::Kind kind = result.kind();
      const bool is_zero = begin == arena.constant(kind, scalar::zero(kind));
      return begin == exact_neutral(arena, by, kind) || (by == Op::add && is_zero);
    };
    return std::ranges::equal(op.results, initial, may_be);
  }
  Exprs operands;
  for (std::size_t k = 0; k < initial.size(); ++k) operands.push_back(arena.name(op.params[k]));
  const Exprs left = operands;
  operands.insert(operands.end(), initial.begin(), initial.end());
  return op.body.empty() && soac::apply(arena, op, operands).results == left;
}

soac::Reduction reduction(Tracer& t, const Operator& given, std::span<const scalar::Kind> kinds,
                          Exprs neutral, Exprs initial, const Here& where) {
  soac::Lambda lambda = operation(t, kinds, given.origin, where, [&](Exprs operands) {
    if (given.flipped)
      std::rotate(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(kinds.size()),
                  operands.end());
    return t.exprs(given.op(t.values(operands)), where);
  });
  const bool commutative = given.commutative || is_known_commutative(lambda);
  if (neutral.empty()) neutral = known_neutral(t.arena(), lambda);
  return {std::move(lambda), std::move(neutral), std::move(initial), commutative};
}

soac::Reduction copied(Arena& arena, const soac::Reduction& r) {
  soac::Renaming copy(arena, soac::Renaming::Binders::fresh);
  return {copy(r.op), r.neutral, r.initial, r.commutative};
}

soac::Reduction known_reduction(Tracer& t, Op op, scalar::Kind kind, const char* origin, const Here& where) {
  soac::Lambda lambda = operation(t, {{kind}}, origin, where, [&](const Exprs& ab) {
    return Exprs{t.arena().apply(op, {ab[0], ab[1]})};
  });
  return {std::move(lambda), {t.arena().constant(kind, neutral_of(op, kind))}, {}, true};
}

}  // namespace fulgurite::trace
