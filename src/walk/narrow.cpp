#include "walk/narrow.h"

namespace fulgurite::walk {

namespace {

// Gives `walk`, which takes points from `begin` to less than 2^32 - 1 after it, variables for the indices
// that are narrow, and assigns their final values to the indices of `into`. Where no point was taken the
// variable still holds first - 1, which is the index of none.
void in_32_bits(const Emitter& e, const schedule::NarrowIndices& narrow, Expr begin, const Running& into,
                const std::function<void(const Running&)>& walk) {
  const Expr first = e.lower(cast(begin, Kind::i32));
  const Expr before = e.lower(first - 1);
  Running here = into;
  for (const auto& [g, k] : narrow.components) here.reductions[g][k] = e.declare(before, "at");
  walk(here);
  for (const auto& [g, k] : narrow.components) {
    const Expr at = e.snapshot(here.reductions[g][k], "at"), wide = into.reductions[g][k];
    const Expr offset = cast(cast(at - first, Kind::u32), Kind::i64);
    const Expr index = begin + offset;
    e.assign(wide, e.lower(select(equal(at, before), e.snapshot(wide, "acc"), index)));
  }
}

}  // namespace

std::optional<LaterPoints> LaterPoints::of(const Emitter& e, const soac::Stm& s) {
  std::optional<soac::Stm> later = schedule::behind_first(e.arena(), s, false);
  if (!later || !e.keeps(schedule::rewrite::ascending, s, *later)) return {};
  return LaterPoints(e, *std::move(later));
}

LaterPoints::LaterPoints(const Emitter& e, soac::Stm later)
    : stm_(std::move(later)), narrow_(schedule::narrow_indices(e.arena(), stm_)) {
  if (narrow_ && !e.keeps(schedule::rewrite::narrow, stm_, narrow_->stm)) narrow_.reset();
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
  if (!narrow_) return walk(stm_, from, to, into);
  in_32_bits(e, *narrow_, begin, into, [&](const Running& here) { walk(narrow_->stm, from, to, here); });
}

}  // namespace fulgurite::walk
