// Who sends what to whom so that the needs of all ranks are met that nothing gathers, planned alike on every
// rank and without any message: an engine sends its own share of it (exchange.h), a prediction counts all of
// it. The time grows as the pieces of arrays that ranks have, need and send, not as the pairs of ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "runtime/mpi/gathered.h"
#include "runtime/mpi/layout.h"

namespace fulgurite::runtime::mpi {

/// Bytes of the array of needs[need] that one rank sends to another one. No two of one pair lie side by side.
struct Transfer {
  std::size_t need;
  int from, to;
  Bytes bytes;
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// Calls `take` with every transfer of all ranks: transfers of one pair of ranks in the order of needs, then
/// of bytes.
void for_transfers(std::span<const Needs>, const Gathered&, const std::function<void(const Transfer&)>& take);

/// The transfers that one rank sends or receives, in the same order.
std::vector<Transfer> transfers_of(std::span<const Needs>, const Gathered&, int rank);

/// The layouts know that all has arrived.
void meet(std::span<const Needs>);

}  // namespace fulgurite::runtime::mpi
