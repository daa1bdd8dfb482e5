// The transfers of one rank as messages: one to each rank, and one from each, for all arrays together.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/mpi/layout.h"
#include "runtime/mpi/pooled_bytes.h"
#include "runtime/mpi/ranks.h"

namespace fulgurite::runtime::mpi {

/// A message that is packed from several pieces travels in portions of this many bytes: while one is under
/// way, the next is packed, and the former unpacked, in memory that caches hold.
constexpr std::size_t portion_bytes = std::size_t{1} << 19;

/// The messages by which all needs are met, as one rank sends and receives them: what transfers.h plans, sent
/// while its tasks run.
class Exchange {
 public:
  Exchange(Ranks& ranks, std::span<const Needs> needs);

  bool is_empty() const { return sent_.empty() && received_.empty(); }
  /// The bytes of needs[k] that this rank receives.
  const Intervals& missing(std::size_t k) const { return missing_[k]; }

  /// What this rank sends and receives: "; 4 bytes to rank 1, 4 bytes from rank 1".
  std::string text() const;

  void begin();
  /// All is there, and the layouts know it.
  void end();

 private:
  struct Piece {
    std::byte* data;
    std::size_t bytes;
  };
  struct Parcel {
    int rank;
    bool is_copied = false;
    std::vector<Piece> pieces = {};
    PooledBytes copy = {};
    std::size_t next = 0, of_next = 0;  // the piece that is packed or unpacked next, and how much of it is

    bool is_packed() const { return pieces.size() > 1; }
    std::size_t bytes() const;
    /// Calls with the next bytes of the pieces, and where they are in the portion.
    template <class Copy>
    void move(std::span<std::byte> portion, const Copy&);
  };

  Ranks& ranks_;
  std::span<const Needs> needs_;
  std::vector<Parcel> sent_, received_;
  std::vector<Intervals> missing_;
};

}  // namespace fulgurite::runtime::mpi
