#include "lower/gpu/compaction.h"

namespace fulgurite::lower::gpu {

namespace {

constexpr std::int64_t lanes_of_warp = 32;

}  // namespace

Compaction::Compaction(const Emitter& e, std::span<const Var> arrays, std::int64_t tile)
    : arrays_(arrays.begin(), arrays.end()) {
  for (Var array : arrays) buffers_.push_back(e.allocate_shared(e.arena().info(array).type.kind, tile));
}

void Compaction::update(const Emitter& e, Expr place, std::span<const Expr> values) const {
  const Expr at = e.bind(e.arena().sub(place, begin_), "at");
  for (std::size_t k = 0; k < values.size(); ++k) e.store_plain(buffers_[k], at, values[k]);
}

// Warps begin at multiples of 32 elements.
void Compaction::flush(const Emitter& e, const Block& block) const {
  scalar::Arena& arena = e.arena();
  const Expr first = e.bind(arena.apply(Op::bit_and, {begin_, arena.i64(-lanes_of_warp)}), "first");
  par(e, block, [&](const Emitter&, Expr t) {
    e.for_loop(e.bind(arena.add(first, t), "from"), end_, arena.i64(block.threads), "place", [&](Expr place) {
      e.if_then(e.bind(arena.le(begin_, place), "is_of_tile"), [&] {
        const Expr at = e.bind(arena.sub(place, begin_), "at");
        for (std::size_t k = 0; k < arrays_.size(); ++k)
          e.store_plain(arrays_[k], place, e.load_plain(buffers_[k], at, "value"));
      });
    });
  });
  sync(e);
}

}  // namespace fulgurite::lower::gpu
