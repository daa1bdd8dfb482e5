// Where the values of scatters and partitions go while a block walks its points.
#pragma once

#include "parts/compaction.h"
#include "parts/deal.h"
#include "parts/fold.h"
#include "parts/posts.h"
#include "walk/blocks/range.h"
#include "walk/blocks/steps.h"

namespace fulgurite::walk::blocks {

class Sinks {
 public:
  /// With bins in shared memory where the nest has a stage for them.
  Sinks(const Emitter&, const soac::Stm&, const schedule::Nest&, const Block&, const Range&, const Steps&);
  Sinks(const Sinks&) = delete;
  Sinks& operator=(const Sinks&) = delete;

  /// The bins that atomic operations fill, by the numbers of the last step's scatters.
  std::map<std::size_t, parts::SharedBins>& shared_bins() { return shared_bins_; }
  /// Brings a point's values to the elements of one of the last step's scatters.
  void update(const Emitter&, std::size_t scatter, Expr number, Running::Elements elements,
              std::span<const Expr> values) const;

  // Tile by tile.

  /// Memory for tiles, and bins of the block's own.
  void open();
  /// Called when a level has been folded: `before` are the values of its Scans before the tile.
  void begin_tile(std::span<const parts::Ordered> groups, const std::vector<std::vector<Expr>>& before);
  /// Called after the points of the tile, followed by a barrier: values that wait for their places go there.
  void store_packed() const;
  void store_posts() const;
  /// After the last tile.
  void close() const;

 private:
  std::vector<Var> buffers_of(std::size_t scatter) const;
  void open_deal(const Posts&, Var table);
  void put(const Posts&) const;

  const Emitter e_;
  const soac::Stm& s_;
  const schedule::Nest& nest_;
  const Block& block_;
  const Steps& steps_;
  std::map<std::size_t, parts::SharedBins> shared_bins_;
  std::map<std::size_t, parts::Compaction> packed_;  // of the last step's scatters as well
  std::map<std::size_t, parts::OwnBins> own_bins_;   // of the statement's scatters
  std::map<std::size_t, parts::Deal> deals_;         // of its partitions
};

}  // namespace fulgurite::walk::blocks
