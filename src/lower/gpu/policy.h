// Tuning numbers of the GPU lowering: how many threads a block has, how many points it takes. From what the
// code does only, so that results do not depend on the device.
#pragma once

#include <cstdint>
#include <string>

#include "soac/ir.h"

namespace fulgurite::lower::gpu {

struct Policy {
  int threads = 256;             // of a block: a power of two
  int items = 1;                 // neighbouring points of a staged tile that a thread folds
  std::int64_t points = 1024;    // that a block takes, at least
  std::int64_t most_blocks = 0;  // 0: as many as there are points for
  std::int64_t tile() const { return std::int64_t{threads} * items; }
  friend bool operator==(const Policy&, const Policy&) = default;
};
std::string to_string(const Policy&);

/// A block has shared memory for the bins of so many scatters (shared_bins.h), of so many bytes each.
inline constexpr std::size_t most_bins = 2;
inline constexpr std::int64_t bin_bytes = 8 << 10;

/// Of a Soac whose operators have neutral elements. `posted`: bytes that a tile holds for each point besides.
Policy choose(const soac::Soac&, std::int64_t posted = 0);

/// What has to be folded in the order of the points: a reduction whose operator does not commute.
bool in_order(const soac::Reduction&);

}  // namespace fulgurite::lower::gpu
