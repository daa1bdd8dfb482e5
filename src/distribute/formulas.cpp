#include "distribute/formulas.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace fulgurite::distribute {

using runtime::Formula;
using scalar::Expr, scalar::Kind;

std::optional<Formula::Op> formula_op(scalar::Op op, Kind kind) {
  using To = Formula::Op;
  switch (op) {
    case scalar::Op::add: return To::add;
    case scalar::Op::sub: return To::sub;
    case scalar::Op::mul: return To::mul;
    case scalar::Op::div: return To::div;
    case scalar::Op::rem: return To::rem;
    case scalar::Op::neg: return To::neg;
    case scalar::Op::abs: return To::abs;
    case scalar::Op::min: return To::min;
    case scalar::Op::max: return To::max;
    case scalar::Op::bit_and: return To::bit_and;
    case scalar::Op::bit_or: return To::bit_or;
    case scalar::Op::bit_xor: return To::bit_xor;
    case scalar::Op::bit_not: return kind == Kind::boolean ? To::logical_not : To::bit_not;
    case scalar::Op::shl: return To::shl;
    case scalar::Op::shr: return To::shr;
    case scalar::Op::eq: return To::eq;
    case scalar::Op::ne: return To::ne;
    case scalar::Op::lt: return To::lt;
    case scalar::Op::le: return To::le;
    case scalar::Op::clz: return To::leading_zeros;
    default: return std::nullopt;
  }
}

std::int64_t bits_of(Kind kind) {
  const auto bits = static_cast<std::int64_t>(8 * scalar::size_of(kind));
  return scalar::is_signed(kind) ? bits : -bits;
}

std::int64_t value_of(Expr constant) {
  const std::int64_t bits = bits_of(constant.kind());
  if (bits < 0 || bits == 64 || constant.kind() == Kind::boolean)
    return static_cast<std::int64_t>(constant.bits());
  return static_cast<std::int64_t>(constant.bits() << (64 - bits)) >> (64 - bits);
}

Step Formulas::step(const Formula& f) {
  const auto [known, is_new] =
      known_.try_emplace({f.op, f.a, f.b, f.c, f.value}, static_cast<Step>(to_.formulas.size()));
  if (is_new) to_.formulas.push_back(f);
  return known->second;
}

void keep_needed(runtime::PhaseFootprint& of_phase) {
  std::vector<Step> number(of_phase.formulas.size(), -1);
  for (const runtime::Touch& t : of_phase.touches)
    for (const Step of : {t.at, t.condition})
      if (of >= 0) number[static_cast<std::size_t>(of)] = 0;
  for (const Step of : of_phase.loops) number[static_cast<std::size_t>(of)] = 0;
  for (std::size_t k = of_phase.formulas.size(); k-- > 0;)
    if (number[k] == 0)
      for (const Step of : {of_phase.formulas[k].a, of_phase.formulas[k].b, of_phase.formulas[k].c})
        if (of >= 0) number[static_cast<std::size_t>(of)] = 0;
  std::vector<Formula> kept;
  for (std::size_t k = 0; k < of_phase.formulas.size(); ++k) {
    if (number[k] < 0) continue;
    Formula f = of_phase.formulas[k];
    for (Step* of : {&f.a, &f.b, &f.c})
      if (*of >= 0) *of = number[static_cast<std::size_t>(*of)];
    number[k] = static_cast<Step>(kept.size());
    kept.push_back(f);
  }
  for (runtime::Touch& t : of_phase.touches)
    for (Step* of : {&t.at, &t.condition})
      if (*of >= 0) *of = number[static_cast<std::size_t>(*of)];
  for (Step& of : of_phase.loops) of = number[static_cast<std::size_t>(of)];
  of_phase.formulas = std::move(kept);
}

}  // namespace fulgurite::distribute
