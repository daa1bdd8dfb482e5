#include "walk/narrow.h"

#include <algorithm>

namespace fulgurite::walk {

std::optional<LaterPoints> LaterPoints::of(const Emitter& e, const soac::Stm& s) {
  std::optional<soac::Stm> later = schedule::behind_first(e.arena(), s, false);
  if (!later || !e.keeps(schedule::rewrite::ascending, s, *later)) return {};
  return LaterPoints(e, *std::move(later));
}

LaterPoints::LaterPoints(const Emitter& e, soac::Stm later)
    : stm_(std::move(later)), narrow_(schedule::narrow_indices(e.arena(), stm_)) {
  if (narrow_ && !e.keeps(schedule::rewrite::narrow, stm_, narrow_->stm)) narrow_.reset();
  if (narrow_) ordered_ = schedule::without_nans(e.arena(), *narrow_);
  if (ordered_ && !e.keeps(schedule::rewrite::without_nans, narrow_->stm, ordered_->stm)) ordered_.reset();
}

void LaterPoints::in_pieces(const Emitter& e, Expr from, Expr to, const Running& into,
                            const Walk& walk) const {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  if (!narrow_) return walk(stm_, from, to, into);
  const auto piece = [&](Expr begin, Expr end) { as_one(e, begin, begin, end, into, walk); };
  if (to.is_constant() && static_cast<std::int64_t>(to.bits()) <= most) return piece(from, to);
  const Expr length = e.arena().i64(most);
  e.for_loop(from, to, length, "from", [&](Expr begin) { piece(begin, e.lower(min(begin + length, to))); });
}

void LaterPoints::as_one(const Emitter& e, Expr begin, Expr from, Expr to, const Running& into,
                         const Walk& walk) const {
  side_by_side(e, {{*this, begin, into}},
               [&](const auto& stms, const auto& here) { walk(stms[0], from, to, here[0]); });
}

// Indices that are narrow are variables, whose final values are assigned to the indices of `into`. Where no
// point was taken the variable still holds first - 1, which is the index of none.
void LaterPoints::side_by_side(const Emitter& e, const std::vector<Taken>& all, const WalkAll& walk) {
  std::vector<soac::Stm> stms;
  std::vector<Running> here;
  std::vector<Expr> firsts, befores;
  for (const auto& [later, begin, into] : all) {
    stms.push_back(later.narrow_ ? later.narrow_->stm : later.stm_);
    here.push_back(into);
    firsts.push_back(later.narrow_ ? e.lower(cast(begin, Kind::i32)) : Expr());
    befores.push_back(later.narrow_ ? e.lower(firsts.back() - 1) : Expr());
    if (!later.narrow_) continue;
    for (const auto& [g, k] : later.narrow_->components)
      here.back().reductions[g][k] = e.declare(befores.back(), "at");
  }
  if (std::ranges::all_of(all, [](const Taken& taken) { return taken.later.ordered_.has_value(); }))
    take_ordered(e, all, befores, stms, here, walk);
  else
    walk(stms, here);
  for (std::size_t t = all.size(); t-- > 0;) {
    if (!all[t].later.narrow_) continue;
    for (const auto& [g, k] : all[t].later.narrow_->components) {
      const Expr at = e.snapshot(here[t].reductions[g][k], "at"), wide = all[t].into.reductions[g][k];
      const Expr offset = cast(cast(at - firsts[t], Kind::u32), Kind::i64);
      const Expr index = all[t].begin + offset;
      e.assign(wide, e.lower(select(equal(at, befores[t]), e.snapshot(wide, "acc"), index)));
    }
  }
}

// Takes points by one comparison each. An accumulator that is a NaN begins as the worst value instead: if
// nothing was better, all of its operands were NaNs or that value, and only then they are taken once more.
void LaterPoints::take_ordered(const Emitter& e, const std::vector<Taken>& all, std::span<const Expr> befores,
                               const std::vector<soac::Stm>& stms, const std::vector<Running>& here,
                               const WalkAll& walk) {
  std::vector<soac::Stm> ordered;
  std::vector<Running> best = here;
  const auto is_nan = [&](Expr x) { return e.arena().apply(scalar::Op::isnan, {x}); };
  for (std::size_t t = 0; t < all.size(); ++t) {
    const schedule::WithoutNans& without = *all[t].later.ordered_;
    ordered.push_back(without.stm);
    for (std::size_t g = 0; g < without.choices.size(); ++g) {
      Expr& value = best[t].reductions[g][without.choices[g].value];
      const Expr so_far = e.snapshot(value, "so_far");
      value = e.declare(e.lower(select(is_nan(so_far), without.choices[g].worst, so_far)), "best");
    }
  }
  walk(ordered, best);
  Expr are_missed = e.arena().boolean(false);
  for (std::size_t t = 0; t < all.size(); ++t)
    for (const auto& [g, k] : all[t].later.narrow_->components) {
      const std::size_t v = all[t].later.ordered_->choices[g].value;
      const Expr is_none = equal(e.snapshot(here[t].reductions[g][k], "at"), befores[t]);
      const Expr so_far = e.snapshot(here[t].reductions[g][v], "so_far");
      const Expr now = e.lower(select(is_none, so_far, e.snapshot(best[t].reductions[g][v], "best")));
      e.assign(here[t].reductions[g][v], now);
      are_missed = are_missed | is_nan(now);
    }
  e.if_then(e.lower(are_missed), [&] { walk(stms, here); });
}

}  // namespace fulgurite::walk
