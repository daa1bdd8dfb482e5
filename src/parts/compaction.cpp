#include "parts/compaction.h"

namespace fulgurite::parts {

Compaction::Compaction(const Builder& b, std::span<const Var> arrays, std::int64_t tile)
    : arrays_(arrays.begin(), arrays.end()), tile_(tile) {
  for (Var array : arrays) buffers_.push_back(b.allocate_shared(b.arena().info(array).type.kind, tile));
}

void Compaction::update(const Builder& b, Expr place, std::span<const Expr> values) const {
  const Expr at = b.bind(place - begin_, "at");
  for (std::size_t k = 0; k < values.size(); ++k) b.store_plain(buffers_[k], at, values[k]);
}

// Warps begin at multiples of 32 elements. The loop takes as many steps as a full tile wants, so that
// compilers unroll it.
void Compaction::flush(const Builder& of_block, const Block& block) const {
  scalar::Arena& arena = of_block.arena();
  const auto narrow = [](Expr x) { return cast(x, Kind::u32); };
  const Expr in_warp = of_block.bind(begin_ & (warp - 1), "in_warp");
  const Expr n = of_block.bind(narrow(end_ - begin_), "n");
  const Expr steps = arena.i64(tile_ / block.threads + 1);
  par(of_block, block, [&](const Builder& b, Expr t) {
    const Expr first = b.bind(t - in_warp, "first");
    b.for_loop(arena.i64(0), steps, arena.i64(1), "step", [&](Expr step) {
      const Expr at = b.bind(first + step * std::int64_t{block.threads}, "at");
      b.if_then(b.bind(narrow(at) < n, "is_of_tile"), [&] {
        const Expr place = b.bind(begin_ + at, "place");
        for (std::size_t k = 0; k < arrays_.size(); ++k)
          b.store_plain(arrays_[k], place, b.load_plain(buffers_[k], at, "value"));
      });
    });
  });
  sync(of_block);
}

}  // namespace fulgurite::parts
