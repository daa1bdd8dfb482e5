#include "lower/gpu/updates.h"

#include <limits>

#include "lower/carry.h"

namespace fulgurite::lower::gpu {

using kernel::Atomic;
using scalar::Expr;
using scalar::Kind;
using scalar::Op;

std::optional<Atomic::What> atomic_of(const soac::Scatter& scatter) {
  if (scatter.combine.empty()) return {};
  const soac::Lambda& op = scatter.combine[0].op;
  if (op.results.size() != 1 || !op.body.empty()) return {};
  const Expr result = op.results[0];
  if (!is_integer(result.kind()) || result.args().size() != 2) return {};
  auto is = [&](Expr e, std::size_t param) { return e.is_name() && e.var() == op.params[param]; };
  const Expr a = result.arg(0), b = result.arg(1);
  if (!(is(a, 0) && is(b, 1)) && !(is(a, 1) && is(b, 0))) return {};
  switch (result.op()) {
    case Op::add: return Atomic::What::add;
    case Op::min: return Atomic::What::min;
    case Op::max: return Atomic::What::max;
    case Op::bit_and: return Atomic::What::bit_and;
    case Op::bit_or: return Atomic::What::bit_or;
    case Op::bit_xor: return Atomic::What::bit_xor;
    default: return {};
  }
}

Expr identity_of(scalar::Arena& arena, Atomic::What what, Kind kind) {
  const auto bits = 8 * static_cast<int>(size_of(kind));
  const std::uint64_t all = ~std::uint64_t{0};
  const std::uint64_t greatest = all >> (64 - bits + (is_signed(kind) ? 1 : 0));
  switch (what) {
    case Atomic::What::min: return arena.constant(kind, greatest);
    case Atomic::What::max: return arena.constant(kind, is_signed(kind) ? ~greatest : 0);
    case Atomic::What::bit_and: return arena.constant(kind, is_signed(kind) ? all : greatest);
    default: return arena.constant(kind, 0);
  }
}

soac::Stm with_neutral_for_atomics(scalar::Arena& arena, soac::Stm s) {
  for (soac::Scatter& scatter : std::get<soac::Soac>(s.op).scatters)
    if (atomic_of(scatter) && scatter.combine[0].neutral.empty())
      scatter.combine[0].neutral = {arena.constant(scatter.combine[0].op.results[0].kind(), 0)};
  return s;
}

soac::Reduction integer_max(scalar::Arena& arena) {
  return reduction_by(arena, Op::max, arena.i64(std::numeric_limits<std::int64_t>::min()));
}

}  // namespace fulgurite::lower::gpu
