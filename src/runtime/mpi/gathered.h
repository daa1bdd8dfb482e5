// Arrays of which all ranks need all that some rank has: totals of tasks, counts, centres of clusters, small
// operands. One collective operation of MPI takes them from each rank to all others, in about log2 R steps
// (Bruck, Ho, Kipnis, Upfal and Weathersby: Efficient algorithms for all-to-all communications in multiport
// message-passing systems, IEEE Transactions on Parallel and Distributed Systems 8, 1997), where messages
// would take the latency R - 1 times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/mpi/layout.h"

namespace fulgurite::runtime::mpi {

/// Where ranks have more bytes than this on average, messages go instead: their bytes take longer than the
/// latency, and need not be copied together.
constexpr std::int64_t most_gathered_of_rank = 16384;

/// What of some needs is gathered, planned alike on every rank and without any message.
class Gathered {
 public:
  /// Bytes that one rank has and all others lack.
  struct Part {
    std::size_t need;
    int owner;
    Bytes bytes;
    friend bool operator==(const Part&, const Part&) = default;
  };

  Gathered() = default;  // nothing
  explicit Gathered(std::span<const Needs>);

  bool empty() const { return parts_.empty(); }
  /// Whether the array of this need is gathered, so that no message brings it.
  bool has(std::size_t need) const { return need < has_.size() && has_[need]; }
  /// One rank's after the other's.
  std::span<const Part> parts() const { return parts_; }
  /// How many bytes each rank gives.
  std::span<const std::size_t> bytes_of_ranks() const { return bytes_of_ranks_; }

 private:
  std::vector<bool> has_;
  std::vector<Part> parts_;
  std::vector<std::size_t> bytes_of_ranks_;
};

}  // namespace fulgurite::runtime::mpi
