// Which thread of a block did something, and between which barriers.
#pragma once

#include <cstdint>

namespace fulgurite::runtime::test {

constexpr unsigned warp_lanes = 32;

struct Moment {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  std::uint32_t thread = nobody;
  std::uint32_t block_barriers = 0, warp_barriers = 0;  // that the thread's block and warp have passed
};

inline bool are_of_one_warp(const Moment& a, const Moment& b) {
  return a.thread / warp_lanes == b.thread / warp_lanes;
}

// Whether a barrier, or the order of one thread, puts `first` before `second`.
inline bool is_ordered(const Moment& first, const Moment& second) {
  return first.thread == Moment::nobody || first.thread == second.thread ||
         first.block_barriers < second.block_barriers ||
         (are_of_one_warp(first, second) && first.warp_barriers < second.warp_barriers);
}

}  // namespace fulgurite::runtime::test
