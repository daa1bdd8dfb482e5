#include "schedule/rewrites/ragged.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/nest.h"

namespace fulgurite::schedule {

using scalar::Expr;
using scalar::Var;

namespace {

const soac::Soac* reduction_of(const soac::Soac& op) {
  if (op.dims.size() != 1 || op.body.body.size() != 1) return nullptr;
  const auto* inner = base::as<soac::Soac>(op.body.body[0].op);
  if (!inner || inner->dims.size() != 1 || !inner->body.body.empty()) return nullptr;
  std::size_t n_operands = 0;
  for (const soac::Reduction& r : inner->reductions) n_operands += r.neutral.size();
  return n_operands > 0 && n_operands == inner->body.results.size() ? inner : nullptr;
}

}  // namespace

std::optional<RaggedRows> ragged_rows(scalar::Arena& arena, const soac::Stm& map) {
  const auto& op = std::get<soac::Soac>(map.op);
  const soac::Soac* reduction = reduction_of(op);
  if (!reduction || reduction->dims[0].op() != scalar::Op::sub) return {};
  const Var row = op.body.params[0], j = reduction->body.params[0];
  const Expr end = reduction->dims[0].arg(0), begin = reduction->dims[0].arg(1);
  const Expr next = arena.name(row) + 1;
  if (scalar::can_fail(begin) || scalar::substitute(arena, begin, {{row, next}}) != end) return {};
  const Expr place = begin + arena.name(j);
  const Expr number = arena.fresh({scalar::Kind::i64}, "number");
  scalar::Substitution numbered(arena, [&](Expr e) { return e == place ? number : Expr(); });
  RaggedRows rows{row, begin, {{number.var()}, {}, {}}};
  for (Expr operand : reduction->body.results) rows.element.results.push_back(numbered(operand));
  const auto is_of_element = [&](Expr e) { return !mentions(e, row) && !mentions(e, j); };
  if (!std::ranges::all_of(rows.element.results, is_of_element)) return {};
  return rows;
}

Expr ragged_rows_of_a_block(scalar::Arena& arena, Expr all, std::int64_t blocks, std::int64_t threads) {
  const Expr enough = ceil_div(all, arena.i64(blocks));
  return max(min(enough, threads), 1);
}

}  // namespace fulgurite::schedule
