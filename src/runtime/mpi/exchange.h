// What one rank sends and receives so that needs are met: one message to each rank, and one from each, for
// all arrays together, and one gathering of all ranks.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/mpi/gathered.h"
#include "runtime/mpi/layout.h"
#include "runtime/mpi/pooled_bytes.h"
#include "runtime/mpi/ranks.h"

namespace fulgurite::runtime::mpi {

/// A message that is packed from several pieces travels in portions of this many bytes: while one is under
/// way, the next is packed, and the former unpacked, in memory that caches hold.
constexpr std::size_t portion_bytes = std::size_t{1} << 19;

/// What gathered.h and transfers.h plan, as one rank sends and receives it while its tasks run.
class Exchange {
 public:
  Exchange(Ranks& ranks, std::span<const Needs> needs);

  bool is_empty() const { return !has_messages() && gathered_.empty(); }
  /// The bytes of needs[k] that this rank receives.
  const Intervals& missing(std::size_t k) const { return missing_[k]; }

  /// What this rank sends and receives: "; 4 bytes to rank 1; 4 bytes from rank 1; 8 of 24 bytes gathered".
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

  bool has_messages() const { return !sent_.empty() || !received_.empty(); }
  void begin_messages();
  void end_messages();
  void begin_gathering();
  void end_gathering();
  /// Calls copy(part of the array, its place in together_, bytes, owner) for all that is gathered.
  template <class Copy>
  void for_gathered(const Copy&);

  Ranks& ranks_;
  std::span<const Needs> needs_;
  const Gathered gathered_;
  std::vector<Parcel> sent_, received_;
  PooledBytes together_;  // what is gathered, one rank's after the other's
  Gathering gathering_;
  std::vector<Intervals> missing_;
};

}  // namespace fulgurite::runtime::mpi
