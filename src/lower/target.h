// The machine that a program is lowered for.
#pragma once

#include <cstdint>

namespace fulgurite::lower {

/// What lowering may know of the machine.
struct Target {
  int vector_bytes = 64;                     // widest vector register
  std::int64_t last_level_cache = 32 << 20;  // bytes
  std::int64_t shared_memory = 48 << 10;     // bytes that the threads of a block have together
  bool tells_occupancy = false;              // runtime::Description
  bool adds_quarters = false;                // runtime::Description
  bool has_shuffles = false;                 // runtime::Description
  friend bool operator==(const Target&, const Target&) = default;
};

}  // namespace fulgurite::lower
