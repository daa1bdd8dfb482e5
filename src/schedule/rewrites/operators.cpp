#include "schedule/rewrites/operators.h"

#include <algorithm>
#include <limits>

#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/rename.h"

namespace fulgurite::schedule {

using kernel::Atomic;
using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using scalar::Var;

soac::Reduction integer_sum(scalar::Arena& arena) {
  return reduction_by(arena, Op::add, arena.i64(0));
}

soac::Reduction integer_max(scalar::Arena& arena) {
  return reduction_by(arena, Op::max, arena.i64(std::numeric_limits<std::int64_t>::min()));
}

bool in_order(const soac::Reduction& r) {
  return !r.commutative;
}

int scan_like(scalar::Arena& arena, const soac::Stm& s, std::size_t reduction) {
  const auto& op = std::get<soac::Soac>(s.op);
  const soac::OutputView outputs = soac::view_of(s);
  const soac::OutputView::Reduced& r = outputs.reductions[reduction];
  const std::vector<const soac::Stm*> scans = scans_of(op.body);
  for (std::size_t k = 0; k < scans.size(); ++k) {
    const auto& scan = std::get<soac::Scan>(scans[k]->op);
    if (std::ranges::equal(scan.operands, r.operands) && scan.reduction.initial == r.by.initial &&
        scan.reduction.neutral == r.by.neutral && soac::is_same_function(arena, scan.reduction.op, r.by.op))
      return static_cast<int>(k);
  }
  return -1;
}

bool counts_little(const soac::Scan& scan) {
  const soac::Lambda& op = scan.reduction.op;
  if (scan.operands.size() != 1 || scan.operands[0].kind() != Kind::i64 || !op.body.empty()) return false;
  if (soac::operation_of(op, 0) != Op::add) return false;
  constexpr std::uint64_t little = 1 << 12;  // of at most 63 * 1024 points of a tile
  const auto is_little = [&](Expr e) { return e.is_constant() && e.bits() <= little; };
  const Expr e = scan.operands[0];
  return is_little(e) || (e.op() == Op::select && is_little(e.arg(1)) && is_little(e.arg(2)));
}

std::optional<Atomic::What> atomic_of(const soac::Scatter& scatter) {
  if (scatter.combine.empty()) return {};
  const soac::Lambda& op = scatter.combine[0].op;
  if (op.results.size() != 1 || !op.body.empty()) return {};
  const std::optional<Op> operation = soac::operation_of(op, 0);
  if (!operation || !is_integer(op.results[0].kind())) return {};
  switch (*operation) {
    case Op::add: return Atomic::What::add;
    case Op::min: return Atomic::What::min;
    case Op::max: return Atomic::What::max;
    case Op::bit_and: return Atomic::What::bit_and;
    case Op::bit_or: return Atomic::What::bit_or;
    case Op::bit_xor: return Atomic::What::bit_xor;
    default: return {};
  }
}

soac::Stm with_neutral_for_atomics(scalar::Arena& arena, soac::Stm s) {
  bool changed = false;
  for (soac::Scatter& scatter : std::get<soac::Soac>(s.op).scatters) {
    if (!atomic_of(scatter) || !scatter.combine[0].neutral.empty()) continue;
    scatter.combine[0].neutral = {arena.constant(scatter.combine[0].op.results[0].kind(), 0)};
    changed = true;
  }
  return changed ? made_by(rewrite::atomics, arena, std::move(s)) : s;
}

}  // namespace fulgurite::schedule
