#include "parts/compaction.h"

namespace fulgurite::parts {

namespace {

constexpr std::int64_t lanes_of_warp = 32;

}  // namespace

Compaction::Compaction(const Builder& b, std::span<const Var> arrays, std::int64_t tile)
    : arrays_(arrays.begin(), arrays.end()) {
  for (Var array : arrays) buffers_.push_back(b.allocate_shared(b.arena().info(array).type.kind, tile));
}

void Compaction::update(const Builder& b, Expr place, std::span<const Expr> values) const {
  const Expr at = b.bind(place - begin_, "at");
  for (std::size_t k = 0; k < values.size(); ++k) b.store_plain(buffers_[k], at, values[k]);
}

// Warps begin at multiples of 32 elements.
void Compaction::flush(const Builder& of_block, const Block& block) const {
  scalar::Arena& arena = of_block.arena();
  const Expr first = of_block.bind(begin_ & -lanes_of_warp, "first");
  par(of_block, block, [&](const Builder& b, Expr t) {
    b.for_loop(b.bind(first + t, "from"), end_, arena.i64(block.threads), "place", [&](Expr place) {
      b.if_then(b.bind(begin_ <= place, "is_of_tile"), [&] {
        const Expr at = b.bind(place - begin_, "at");
        for (std::size_t k = 0; k < arrays_.size(); ++k)
          b.store_plain(arrays_[k], place, b.load_plain(buffers_[k], at, "value"));
      });
    });
  });
  sync(of_block);
}

}  // namespace fulgurite::parts
