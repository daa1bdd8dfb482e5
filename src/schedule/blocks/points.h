// How blocks of threads walk points: numbers, from what the points do, from the tuning numbers
// (schedule/policy.h), and from how much shared memory a block has, which is the same for most devices, so
// that results seldom depend on the device.
#pragma once

#include <string>

#include "schedule/surroundings.h"

namespace fulgurite::schedule {

/// Threads of a warp, on all devices that count: neighbours that run and touch memory together.
inline constexpr std::int64_t warp = 32;

/// Bytes of a block that tiles may take: the others are for what collectives keep.
std::int64_t most_of_tiles(const Surroundings&);

/// The bytes of the values of one point.
std::int64_t bytes_of(std::span<const Expr> values);
bool has_floats(std::span<const Expr> values);

struct Points {
  std::int64_t threads = 256;    // of a block: a power of two
  std::int64_t items = 1;        // neighbouring points of a tile that a thread folds
  std::int64_t neighbours = 1;   // points that a thread takes together
  std::int64_t points = 1024;    // that a block takes, at least
  std::int64_t most_blocks = 0;  // 0: as many as there are points for
  Expr room = {};  // of the largest array that a thread has memory for, if it is computed before
  /// As many blocks as a device runs at once, as the compiled kernel's registers and shared memory allow
  /// (Accelerate, "Launch configuration and thread occupancy"), instead of `most_blocks`.
  bool are_resident = false;
  std::int64_t bin_passes = 1;  // over the points, each for some of the bins, at most
  std::int64_t tile() const { return threads * items; }
};

/// Whether tiles are sorted by class (parts/deal.h): all that waits for its place in them are points of
/// partitions of few classes.
bool deals(const Surroundings&, const soac::Soac&);
/// For a Soac whose operators have neutral elements. `posted`: bytes that a tile holds for each point
/// besides.
Points points_of(const Surroundings&, const soac::Soac&, std::int64_t posted = 0);

/// Why blocks take their numbers of points, and threads of a block, as schedule/explain.h says.
std::vector<std::string> why_blocks(const soac::Soac&, const Points&);
void add_why_threads(const soac::Soac&, const Points&, std::vector<std::string>& why);

/// Whether points go tile by tile: something is folded in their order, or posted.
bool goes_by_tiles(const soac::Soac&);
/// Whether a scatter's values are posted, to be combined in the order of the points.
bool is_posted(const soac::Scatter&);

/// As many neighbouring points as the widest elements that the points read or make fill 16 bytes; 1 where
/// that would make other accesses worse: of points that read at other places than their own, walk loops, or
/// go anywhere but to their own elements, bins and reductions in any order.
std::int64_t neighbours_of(const Surroundings&, const soac::Soac&);

}  // namespace fulgurite::schedule
