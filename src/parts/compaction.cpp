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

// Warps begin at multiples of 32 elements.
void Compaction::flush(const Builder& of_block, const Block& block) const {
  const Expr in_warp = of_block.bind(begin_ & (warp - 1), "in_warp");
  const Expr n = of_block.bind(end_ - begin_, "n");
  const auto items = static_cast<int>(tile_ / block.threads);
  par(of_block, block, [&](const Builder& b, Expr t) {
    const Expr first = first_in_warp(b, block, t, in_warp);
    for_items(b, first, block.threads, items, n, [&](Expr at) {
      const Expr place = b.bind(begin_ + at, "place");
      for (std::size_t k = 0; k < arrays_.size(); ++k)
        b.store_plain(arrays_[k], place, b.load_plain(buffers_[k], at, "value"));
    });
  });
  sync(of_block);
}

}  // namespace fulgurite::parts
