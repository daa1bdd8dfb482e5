#include "schedule/rewrites/divided.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/segments_in_turn.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/total.h"
#include "soac/divided_index.h"
#include "soac/reads_inside.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Var;

/// In the order in which they are met, and what has to hold for their values.
struct Divisors {
  std::vector<soac::Divisor> all;
  std::vector<Expr> conditions;
};
Divisors divisors_of(Arena& arena, const soac::Lambda& body, Expr index,
                     const std::function<bool(Expr)>& is_known) {
  Divisors divisors;
  for (Expr written : soac::divisors_of(body, index)) {
    std::vector<Expr> conditions;
    const Expr value = total(arena, written, conditions);
    if (!is_known(value)) continue;
    divisors.all.push_back({written, value});
    divisors.conditions.insert(divisors.conditions.end(), conditions.begin(), conditions.end());
  }
  return divisors;
}

// Quotients and remainders that are the same for all points and may fail, as ones that cannot: where
// `conditions`, to which it appends, hold.
void make_total(Arena& arena, soac::Lambda& body, std::vector<Expr>& conditions,
                const std::function<bool(Expr)>& is_known) {
  scalar::Substitution totals(arena, [&](Expr e) {
    if (!divides(e) || e.site() == 0) return Expr();
    std::vector<Expr> needed;
    const Expr value = total(arena, e, needed);
    if (!is_known(value)) return Expr();
    conditions.insert(conditions.end(), needed.begin(), needed.end());
    return value;
  });
  soac::substitute_in(body, totals);
}

// Rows are full, and no product of the row and a factor wraps around.
Expr condition(Expr points, const soac::Rows& rows, const std::vector<Expr>& conditions) {
  constexpr std::uint64_t small = 1 << 15;  // extents are below 2^47
  const Expr divisor = max(rows.length, 1);
  Expr holds = 0 < rows.length;
  for (Expr each : conditions) holds = holds & each;
  holds = holds & equal(points % divisor, 0);
  for (const auto& [written, value, times] : rows.multiples) {
    if (times.is_constant() && times.bits() <= small) continue;
    const Expr is_positive = 0 < times, is_product = equal(value / divisor, times);
    holds = holds & is_positive;
    holds = holds & is_product;
  }
  return holds;
}

}  // namespace

bool maps_scalars(const soac::Soac& op, const soac::OutputView& outputs) {
  for (const soac::Mapped& mapped : outputs.mapped)
    if (mapped.result.type().rank > 0) return false;
  return !op.dims.empty() && op.axes_behind == 0 && !outputs.mapped.empty() && outputs.reductions.empty() &&
         outputs.scatters.empty() && outputs.partitions.empty() && !has_scan(op.body) &&
         !scan_of_segments(op.body) && !makes_arrays(op);
}

std::optional<Divided> divided(Arena& arena, const soac::Stm& s, const std::function<bool(Expr)>& is_known) {
  const auto& op = std::get<soac::Soac>(s.op);
  const soac::OutputView outputs = soac::view_of(s);
  if (!maps_scalars(op, outputs)) return {};
  const Expr index = arena.name(op.body.params.back()), points = op.dims.back();
  Divisors divisors = divisors_of(arena, op.body, index, is_known);
  const soac::Rows rows = soac::rows_of(arena, divisors.all);
  if (!rows.length) return {};
  const Expr quotient = arena.fresh({Kind::i64}, "row"), remainder = arena.fresh({Kind::i64}, "column");
  soac::Stm result{{}, op, s.where, s.origin};
  auto& to = std::get<soac::Soac>(result.op);
  to.dims.back() = points / max(rows.length, 1);
  to.dims.push_back(rows.length);
  if (op.outer_axes == op.dims.size()) ++to.outer_axes;
  soac::Applied body = soac::apply(arena, op.body, arena.names(op.body.params));
  to.body = {op.body.params, std::move(body.body), std::move(body.results)};
  to.body.params.back() = quotient.var();
  to.body.params.push_back(remainder.var());
  soac::divide(arena, to.body, index, rows, quotient, remainder);
  make_total(arena, to.body, divisors.conditions, is_known);
  Expr holds = condition(points, rows, divisors.conditions);
  soac::Lambda unchecked = to.body;
  const bool are_affine = soac::reads_affine_places(arena, to.body);
  const auto are_inside = are_affine ? soac::take_checks(arena, unchecked, to.dims, is_known) : std::nullopt;
  if (are_inside) to.body = std::move(unchecked), holds = holds & *are_inside;
  if (holds.is_constant(0)) return {};
  for (const soac::Mapped& mapped : outputs.mapped) {
    const scalar::VarInfo info = arena.info(mapped.array);
    result.names.push_back(arena.fresh_array(info.type.kind, to.dims, info.name).var());
  }
  return Divided{made_by(rewrite::divided, arena, std::move(result)), rows.length, holds};
}

}  // namespace fulgurite::schedule
