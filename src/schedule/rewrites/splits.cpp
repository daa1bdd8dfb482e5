#include "schedule/rewrites/splits.h"

#include <algorithm>
#include <functional>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Arena;
using scalar::Op;
using soac::Lambda;
using soac::Stm;

namespace {

// The condition holds exactly below `at`, or exactly from there on.
struct Bound {
  Expr condition, at;
  bool holds_before;
};

/// Splits the innermost axis of one statement.
class Splitter {
 public:
  /// Whether the axis may be split by the condition.
  using IsAllowed = std::function<bool(Expr condition)>;
  Splitter(Arena& arena, const Stm& stm, IsAllowed is_allowed)
      : arena_(arena), stm_(stm), soac_(std::get<soac::Soac>(stm.op)), is_allowed_(std::move(is_allowed)) {
    soac::add_bound(soac_.body, inside_);
    index_ = arena.name(soac_.body.params.back());
  }

  std::optional<Bound> first() const {
    for (const Stm& s : soac_.body.body)
      if (const auto* branches = base::as<soac::If>(s.op))
        if (const auto bound = bound_in(branches->condition)) return bound;
    return {};
  }
  Pieces at(const Bound& bound) const {
    Stm before = decided(bound.condition, bound.holds_before);
    return {bound.at, std::move(before), decided(bound.condition, !bound.holds_before)};
  }

 private:
  std::optional<Bound> bound_in(Expr condition) const {
    if (condition.op() == Op::bit_and || condition.op() == Op::bit_or || condition.op() == Op::bit_not) {
      for (Expr part : condition.args())
        if (auto bound = bound_in(part)) return bound;
      return {};
    }
    if ((condition.op() != Op::lt && condition.op() != Op::le) ||
        condition.arg(0).kind() != scalar::Kind::i64 || !is_allowed_(condition))
      return {};
    const auto form = scalar::affine_in(arena_, condition.arg(0) - condition.arg(1), index_.var());
    if (!form || mentions_inside(form->base)) return {};
    const bool rises = form->coefficient.is_constant(1);
    if (!rises && !form->coefficient.is_constant(-1)) return {};
    // rises: i + rest < 0, i < -rest; or <=, i < 1 - rest. Falls: rest - i < 0, i >= rest + 1; or <=, i >=
    // rest.
    const Expr one = arena_.i64(1), zero = arena_.i64(0), rest = form->base;
    const bool or_equal = condition.op() == Op::le;
    const Expr at = rises ? (or_equal ? one : zero) - rest : or_equal ? rest : rest + one;
    return Bound{condition, at, rises};
  }

  bool mentions_inside(Expr e) const {
    soac::Vars mentioned;
    soac::add_mentioned(std::span(&e, 1), mentioned);
    return std::any_of(mentioned.begin(), mentioned.end(), [&](Var v) { return inside_.contains(v); });
  }

  Stm decided(Expr condition, bool value) const {
    scalar::Substitution substitute(arena_,
                                    [&](Expr e) { return e == condition ? arena_.boolean(value) : Expr(); });
    Stm result = stm_;
    Lambda& body = std::get<soac::Soac>(result.op).body;
    soac::substitute_in(body, substitute);
    // Branches that are decided now give way to what they take.
    soac::Renaming rename(arena_, soac::Renaming::Binders::keep);
    std::vector<Stm> stms;
    for (Stm& s : body.body) take(s, rename, stms);
    body.body = std::move(stms);
    rename.in_place(body.results);
    return made_by(rewrite::pieces, arena_, std::move(result));
  }

  static void take(const Stm& s, soac::Renaming& rename, std::vector<Stm>& out) {
    const auto* branches = base::as<soac::If>(s.op);
    if (!branches || !branches->condition.is_constant()) {
      out.push_back(rename(s));
      return;
    }
    const Lambda& taken = branches->condition.bits() ? branches->then_branch : branches->else_branch;
    for (const Stm& inner : taken.body) take(inner, rename, out);
    for (std::size_t k = 0; k < s.names.size(); ++k) rename.bind(s.names[k], rename(taken.results[k]));
  }

  Arena& arena_;
  const Stm& stm_;
  const soac::Soac& soac_;
  const IsAllowed is_allowed_;
  soac::Vars inside_;
  Expr index_;
};

void add_splits(Arena& arena, const Stm& stm, std::int64_t most, std::vector<Split>& splits) {
  if (most == 0) return;
  const Splitter splitter(arena, stm, [](Expr) { return true; });
  const auto bound = splitter.first();
  if (!bound) return;
  const Split found{bound->condition};
  if (std::ranges::find(splits, found) == splits.end()) splits.push_back(found);
  const Pieces pieces = splitter.at(*bound);
  add_splits(arena, pieces.before, most - 1, splits);
  add_splits(arena, pieces.behind, most - 1, splits);
}

}  // namespace

std::vector<Split> splits_of(Arena& arena, const Stm& stm, std::int64_t most) {
  std::vector<Split> splits;
  if (!std::get<soac::Soac>(stm.op).dims.empty()) add_splits(arena, stm, most, splits);
  return splits;
}

std::optional<Pieces> split(Arena& arena, const Stm& stm, const std::vector<Split>* conditions) {
  if (std::get<soac::Soac>(stm.op).dims.empty()) return {};
  const Splitter splitter(arena, stm, [&](Expr condition) {
    return !conditions || std::ranges::find(*conditions, condition, &Split::condition) != conditions->end();
  });
  const auto bound = splitter.first();
  return bound ? std::optional(splitter.at(*bound)) : std::nullopt;
}

}  // namespace fulgurite::schedule
