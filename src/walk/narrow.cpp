#include "walk/narrow.h"

namespace fulgurite::walk {

// Where no point was taken the variable still holds first - 1, which is the index of none.
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

void for_pieces_in_32_bits(const Emitter& e, const schedule::NarrowIndices& narrow, Expr from, Expr to,
                           const Running& into, const WalkPiece& walk) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  const auto piece = [&](Expr begin, Expr end) {
    in_32_bits(e, narrow, begin, into, [&](const Running& here) { walk(begin, end, here); });
  };
  if (to.is_constant() && static_cast<std::int64_t>(to.bits()) <= most) return piece(from, to);
  const Expr length = e.arena().i64(most);
  e.for_loop(from, to, length, "from", [&](Expr begin) { piece(begin, e.lower(min(begin + length, to))); });
}

}  // namespace fulgurite::walk
