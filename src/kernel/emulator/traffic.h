// What an access of a warp costs, from the bytes that its lanes touch.
#pragma once

#include <cstdint>
#include <span>

namespace fulgurite::kernel::emulator {

inline constexpr std::int64_t sector_bytes = 32;

/// Sectors of global memory that are touched, and as few as could hold the bytes. `places` are where the
/// elements of `size` bytes begin, in any order; they are sorted.
struct Sectors {
  std::int64_t touched = 0, least = 0;
};
Sectors sectors(std::span<std::int64_t> places, std::int64_t size);

/// Passes beyond the ones that a warp needs without conflicts: 32 banks of 4 bytes, of which each serves one
/// word in a pass. Elements of 8 bytes are served half a warp at a time.
std::int64_t bank_conflicts(std::span<const std::int64_t> places, std::int64_t size);

}  // namespace fulgurite::kernel::emulator
