#include "schedule/rewrites/divided.h"

#include <algorithm>
#include <unordered_map>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/segments_in_turn.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/total.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;

bool divides_index(Expr e, Expr index) {
  return divides(e) && e.type() == scalar::Type{} && e.arg(0) == index;
}

void collect_factors(Expr e, std::int64_t& constant, std::vector<Expr>& others) {
  if (e.is_constant()) {
    if (__builtin_mul_overflow(constant, static_cast<std::int64_t>(e.bits()), &constant)) constant = 0;
  } else if (e.op() == Op::mul) {
    collect_factors(e.arg(0), constant, others);
    collect_factors(e.arg(1), constant, others);
  } else {
    others.push_back(e);
  }
}

/// What `of` is times `by`, as it is written; null: it is no such product.
Expr multiple(Arena& arena, Expr of, Expr by) {
  std::int64_t whole = 1, part = 1;
  std::vector<Expr> factors, those_of_part;
  collect_factors(of, whole, factors);
  collect_factors(by, part, those_of_part);
  if (part <= 0 || whole <= 0 || whole % part != 0) return {};
  for (Expr factor : those_of_part) {
    const auto found = std::ranges::find(factors, factor);
    if (found == factors.end()) return {};
    factors.erase(found);
  }
  Expr result = arena.i64(whole / part);
  for (Expr factor : factors) result = result * factor;
  return result;
}

/// What the index is divided by: as it is written, and as something that cannot fail.
struct Divisor {
  Expr written, value;
};
/// In the order in which they are met, and what has to hold for their values.
struct Divisors {
  std::vector<Divisor> all;
  std::vector<Expr> conditions;
};
Divisors divisors_of(Arena& arena, const soac::Lambda& body, Expr index,
                     const std::function<bool(Expr)>& is_known) {
  Divisors divisors;
  soac::for_each_root(body, [&](Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (!divides_index(e, index)) return;
      if (std::ranges::find(divisors.all, e.arg(1), &Divisor::written) != divisors.all.end()) return;
      std::vector<Expr> conditions;
      const Expr value = total(arena, e.arg(1), conditions);
      if (!is_known(value)) return;
      divisors.all.push_back({e.arg(1), value});
      divisors.conditions.insert(divisors.conditions.end(), conditions.begin(), conditions.end());
    });
  });
  return divisors;
}

/// A divisor that is a multiple of the one that becomes an axis: as the program writes it, its value, and how
/// many times the axis is in it.
struct Multiple {
  Expr written, value, times;
};
struct Chosen {
  Expr row;
  std::vector<Multiple> multiples;
};
// The divisor of which most others are multiples, the first one of several, becomes an axis.
Chosen chosen(Arena& arena, const std::vector<Divisor>& divisors) {
  Chosen best;
  for (const Divisor& row : divisors) {
    Chosen candidate{row.value, {}};
    for (const Divisor& divisor : divisors)
      if (const Expr times = multiple(arena, divisor.value, row.value))
        candidate.multiples.push_back({divisor.written, divisor.value, times});
    if (candidate.multiples.size() > best.multiples.size()) best = std::move(candidate);
  }
  return best;
}

/// Replaces the index and what divides it.
class Replacing {
 public:
  Replacing(Arena& arena, Expr index, const Chosen& chosen, Expr quotient, Expr remainder)
      : arena_(arena),
        index_(index),
        chosen_(chosen),
        quotient_(quotient),
        remainder_(remainder),
        number_(quotient * chosen.row + remainder) {}

  Expr operator()(Expr root) {
    std::vector<Expr> args;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (memo_.contains(e)) return;
      Expr result = replaced(e);
      if (!result) {
        args.clear();
        for (Expr child : e.args()) args.push_back(memo_.at(child));
        result = scalar::rebuild(arena_, e, args);
      }
      memo_.emplace(e, result);
    });
    return memo_.at(root);
  }

 private:
  Expr replaced(Expr e) const {
    if (e == index_) return number_;
    if (!divides_index(e, index_)) return {};
    const auto found = std::ranges::find(chosen_.multiples, e.arg(1), &Multiple::written);
    if (found == chosen_.multiples.end()) return {};
    const Expr times = found->times;
    if (e.op() == Op::div) return times.is_constant(1) ? quotient_ : quotient_ / times;
    return times.is_constant(1) ? remainder_ : quotient_ % times * chosen_.row + remainder_;
  }

  Arena& arena_;
  const Expr index_;
  const Chosen& chosen_;
  const Expr quotient_, remainder_, number_;
  std::unordered_map<Expr, Expr> memo_;
};

// Rows are full, and no product of the row and a factor wraps around.
Expr condition(Expr points, const Chosen& chosen, const std::vector<Expr>& conditions) {
  constexpr std::uint64_t small = 1 << 15;  // extents are below 2^47
  const Expr divisor = max(chosen.row, 1);
  Expr holds = 0 < chosen.row;
  for (Expr each : conditions) holds = holds & each;
  holds = holds & equal(points % divisor, 0);
  for (const auto& [written, value, times] : chosen.multiples) {
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
  const Divisors divisors = divisors_of(arena, op.body, index, is_known);
  const Chosen axis = chosen(arena, divisors.all);
  if (!axis.row) return {};
  const Expr holds = condition(points, axis, divisors.conditions);
  if (holds.is_constant(0)) return {};
  const Expr quotient = arena.fresh({Kind::i64}, "row"), remainder = arena.fresh({Kind::i64}, "column");
  soac::Stm result{{}, op, s.where, s.origin};
  auto& to = std::get<soac::Soac>(result.op);
  to.dims.back() = points / max(axis.row, 1);
  to.dims.push_back(axis.row);
  if (op.outer_axes == op.dims.size()) ++to.outer_axes;
  std::vector<Expr> arguments;
  for (Var param : op.body.params) arguments.push_back(arena.name(param));
  soac::Applied body = soac::apply(arena, op.body, arguments);
  to.body = {op.body.params, std::move(body.body), std::move(body.results)};
  to.body.params.back() = quotient.var();
  to.body.params.push_back(remainder.var());
  Replacing replace(arena, index, axis, quotient, remainder);
  scalar::Substitution substitute(arena, [&](Expr root) { return replace(root); });
  soac::substitute_in(to.body, substitute);
  for (const soac::Mapped& mapped : outputs.mapped) {
    const scalar::VarInfo info = arena.info(mapped.array);
    result.names.push_back(arena.fresh_array(info.type.kind, to.dims, info.name).var());
  }
  return Divided{made_by(rewrite::divided, arena, std::move(result)), axis.row, holds};
}

}  // namespace fulgurite::schedule
