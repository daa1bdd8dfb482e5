// Tuning numbers of the GPU lowering: how many threads a block has, how many points it takes. From what the
// code does, and from how much shared memory a block has, which is the same for most devices, so that results
// seldom depend on the device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lower/policy.h"
#include "soac/ir.h"

namespace fulgurite::lower::gpu {

/// Bytes of a block that tiles may take: the others are for what collectives keep.
constexpr std::int64_t most_of_tiles(const Target& target) {
  return target.shared_memory - (8 << 10);
}

/// Fill a device, where each has a result of its own or walks on, and the results depend on how many there
/// are: sums of floating-point numbers are the same on all devices.
inline constexpr std::int64_t enough_blocks = 1024;
/// As many as a device runs at once, as the compiled kernel's registers and shared memory allow (Accelerate,
/// "Launch configuration and thread occupancy").
inline constexpr std::int64_t resident_blocks = -1;

/// A block's part of a space whose points read around them (windows.h).
struct Strip {
  std::int64_t columns = 0;  // points of the last axis, at most
  std::int64_t rows = 1;     // of the axis before, at least
  std::int64_t window = 0;   // elements of an array that lie in shared memory at a time
  friend bool operator==(const Strip&, const Strip&) = default;
};
/// Nothing where so much does not fit. `rows`, `columns`: how far the reads of one array are apart;
/// `has_rows`: the space has these; `bytes`: of an element of each array.
std::optional<Strip> choose_strip(const Target&, bool has_rows, std::int64_t rows, std::int64_t columns,
                                  std::int64_t bytes);

struct Policy {
  int threads = 256;                // of a block: a power of two
  int items = 1;                    // neighbouring points of a staged tile that a thread folds
  int neighbours = 1;               // points that a thread takes together (wide.h)
  std::int64_t points = 1024;       // that a block takes, at least
  std::int64_t most_blocks = 0;     // 0: as many as there are points for; resident_blocks
  std::optional<Strip> strip = {};  // instead of points
  bool rows = false;                // the points are rows of any lengths, whose elements go tile by tile
  int bin_passes = 1;               // over the points, each for some of the bins (shared_bins.h), at most
  std::int64_t tile() const { return std::int64_t{threads} * items; }
  friend bool operator==(const Policy&, const Policy&) = default;
};
std::string to_string(const Policy&);

/// A block has shared memory for the bins of so many scatters (shared_bins.h), of so many bytes each.
inline constexpr std::size_t most_bins = 2;
inline constexpr std::int64_t bin_bytes = 8 << 10;
/// More bins than fit, of a Soac that does nothing else, are filled in several passes over the points
/// (Henriksen, Hellfritzsch, Sadayappan, Oancea, "Compiling generalized histograms for GPU", SC 2020, section
/// 4.2). So many points can be read in the time that operations on global memory, the other way, take.
inline constexpr int most_bin_passes = 4;

/// Of a Soac whose operators have neutral elements. `posted`: bytes that a tile holds for each point besides.
Policy choose(const soac::Soac&, const Target&, std::int64_t posted = 0);

/// What has to be folded in the order of the points: a reduction whose operator does not commute.
bool in_order(const soac::Reduction&);

}  // namespace fulgurite::lower::gpu
