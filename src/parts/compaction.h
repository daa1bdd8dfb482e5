// Values that a tile's points put into neighbouring places, each point that has one in its turn: collected in
// shared memory, so that neighbouring threads store neighbouring elements, and whole sectors of memory.
#pragma once

#include "parts/block.h"
#include "parts/operator.h"

namespace fulgurite::parts {

class Compaction {
 public:
  /// For a block whose tiles have `tile` points.
  Compaction(const Builder&, std::span<const Var> arrays, std::int64_t tile);

  /// The next tile's places are [begin, end).
  void begin_tile(Expr begin, Expr end) { begin_ = begin, end_ = end; }
  /// A point's values, in Par(block).
  void update(const Builder&, Expr place, std::span<const Expr> values) const;
  /// Called after all points of the tile, and a barrier.
  void flush(const Builder&, const Block&) const;

 private:
  std::vector<Var> arrays_, buffers_;
  std::int64_t tile_;  // points
  Expr begin_, end_;
};

}  // namespace fulgurite::parts
