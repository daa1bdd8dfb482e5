// The levels of a parallel machine, from a launch down to one instance.
#pragma once

#include <fulgurite/abi.h>

#include <cstdint>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// grid: the blocks of a launch; block: threads that share memory and can wait for each other; warp: 32
/// neighbouring threads of a block; thread: one of them, whose steps follow each other.
enum class Level : std::uint8_t { grid, block, warp, thread };

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
