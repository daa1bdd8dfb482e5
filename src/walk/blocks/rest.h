// The last step of a tile: what its points do after everything that is folded in their order.
#pragma once

#include <map>

#include "walk/blocks/updates.h"

namespace fulgurite::walk::blocks {

/// What the points of a tile leave in shared memory for a scatter in order or a partition: the place or the
/// class, then the values.
struct Posts {
  bool is_partition;
  std::size_t number;  // of the scatter or partition
  std::vector<Var> names, buffers;
};

struct Rest {
  /// The statement without reductions in order, scatters in order and partitions. What these two post are
  /// mapped results instead. Its body has all statements of the original.
  soac::Stm stm;
  std::vector<Posts> posts;
  std::vector<Update> updates;  // of the scatters that are left
};

/// `updates`: of the statement's scatters. `tile`: the number of its points.
Rest rest_of(const Emitter&, const soac::Stm&, std::span<const Update> updates, std::int64_t tile);

}  // namespace fulgurite::walk::blocks
