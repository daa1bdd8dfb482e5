// The processors that kernels in portable C are made for.
#pragma once

#include <string_view>

namespace fulgurite::emit {

/// Levels of x86-64, v2 to v4; `generic` has vectors of 16 bytes, on any processor, and no instruction by
/// name.
enum class Level { generic, v2, v3, v4 };

/// "generic", "v2", "v3", "v4"
std::string_view name_of(Level);

/// The bytes of a register, for which kernels are vectorised (runtime::Description::vector_bytes).
int register_bytes(Level);

}  // namespace fulgurite::emit
