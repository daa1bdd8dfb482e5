#include "soac/digits.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "scalar/width.h"

namespace fulgurite::soac {

using scalar::Op;

namespace {

constexpr int point_bits = 47;  // no space has more points

// Constants that are small beside the greatest integer.
bool leaves_room(Expr wanted, Expr coefficient, int bits) {
  constexpr std::uint64_t most = std::uint64_t{1} << (63 - point_bits);
  return bits == 64 && wanted.is_constant() && coefficient.is_constant() && coefficient.bits() <= most &&
         wanted.bits() <= coefficient.bits();
}

// A constant whose multiples by the numbers of all points differ modulo 2^bits.
bool is_unit(Expr coefficient, int bits) {
  if (!coefficient.is_constant() || coefficient.is_constant(0)) return false;
  const int zeros = std::countr_zero(coefficient.bits());
  return bits == 64 ? zeros + point_bits < 64 : zeros == 0;
}

}  // namespace

bool is_wide(Kind kind) {
  return scalar::is_integer(kind) && bits_of(kind) >= 32;
}

bool Digits::varies(Expr e) const {
  Vars mentioned;
  add_mentioned(std::span(&e, 1), mentioned);
  return std::ranges::any_of(mentioned, [&](Var v) { return variant_.contains(v); });
}

bool Digits::tells_apart(Expr e) const {
  const std::optional<Sum> sum = sum_of(e);
  return sum && is_one_to_one(*sum);
}

// Nothing if there is something else in it.
std::optional<Digits::Sum> Digits::sum_of(Expr e) const {
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
          known->coefficient = known->coefficient + term.coefficient;
      }
      sum->bits = std::min(sum->bits, other->bits);
      break;
    }
    case Op::mul: {
      const bool left = varies(e.arg(0));
      if (left && varies(e.arg(1))) return {};
      sum = sum_of(e.arg(left ? 0 : 1));
      if (sum) scale(*sum, cast(e.arg(left ? 1 : 0), Kind::i64));
      break;
    }
    default: return {};
  }
  if (sum) sum->bits = std::min(sum->bits, bits_of(e.kind()));
  return sum;
}
void Digits::scale(Sum& sum, Expr factor) const {
  for (Sum::Term& term : sum.terms) term.coefficient = term.coefficient * factor;
}

// How many values the atom has, from 0 on. A quotient needs a count that makes it one axis of two: n = count
// * d.
Expr Digits::count_of(Expr atom) const {
  if (atom.op() == Op::rem) return sizes_.canonical(atom.arg(1));
  const auto param = std::ranges::find(params_, atom.var());
  return dims_[static_cast<std::size_t>(param - params_.begin())];
}

// Different points, different sums: the terms are the digits of the point's number, times a constant, in
// one of their orders.
bool Digits::is_one_to_one(const Sum& sum) const {
  constexpr std::size_t most_terms = 4;
  std::vector<Sum::Term> terms;
  for (const Sum::Term& term : sum.terms)
    if (!term.atom.is_name() || !count_of(term.atom).is_constant(1)) terms.push_back(term);
  if (!has_all_digits(terms) || terms.size() > most_terms) return false;
  if (terms.empty()) return true;  // of one point
  std::vector<std::size_t> order(terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    std::vector<Sum::Term> ordered;
    for (std::size_t k : order) ordered.push_back(terms[k]);
    if (are_digits(ordered, sum.bits)) return true;
  } while (std::ranges::next_permutation(order).found);
  return false;
}

// From the lowest on: each coefficient is the one before times how many values the digit before has.
bool Digits::are_digits(const std::vector<Sum::Term>& terms, int bits) const {
  if (!is_unit(terms[0].coefficient, bits)) return false;
  for (std::size_t k = 0; k + 1 < terms.size(); ++k) {
    const Sum::Term &low = terms[k], &high = terms[k + 1];
    if (low.atom.op() == Op::div) {
      // A quotient below the remainder has as many values as the remainder's coefficient.
      return low.coefficient.is_constant(1) &&
             sizes_.canonical(high.coefficient * low.atom.arg(1)) == dims_[0];
    }
    const Expr wanted = low.coefficient * count_of(low.atom);
    if (!is_plus_or_minus(high.coefficient, wanted) && !leaves_room(wanted, high.coefficient, bits))
      return false;
  }
  return true;
}

// All axes of the space, or the quotient and the remainder of its one index by one divisor.
bool Digits::has_all_digits(const std::vector<Sum::Term>& terms) const {
  const auto has = [&](Expr atom) { return std::ranges::find(terms, atom, &Sum::Term::atom) != terms.end(); };
  if (terms.size() == 2 && !terms[0].atom.is_name()) {
    const Expr a = terms[0].atom, b = terms[1].atom;
    return !b.is_name() && a.op() != b.op() && a.arg(0) == b.arg(0) && a.arg(1) == b.arg(1);
  }
  if (std::ranges::any_of(terms, [](const Sum::Term& t) { return !t.atom.is_name(); })) return false;
  for (std::size_t d = 0; d < params_.size(); ++d)
    if (!dims_[d].is_constant(1) && !has(arena_.name(params_[d]))) return false;
  return true;
}

bool Digits::is_plus_or_minus(Expr coefficient, Expr stride) const {
  const Expr a = sizes_.canonical(coefficient), b = sizes_.canonical(stride);
  return a == b || a == sizes_.canonical(stride * -1) || sizes_.canonical(coefficient * -1) == b;
}

// Every axis of the space moves an index of its own, and alone.
bool Digits::moves_each_axis(std::span<const Expr> places) const {
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

}  // namespace fulgurite::soac
