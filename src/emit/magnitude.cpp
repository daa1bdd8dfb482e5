#include "emit/magnitude.h"

#include <algorithm>
#include <bit>

#include "base/match.h"
#include "scalar/value.h"

namespace fulgurite::emit {
namespace {

using scalar::Expr;
using scalar::Kind;
using scalar::Op;

constexpr int of_sizes = 47;

int of_kind(Kind kind) {
  if (kind == Kind::boolean) return 0;
  const int width = 8 * static_cast<int>(scalar::size_of(kind));
  return scalar::is_signed(kind) ? width - 1 : width;
}

int of_constant(Expr e) {
  const std::uint64_t bits = e.bits();
  const bool is_negative = scalar::is_signed(e.kind()) && static_cast<std::int64_t>(bits) < 0;
  const std::uint64_t size = is_negative ? 0 - bits : bits;
  return size == 0 ? 0 : std::bit_width(size - 1);
}

}  // namespace

void Magnitudes::begin(const kernel::Kernel& kernel) {
  for (const kernel::Stm& s : kernel.body) {
    const auto* phase = base::as<kernel::Par>(s.op);
    if (!phase) continue;
    scalar::for_each_node(std::span(&phase->n, 1), [&](Expr e) {
      if (e.is_name() && e.kind() == Kind::i64) of_name_[e.var()] = of_sizes;
    });
  }
}

void Magnitudes::set(scalar::Var v, int bits) {
  of_name_[v] = bits;
}

void Magnitudes::set_counter(const kernel::For& loop) {
  const int begin = bits_of(loop.begin);
  const int rounds = std::max(begin, of_sizes + bits_of(loop.step)) + 1;
  set(loop.name, std::min({std::max(begin, bits_of(loop.end)), rounds, of_kind(Kind::i64)}));
}

int Magnitudes::bits_of(Expr e) {
  if (!scalar::is_integer(e.kind())) return of_kind(e.kind());
  // Operands before what uses them: expressions may be deep.
  scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
    if (of_node_.contains(node.id()) || !scalar::is_integer(node.kind())) return;
    const int bits = unlimited(node), limit = of_kind(node.kind());
    of_node_[node.id()] = bits < limit ? bits : limit;
  });
  return of_node_.at(e.id());
}

bool Magnitudes::fits(Expr e) {
  if (!scalar::is_integer(e.kind())) return false;
  bits_of(e);
  return unlimited(e) < of_kind(e.kind());
}

int Magnitudes::unlimited(Expr e) {
  const auto operand = [&](std::size_t i) {
    const auto known = of_node_.find(e.arg(i).id());
    return known == of_node_.end() ? of_kind(e.arg(i).kind()) : known->second;
  };
  const int anything = of_kind(e.kind());
  const bool is_unsigned = !scalar::is_signed(e.kind());  // what is below 0 becomes large
  switch (e.op()) {
    case Op::constant: return of_constant(e);
    case Op::name: {
      const auto known = of_name_.find(e.var());
      return known == of_name_.end() ? anything : known->second;
    }
    case Op::add: return std::max(operand(0), operand(1)) + 1;
    case Op::sub: return is_unsigned ? anything : std::max(operand(0), operand(1)) + 1;
    case Op::mul: return operand(0) + operand(1);
    case Op::neg:
    case Op::abs: return is_unsigned ? anything : operand(0);
    case Op::div: {
      const bool is_shift = e.arg(1).is_constant() && std::has_single_bit(e.arg(1).bits());
      return is_shift ? std::max(0, operand(0) - of_constant(e.arg(1))) : operand(0);
    }
    case Op::ceil_div: return operand(0);
    case Op::rem: return std::min(operand(0), operand(1));
    case Op::shr: {
      const bool is_known = e.arg(1).is_constant() && e.arg(1).bits() < 64;
      return is_known ? std::max(0, operand(0) - static_cast<int>(e.arg(1).bits())) : operand(0);
    }
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor: return std::max(operand(0), operand(1)) + 1;
    case Op::min:
    case Op::max: return std::max(operand(0), operand(1));
    case Op::select: return std::max(operand(1), operand(2));
    case Op::cast: {
      const Kind from = e.arg(0).kind();
      const bool may_become_large = is_unsigned && scalar::is_signed(from);
      return scalar::is_float(from) || may_become_large ? anything : operand(0);
    }
    default: return anything;
  }
}

}  // namespace fulgurite::emit
