// What stands in a picture of a kernel besides its wires and operators.
#pragma once

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// The next `stages` stages of a picture under one name. If `wires` > 0, each run of `wires` wires has a box
/// around its part of these stages, a kernel of a large network (DAMP 2012, figure 7).
struct PictureFrame {
  std::int64_t stages = 0, wires = 0;
  std::string name;
};

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
