#include "schedule/rewrites/divided.h"

#include <algorithm>
#include <unordered_map>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;

bool divides(Expr e, Expr index) {
  return (e.op() == Op::div || e.op() == Op::rem) && e.type() == scalar::Type{} && e.arg(0) == index;
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

// The divisors of the index, in the order in which they are met.
std::vector<Expr> divisors_of(const soac::Lambda& body, Expr index,
                              const std::function<bool(Expr)>& is_known) {
  std::vector<Expr> divisors;
  soac::for_each_root(body, [&](Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (divides(e, index) && is_known(e.arg(1)) && std::ranges::find(divisors, e.arg(1)) == divisors.end())
        divisors.push_back(e.arg(1));
    });
  });
  return divisors;
}

/// The divisor that becomes an axis, and what others are times it.
struct Chosen {
  Expr row;
  std::unordered_map<Expr, Expr> multiples;
};
// That of which most others are multiples, the first one of several.
Chosen chosen(Arena& arena, const std::vector<Expr>& divisors) {
  Chosen best;
  for (Expr row : divisors) {
    Chosen candidate{row, {}};
    for (Expr divisor : divisors)
      if (const Expr times = multiple(arena, divisor, row)) candidate.multiples.emplace(divisor, times);
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
    if (!divides(e, index_)) return {};
    const auto found = chosen_.multiples.find(e.arg(1));
    if (found == chosen_.multiples.end()) return {};
    const Expr times = found->second;
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
Expr condition(Arena& arena, Expr points, const Chosen& chosen) {
  constexpr std::uint64_t small = 1 << 15;  // extents are below 2^47
  const Expr divisor = max(chosen.row, 1);
  Expr holds = 0 < chosen.row;
  holds = holds & equal(points % divisor, 0);
  std::vector<std::pair<Expr, Expr>> others(chosen.multiples.begin(), chosen.multiples.end());
  std::ranges::sort(others, {}, [](const auto& other) { return other.first.id(); });
  for (const auto& [product, times] : others) {
    if (times.is_constant() && times.bits() <= small) continue;
    const Expr is_positive = 0 < times, is_product = equal(product / divisor, times);
    holds = holds & is_positive;
    holds = holds & is_product;
  }
  (void)arena;
  return holds;
}

bool maps_scalars(const soac::Soac& op, const soac::OutputView& outputs) {
  return !op.dims.empty() && op.axes_behind == 0 && !outputs.mapped.empty() && outputs.reductions.empty() &&
         outputs.scatters.empty() && outputs.partitions.empty() && !has_scan(op.body) && !makes_arrays(op);
}

}  // namespace

std::optional<Divided> divided(Arena& arena, const soac::Stm& s, const std::function<bool(Expr)>& is_known) {
  const auto& op = std::get<soac::Soac>(s.op);
  const soac::OutputView outputs = soac::view_of(s);
  if (!maps_scalars(op, outputs)) return {};
  const Expr index = arena.name(op.body.params.back()), points = op.dims.back();
  const Chosen axis = chosen(arena, divisors_of(op.body, index, is_known));
  if (!axis.row) return {};
  const Expr holds = condition(arena, points, axis);
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
